/** A form in a box, and its fields of one line. */
import type { ComponentChildren, RefObject } from "preact";
import type { Act } from "../state/use-act.ts";
import { Button, Key, Refused } from "./bits.tsx";
import { isSent, Unseen, unseenId } from "./draft-field.tsx";

interface FormProps {
  label: string;
  /** What sending it is called. */
  verb: string;
  act: Act;
  /** Whether there is nothing to send. */
  isEmpty: boolean;
  send: () => void;
  close: () => void;
  /** Called with each change of a field. */
  changed?: () => void;
  /** What stands beside its buttons. */
  beside?: ComponentChildren;
  children: ComponentChildren;
}

export const BoxForm = ({ label, verb, act, isEmpty, send, close, changed, beside, children }: FormProps) => (
  <form
    class="box send"
    aria-label={label}
    onInput={changed}
    onSubmit={(event) => {
      event.preventDefault();
      send();
    }}
    onKeyDown={(event) => isSent(event) && !event.defaultPrevented && send()}
  >
    {children}
    <Refused why={act.why} />
    <div class="row">
      <button type="submit" class="btn primary" aria-disabled={act.isBusy} disabled={isEmpty}>
        {verb} <Key>Ctrl</Key> <Key>↵</Key>
      </button>
      <Button kind="" data-escape run={close}>
        Cancel <Key>Esc</Key>
      </Button>
      {beside}
    </div>
  </form>
);

interface LineProps {
  id: string;
  label: string;
  text: string;
  change: (text: string) => void;
  /** Where it is the first field of its form. */
  first?: RefObject<HTMLInputElement | null>;
  /** The id of a list of what may be meant. */
  list?: string;
}

/** A field of one line. Enter sends its form. */
export const LineField = ({ id, label, text, change, first, list }: LineProps) => (
  <>
    <label for={id}>{label}</label>
    <input
      id={id}
      class="line"
      ref={first}
      list={list}
      value={text}
      aria-describedby={unseenId(id, text)}
      onInput={(event) => change(event.currentTarget.value)}
    />
    <Unseen id={id} text={text} />
  </>
);
