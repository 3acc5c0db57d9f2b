/** What lies in an inbox: a question, and an unread message. */
import { useRef, useState } from "preact/hooks";
import { AskCard, At, Button, Chip, Origin, Refused, RowLink, Since } from "../part/bits.tsx";
import { Icon } from "../part/icon.tsx";
import { Markdown } from "../part/markdown.tsx";
import { beside, plain } from "../part/plain.ts";
import { ReplyForm } from "../part/reply-form.tsx";
import { about } from "../state/about.ts";
import { addressOf } from "../state/route.ts";
import { type AnswerOf, write } from "../state/server.ts";
import { say, useAct } from "../state/use-act.ts";

type Mail = AnswerOf<"inbox">["messages"][number];

/** Questions in their order; as long as somebody is in one of them, a new one comes after those that are there. */
export function useSettled<T extends { messageId: string }>(questions: readonly T[]): readonly T[] {
  const before = useRef<readonly string[]>([]);
  const isHeld = document.activeElement?.closest(".ask") != null;
  const placeOf = ({ messageId }: T): number => before.current.indexOf(messageId) + 1 || questions.length + 1;
  const settled = isHeld ? [...questions].sort((one, other) => placeOf(one) - placeOf(other)) : questions;
  before.current = settled.map(({ messageId }) => messageId);
  return settled;
}

/** A question, with the field for its answer. @param isOpen whether the field is shown at once */
export function Question({ mail, isOpen, done }: { mail: Omit<Mail, "needsHuman" | "unread">; isOpen: boolean; done: () => void }) {
  // What was open once stays open: somebody may write there.
  const [opened, setOpened] = useState(isOpen);
  // A question of the office is its own subject.
  const isSubject = mail.body !== undefined && mail.body.trim() === mail.subject;
  return (
    <AskCard
      from={mail.from}
      isChosen={isOpen}
      words={
        <>
          <span class="t3 nowrap">
            asks · <Since at={mail.at} />
          </span>
          <Origin origin={mail.origin} />
        </>
      }
      end={
        <>
          {mail.urgent && <Chip tone="bad">urgent</Chip>}
          <a class="lnk sm" href={addressOf("threads", mail.threadId)}>
            Thread
          </a>
        </>
      }
      answer={
        isOpen || opened ? (
          <ReplyForm thread={mail.threadId} read={[mail.messageId]} placeholder={`Answer ${mail.from}`} done={done} />
        ) : (
          !about.value.readOnly && (
            <Button kind="quiet open" run={() => setOpened(true)}>
              Answer
            </Button>
          )
        )
      }
    >
      {!isSubject && <h3>{plain(mail.subject)}</h3>}
      {mail.body === undefined ? <p class="t2 body">{plain(mail.preview)}</p> : <Markdown text={mail.body} />}
    </AskCard>
  );
}

/** An unread message, and what acks it. */
export function MailRow({ mail, canAck, done }: { mail: Mail; canAck: boolean; done: () => void }) {
  const act = useAct();
  const item = useRef<HTMLLIElement>(null);
  const ack = async (): Promise<void> => {
    const row = item.current;
    // The row goes away, so the focus goes to the next one.
    if (row?.contains(document.activeElement))
      (row.nextElementSibling ?? row.previousElementSibling)?.querySelector<HTMLElement>("[data-row]")?.focus();
    if (!(await act.run(() => write("ack", { messageIds: [mail.messageId] })))) return;
    say(`You have read “${plain(mail.subject)}”.`, addressOf("threads", mail.threadId));
    done();
  };
  return (
    <li class="mail" ref={item}>
      <RowLink kind="item" to={addressOf("threads", mail.threadId)}>
        <span class="unread">
          <span class="vh">unread</span>
        </span>
        <span class="who cut">{mail.from}</span>
        <span class="main cut">
          <span class="subj">{plain(mail.subject)}</span> <span class="t3">{beside(mail.subject, mail.body ?? mail.preview)}</span>
        </span>
        <span class="end row">
          <Origin origin={mail.origin} />
          {mail.urgent && <Chip tone="bad">urgent</Chip>}
          <At at={mail.at} />
        </span>
      </RowLink>
      {canAck && (
        <Button
          kind="quiet icon"
          data-row-key="e"
          act={act}
          aria-label={`Ack: ${plain(mail.subject)}`}
          title="Mark as read (e)"
          run={() => void ack()}
        >
          <Icon name="check" small />
        </Button>
      )}
      <Refused why={act.why} />
    </li>
  );
}
