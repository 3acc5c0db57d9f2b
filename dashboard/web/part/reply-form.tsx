/** The answer to a thread, with a draft that outlives a reload. */
import { about } from "../state/about.ts";
import { useOffered } from "../state/offered.ts";
import { forgetKey, keyFor } from "../state/once.ts";
import { addressOf } from "../state/route.ts";
import { write } from "../state/server.ts";
import { say, useAct } from "../state/use-act.ts";
import { Button, Key, Refused } from "./bits.tsx";
import { DraftField, useDraft } from "./draft-field.tsx";

interface ReplyProps {
  thread: string;
  /** Messages that the person has read by answering. */
  read: readonly string[];
  placeholder: string;
  /** Called when something was done. */
  done: () => void;
}

/** A field, and what is done with it: reply, or only ack. */
export function ReplyForm({ thread, read, placeholder, done }: ReplyProps) {
  const form = `reply ${thread}`;
  const [text, change, drop] = useDraft(form);
  const act = useAct();
  useOffered(about.value.readOnly ? "" : read.length === 0 ? "r" : "r e");
  if (about.value.readOnly) return null;
  const ack = () => (read.length === 0 ? Promise.resolve({ data: null }) : write("ack", { messageIds: [...read] }));
  const reply = async (): Promise<void> => {
    if (text.trim() === "") return;
    let isSent = false;
    await act.run(async () => {
      const sent = await write("reply", { threadId: thread, body: text, idempotency_key: keyFor(form, text) });
      isSent = sent.failure === undefined;
      return isSent ? ack() : sent;
    });
    if (!isSent) return;
    forgetKey(form);
    drop(text);
    say("Your answer was sent.", addressOf("threads", thread));
    done();
  };
  const onlyAck = async (): Promise<void> => {
    if (!(await act.run(ack))) return;
    say(read.length === 1 ? "You have read it." : `You have read ${read.length} messages.`, addressOf("threads", thread));
    done();
  };
  return (
    <div class="reply" onInput={() => forgetKey(form)}>
      <DraftField
        id={`reply-${thread}`}
        label="Your answer"
        text={text}
        change={change}
        send={() => void reply()}
        placeholder={placeholder}
        focusKey="r"
      />
      <Refused why={act.why} />
      <div class="row">
        <Button kind="primary" act={act} disabled={text.trim() === ""} run={() => void reply()}>
          Reply <Key>Ctrl</Key> <Key>↵</Key>
        </Button>
        {read.length > 0 && (
          <Button kind="" letter="e" act={act} run={() => void onlyAck()}>
            Ack only
          </Button>
        )}
        <span class="grow" />
        <span class="sm t3">{text === "" ? "" : "Draft kept on this machine"}</span>
      </div>
    </div>
  );
}
