/** A field whose text outlives a reload, until it is sent. */
import { useState } from "preact/hooks";
import { keep, kept } from "../state/kept.ts";
import { unseenIn } from "./unseen.ts";

/**
 * The text of a draft, what changes it, and what takes out of it what was sent: what was typed meanwhile stays.
 * @param key under which it is kept
 */
export function useDraft(key: string): [text: string, change: (text: string) => void, drop: (sent: string) => void] {
  const [state, setState] = useState({ key, text: kept(key) });
  const textOf = (at: typeof state): string => (at.key === key ? at.text : kept(key));
  const change = (next: (now: string) => string): void =>
    setState((before) => {
      const text = next(textOf(before));
      keep(key, text);
      return { key, text };
    });
  return [
    textOf(state),
    (text) => change(() => text),
    (sent) => change((now) => (now.startsWith(sent) ? now.slice(sent.length).trimStart() : now)),
  ];
}

/** So many different ones are named. */
const NAMED = 5;

/** The id of what is said below a field of its unseen characters; undefined where it has none. */
export const unseenId = (id: string, text: string): string | undefined => (unseenIn(text).length === 0 ? undefined : `${id}-unseen`);

/** Says below a field which characters of its text nobody sees; nothing where there are none. @param id of the field */
export function Unseen({ id, text }: { id: string; text: string }) {
  const all = unseenIn(text);
  if (all.length === 0) return null;
  const names = [...new Set(all)];
  const more = names.length > NAMED ? ", …" : "";
  return (
    <p id={`${id}-unseen`} class="sm warn">
      Holds {all.length === 1 ? "1 unseen character" : `${all.length} unseen characters`}: {names.slice(0, NAMED).join(", ")}
      {more}
    </p>
  );
}

/** Whether a key sends the form: Ctrl and Enter. */
export const isSent = ({ key, ctrlKey, metaKey, isComposing }: KeyboardEvent): boolean =>
  !isComposing && key === "Enter" && (ctrlKey || metaKey);

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
      aria-describedby={unseenId(id, text)}
      onInput={(event) => change(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (!isSent(event)) return;
        event.preventDefault();
        send();
      }}
    />
    <Unseen id={id} text={text} />
  </>
);
