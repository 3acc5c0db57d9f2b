/** All keys, and whether single letters act. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button, Refused } from "../part/bits.tsx";
import { exported } from "../record/exported.ts";
import { isHelpShown, letters, setLetters } from "../state/keys.ts";
import { notices, setNotices } from "../state/notify.ts";

/** Whether the page only shows what a file holds. */
const isFile = exported !== null;
/** Those that act in a page of a file, too. */
const OF_A_FILE = new Set(["g, then n t b a", "g, then m o u r", "j k", "Enter", "Esc"]);
const ALL = [
  ["/", "search"],
  ["g, then n t b a", "now, threads, board, artifacts"],
  ["g, then m o u r", "memory, office, usage, record"],
  ["j k", "next, previous row"],
  ["Enter", "open the row"],
  ["r", "reply"],
  ["e", "ack; edit the task"],
  ["c", "new message, or new task"],
  ["x", "close the thread, or open it again"],
  ["m", "move the task"],
  ["a", "assign the task"],
  ["← →", "the record before, after"],
  ["d", "compare the commit with another"],
  ["Ctrl Enter", "send what the field holds"],
  ["Esc", isFile ? "close what is chosen" : "close the form; leave the field; back to live; close what is chosen"],
] as const;
const KEYS = ALL.filter(([key]) => !isFile || OF_A_FILE.has(key));

export function Help() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [why, setWhy] = useState<string | undefined>(undefined);
  // Before the next paint: a key that comes at once is meant for the settings.
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="help" aria-labelledby="help-title" onClose={() => (isHelpShown.value = false)}>
      <h2 id="help-title">Keys and settings</h2>
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
        <input type="checkbox" checked={letters.value} onChange={(event) => setLetters(event.currentTarget.checked)} /> Single-letter keys
      </label>
      {!isFile && (
        <label class="row check">
          <input
            type="checkbox"
            checked={notices.value}
            onChange={async ({ currentTarget: box }) => {
              setWhy(await setNotices(box.checked));
              box.checked = notices.value;
            }}
          />{" "}
          Desktop notifications while this page is out of sight
        </label>
      )}
      <Refused why={why} />
      <Button run={() => dialog.current?.close()}>Close</Button>
    </dialog>
  );
}
