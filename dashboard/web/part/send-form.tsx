/** A new message. */
import { useState } from "preact/hooks";
import { forgetKey, keyFor } from "../state/once.ts";
import { addressOf, go } from "../state/route.ts";
import { write } from "../state/server.ts";
import { say, useAct } from "../state/use-act.ts";
import { useFirstField } from "../state/use-first-field.ts";
import { Key, Refused } from "./bits.tsx";
import { DraftField, Unseen, unseenId, useDraft } from "./draft-field.tsx";

/** Recipients with commas or blanks between, a subject, and a text; then the thread is shown, with its receipts. */
export function SendForm({ parts, close }: { parts: readonly string[]; close: () => void }) {
  const [to, changeTo, dropTo] = useDraft("send to");
  const [subject, changeSubject, dropSubject] = useDraft("send subject");
  const [body, changeBody, dropBody] = useDraft("send body");
  const [isUrgent, setUrgent] = useState(false);
  const act = useAct();
  const first = useFirstField("c");
  const send = async (): Promise<void> => {
    const recipients = to.split(/[\s,]+/).filter((part) => part !== "");
    await act.run(async () => {
      const given = { to: recipients, subject, body, urgent: isUrgent };
      const sent = await write("send", { ...given, idempotency_key: keyFor("send", given) });
      if (sent.data === undefined) return sent;
      forgetKey("send");
      dropTo(to);
      dropSubject(subject);
      dropBody(body);
      close();
      say("Your message was sent.", addressOf("threads", sent.data.threadId));
      go("threads", sent.data.threadId);
      return sent;
    });
  };
  return (
    <form
      class="box send"
      aria-label="New message"
      onInput={() => forgetKey("send")}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <label for="send-to">To</label>
      <input id="send-to" class="line" list="parts" ref={first} value={to} onInput={(event) => changeTo(event.currentTarget.value)} />
      <datalist id="parts">
        {parts.map((part) => (
          <option key={part} value={part} />
        ))}
      </datalist>
      <label for="send-subject">Subject</label>
      <input
        id="send-subject"
        class="line"
        value={subject}
        onInput={(event) => changeSubject(event.currentTarget.value)}
        aria-describedby={unseenId("send-subject", subject)}
      />
      <Unseen id="send-subject" text={subject} />
      <DraftField id="send-body" label="Message" text={body} change={changeBody} send={() => void send()} placeholder="Markdown" />
      <Refused why={act.why} />
      <div class="row">
        <button type="submit" class="btn primary" aria-disabled={act.isBusy} disabled={to === "" || subject === "" || body.trim() === ""}>
          Send <Key>Ctrl</Key> <Key>↵</Key>
        </button>
        <button type="button" class="btn" data-escape onClick={close}>
          Cancel <Key>Esc</Key>
        </button>
        <label class="row check">
          <input type="checkbox" checked={isUrgent} onChange={(event) => setUrgent(event.currentTarget.checked)} /> urgent
        </label>
      </div>
    </form>
  );
}
