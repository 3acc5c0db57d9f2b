/** The person's inbox, and the room: what waits for an answer first. */
import { useRef, useState } from "preact/hooks";
import { At, Avatar, Chip, Command, Empty, Key, Origin, Refused, Since } from "../part/bits.tsx";
import { Fresh } from "../part/fresh.tsx";
import { Icon } from "../part/icon.tsx";
import { Markdown } from "../part/markdown.tsx";
import { beside, plain } from "../part/plain.ts";
import { ReplyForm } from "../part/reply-form.tsx";
import { Segments } from "../part/segments.tsx";
import { SendForm } from "../part/send-form.tsx";
import { about } from "../state/about.ts";
import { useOffered } from "../state/offered.ts";
import { addressOf } from "../state/route.ts";
import { type AnswerOf, write } from "../state/server.ts";
import { useAct } from "../state/use-act.ts";
import { useAnswer } from "../state/use-answer.ts";
import { useHeld } from "../state/use-held.ts";
import { Room } from "./room.tsx";
import { Sent } from "./sent.tsx";

type Mail = AnswerOf<"inbox">["messages"][number];

/** So many messages are listed; the rest is told by its number. */
const LISTED = 50;

export function Now() {
  const [owner, setOwner] = useState(about.value.part);
  const [isWriting, setWriting] = useState(false);
  const [box, setBox] = useState<"inbox" | "sent">("inbox");
  const status = useAnswer("status", {});
  const inbox = useAnswer("inbox", box === "inbox" ? { limit: LISTED, agent_id: owner } : null);
  const act = useAct();
  const isOwn = owner === about.value.part;
  const mail = inbox.data?.messages ?? [];
  const listed = mail.filter(({ needsHuman }) => needsHuman);
  // Those that came before what is listed wait all the same.
  const asked = owner === "human" && inbox.data !== undefined ? (status.data?.needsHuman ?? []) : [];
  const older = asked.filter(({ messageId }) => !listed.some((each) => each.messageId === messageId));
  const questions = useSettled([...listed, ...older.map((each) => ({ ...each, preview: "", urgent: false }))]);
  const list = useRef<HTMLUListElement>(null);
  // A row never moves under a hand.
  const isHeld = list.current?.matches(":hover, :focus-within") === true;
  const unread = mail.filter(({ needsHuman }) => !needsHuman);
  const { rows: others, waiting, release } = useHeld(unread, ({ messageId }) => messageId, owner, isHeld);
  const parts = status.data?.parts ?? [];
  const mayAck = isOwn && !about.value.readOnly;
  useOffered(mayAck && others.length > 0 ? "e" : "");
  useOffered(about.value.readOnly ? "" : "c");
  const again = (): void => {
    inbox.again();
    status.again();
  };
  const isNew = status.data !== undefined && status.data.threads.length === 0 && parts.every(({ agent }) => agent === null);
  return (
    <div class="split room">
      <section class="pane" aria-label={box === "inbox" ? "Inbox" : "Sent"}>
        <div class="sec">
          <Segments<"inbox" | "sent">
            label="What is shown"
            value={box}
            choices={[
              ["inbox", "Inbox"],
              ["sent", "Sent"],
            ]}
            pick={setBox}
          />
          <label class="row">
            <span class="t3">{box === "inbox" ? "of" : "by"}</span>
            <select class="pick" value={owner} onChange={(event) => setOwner(event.currentTarget.value)}>
              {[...new Set([about.value.part, ...parts.map(({ part }) => part)])].map((part) => (
                <option key={part} value={part}>
                  {part}
                </option>
              ))}
            </select>
          </label>
          <span class="grow" />
          {!about.value.readOnly && (
            <button type="button" class="btn small" data-key="c" aria-expanded={isWriting} onClick={() => setWriting(!isWriting)}>
              <Icon name="plus" small />
              New <Key>c</Key>
            </button>
          )}
        </div>
        {isWriting && <SendForm parts={parts.map(({ part }) => part)} close={() => setWriting(false)} />}
        {box === "sent" && <Sent owner={owner} />}
        {questions.length > 0 && (
          <>
            <h2 class="head">
              Waiting for {isOwn ? "your" : "an"} answer <span class="t3">{questions.length}</span>
            </h2>
            {questions.map((each, at) => (
              <Question key={each.messageId} mail={each} isOpen={isOwn && at === 0} done={again} />
            ))}
          </>
        )}
        {others.length > 0 && (
          <>
            <div class="sec gap">
              <h2>Unread</h2>
              <span class="t3">{(inbox.data?.unread ?? 0) - questions.length}</span>
              <span class="grow" />
              {mayAck && (
                <button
                  type="button"
                  class="btn quiet sm"
                  aria-disabled={act.isBusy}
                  onClick={async () => {
                    if (await act.run(() => write("ack", { messageIds: others.map(({ messageId }) => messageId) }))) again();
                  }}
                >
                  Ack all shown
                </button>
              )}
            </div>
            <Refused why={act.why} />
            <Fresh
              waiting={waiting}
              show={() => {
                release();
                inbox.again();
              }}
            />
            <ul ref={list}>
              {others.map((each) => (
                <MailRow key={each.messageId} mail={each} canAck={mayAck} done={again} />
              ))}
            </ul>
          </>
        )}
        {inbox.data !== undefined && mail.length === 0 && (isNew ? <FirstSteps /> : <Empty icon="check" title="Everything is read" />)}
        <Refused why={inbox.failure?.error} />
      </section>
      <Room status={status.data} failure={status.failure} />
    </div>
  );
}

/** Questions in their order; as long as somebody is in one of them, a new one comes after those that are there. */
function useSettled<T extends { messageId: string }>(questions: readonly T[]): readonly T[] {
  const before = useRef<readonly string[]>([]);
  const isHeld = document.activeElement?.closest(".ask") != null;
  const placeOf = ({ messageId }: T): number => before.current.indexOf(messageId) + 1 || questions.length + 1;
  const settled = isHeld ? [...questions].sort((one, other) => placeOf(one) - placeOf(other)) : questions;
  before.current = settled.map(({ messageId }) => messageId);
  return settled;
}

function Question({ mail, isOpen, done }: { mail: Omit<Mail, "needsHuman" | "unread">; isOpen: boolean; done: () => void }) {
  // What was open once stays open: somebody may write there.
  const [opened, setOpened] = useState(isOpen);
  // A question of the office is its own subject.
  const isSubject = mail.body !== undefined && mail.body.trim() === mail.subject;
  return (
    <article class={isOpen ? "ask sel" : "ask"}>
      <header>
        <Avatar name={mail.from} />
        <span class="who cut">{mail.from}</span>
        <span class="t3 nowrap">
          asks · <Since at={mail.at} />
        </span>
        <Origin origin={mail.origin} />
        <span class="grow" />
        {mail.urgent && <Chip tone="bad">urgent</Chip>}
        <a class="id" href={addressOf("threads", mail.threadId)}>
          {mail.threadId.slice(-8)}
        </a>
      </header>
      <div class="q">
        {!isSubject && <h3>{plain(mail.subject)}</h3>}
        {mail.body === undefined ? <p class="t2 body">{plain(mail.preview)}</p> : <Markdown text={mail.body} />}
      </div>
      {(isOpen || opened) && <ReplyForm thread={mail.threadId} read={[mail.messageId]} placeholder={`Answer ${mail.from}`} done={done} />}
      {!isOpen && !opened && !about.value.readOnly && (
        <button type="button" class="btn quiet open" onClick={() => setOpened(true)}>
          Answer
        </button>
      )}
    </article>
  );
}

function MailRow({ mail, canAck, done }: { mail: Mail; canAck: boolean; done: () => void }) {
  const act = useAct();
  const ack = async (row: Element | null): Promise<void> => {
    // The row goes away, so the focus goes to the next one.
    if (row?.contains(document.activeElement))
      (row.nextElementSibling ?? row.previousElementSibling)?.querySelector<HTMLElement>("[data-row]")?.focus();
    if (await act.run(() => write("ack", { messageIds: [mail.messageId] }))) done();
  };
  return (
    <li class="mail">
      <a class="item" data-row href={addressOf("threads", mail.threadId)}>
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
      </a>
      {canAck && (
        <button
          type="button"
          class="btn quiet icon"
          data-row-key="e"
          aria-disabled={act.isBusy}
          aria-label={`Ack: ${plain(mail.subject)}`}
          title="Ack"
          onClick={(event) => void ack(event.currentTarget.closest("li"))}
        >
          <Icon name="check" small />
        </button>
      )}
      <Refused why={act.why} />
    </li>
  );
}

/** What a new home needs first. */
const FirstSteps = () => (
  <Empty icon="logo" title="Nobody has written here yet">
    <p class="t2">Give an agent its part of the project, wake it when it has mail, and write to it:</p>
    <ol class="steps">
      <li>
        <Command text="relay up --setup --part web -- claude" />
      </li>
      <li>
        <Command text="relay pager start" />
      </li>
      <li>
        <Command text='relay send web "Hello" "What do you work on?"' />
      </li>
    </ol>
  </Empty>
);
