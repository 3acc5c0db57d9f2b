/** All keys, and whether single letters act. */
import { useEffect, useRef } from "preact/hooks";
import { isHelpShown, letters, setLetters } from "../state/keys.ts";

const KEYS = [
  ["/", "search"],
  ["g, then n t b m o", "now, threads, board, memory, office"],
  ["j k", "next, previous row"],
  ["Enter", "open the row"],
  ["r", "reply"],
  ["e", "ack"],
  ["c", "new message, or new task"],
  ["x", "close the thread, or open it again"],
  ["Ctrl Enter", "send what the field holds"],
  ["Esc", "leave the field"],
] as const;

export function Help() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="help" aria-labelledby="help-title" onClose={() => (isHelpShown.value = false)}>
      <h2 id="help-title">Keys</h2>
      <dl class="kv">
        {KEYS.map(([key, what]) => (
          <div class="pair" key={key}>
            <dt>
              <kbd class="key">{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <label class="row check">
        <input type="checkbox" checked={letters.value} onChange={(event) => setLetters(event.currentTarget.checked)} /> Single letters act
      </label>
      <button type="button" class="btn" onClick={() => dialog.current?.close()}>
        Close
      </button>
    </dialog>
  );
}
