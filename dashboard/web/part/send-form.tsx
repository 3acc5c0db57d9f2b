/** A new message. */
import { useState } from "preact/hooks";
import { forgetKey, keyFor } from "../state/once.ts";
import { addressOf, go } from "../state/route.ts";
import { write } from "../state/server.ts";
import { say, useAct } from "../state/use-act.ts";
import { useFirstField } from "../state/use-first-field.ts";
import { BoxForm, LineField } from "./box-form.tsx";
import { DraftField, useDraft } from "./draft-field.tsx";

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
    <BoxForm
      label="New message"
      verb="Send"
      act={act}
      isEmpty={to === "" || subject === "" || body.trim() === ""}
      send={() => void send()}
      close={close}
      changed={() => forgetKey("send")}
      beside={
        <label class="row check">
          <input type="checkbox" checked={isUrgent} onChange={(event) => setUrgent(event.currentTarget.checked)} /> urgent
        </label>
      }
    >
      <LineField id="send-to" label="To" list="parts" first={first} text={to} change={changeTo} />
      <datalist id="parts">
        {parts.map((part) => (
          <option key={part} value={part} />
        ))}
      </datalist>
      <LineField id="send-subject" label="Subject" text={subject} change={changeSubject} />
      <DraftField id="send-body" label="Message" text={body} change={changeBody} send={() => void send()} placeholder="Markdown" />
    </BoxForm>
  );
}
