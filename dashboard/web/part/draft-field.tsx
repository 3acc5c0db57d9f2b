/** A field whose text outlives a reload, until it is sent. */
import { useState } from "preact/hooks";
import { keep, kept } from "../state/kept.ts";

/** The text of a draft, and what changes it. @param key under which it is kept */
export function useDraft(key: string): [text: string, change: (text: string) => void] {
  const [state, setState] = useState({ key, text: kept(key) });
  const text = state.key === key ? state.text : kept(key);
  return [
    text,
    (next) => {
      keep(key, next);
      setState({ key, text: next });
    },
  ];
}

interface FieldProps {
  id: string;
  label: string;
  text: string;
  change: (text: string) => void;
  send: () => void;
  placeholder?: string;
  /** The letter that gives it the focus. */
  focusKey?: string;
}

/** A field of several lines. Ctrl and Enter sends it. */
export const DraftField = ({ id, label, text, change, send, placeholder = "", focusKey }: FieldProps) => (
  <>
    <label class="vh" for={id}>
      {label}
    </label>
    <textarea
      class="field"
      id={id}
      value={text}
      placeholder={placeholder}
      data-focus-key={focusKey}
      onInput={(event) => change(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        send();
      }}
    />
  </>
);
