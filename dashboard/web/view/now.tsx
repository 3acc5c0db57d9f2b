/** The person's inbox, and the room: what waits for an answer first. */
import { useRef, useState } from "preact/hooks";
import { Button, Command, Empty, Refused } from "../part/bits.tsx";
import { Fresh } from "../part/fresh.tsx";
import { Icon } from "../part/icon.tsx";
import { Pick } from "../part/pick.tsx";
import { Segments } from "../part/segments.tsx";
import { SendForm } from "../part/send-form.tsx";
import { exported } from "../record/exported.ts";
import { moment } from "../record/moment.ts";
import { about } from "../state/about.ts";
import { useOffered } from "../state/offered.ts";
import { addressOf, route, WRITE } from "../state/route.ts";
import { write } from "../state/server.ts";
import { say, useAct } from "../state/use-act.ts";
import { useAnswer } from "../state/use-answer.ts";
import { useHeld } from "../state/use-held.ts";
import { ReviewCard } from "./artifact/reviews.tsx";
import { MailRow, Question, useSettled } from "./mail.tsx";
import { Needs } from "./needs.tsx";
import { Room, useRows } from "./room.tsx";
import { Sent } from "./sent.tsx";

/** So many messages are listed; the rest is told by its number. */
const LISTED = 50;

export function Now() {
  const [owner, setOwner] = useState(about.value.part);
  const [isWriting, setWriting] = useState(route.value.chosen === WRITE && !about.value.readOnly);
  const [box, setBox] = useState<"inbox" | "sent">("inbox");
  const isInbox = box === "inbox";
  const status = useAnswer("status", {});
  const inbox = useAnswer("inbox", isInbox ? { limit: LISTED, agent_id: owner } : null);
  const asks = useAnswer("list_reviews", exported === null && moment.value === null ? { open: true, reviewer: about.value.part } : null);
  const reviews = asks.data?.reviews ?? [];
  const room = useRows(status.data);
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
  const isCut = (inbox.data?.unread ?? 0) > mail.length;
  const held = useHeld(unread, { list: owner, isHeld, isCut, keyOf: ({ messageId }) => messageId });
  const { rows: others, waiting, release } = held;
  const parts = status.data?.parts ?? [];
  const [broken] = inbox.data?.problems ?? [];
  const unreadable = broken === undefined ? undefined : `Not all of this inbox can be read. ${broken.path}: ${broken.problem}`;
  const mayAck = isOwn && !about.value.readOnly;
  useOffered(mayAck && others.length > 0 ? "e" : "");
  useOffered(about.value.readOnly ? "" : "c");
  const again = (): void => {
    inbox.again();
    status.again();
    asks.again();
  };
  const ackAll = async (): Promise<void> => {
    const all = others.map(({ messageId }) => messageId);
    if (!(await act.run(() => write("ack", { messageIds: all })))) return;
    say(all.length === 1 ? "You have read it." : `You have read ${all.length} messages.`, addressOf("threads"));
    held.drop(all);
    again();
  };
  const isNew = status.data !== undefined && status.data.threads.length === 0 && parts.every(({ agent }) => agent === null);
  return (
    <div class="split room">
      {status.data !== undefined && room.rows.every(({ doing }) => doing !== null) && (
        <Needs status={status.data} rows={room.rows} reviews={reviews} />
      )}
      <Room status={status.data} failure={status.failure} {...room} />
      <section class="pane" aria-label={isInbox ? "Inbox" : "Sent"}>
        <div class="sec">
          <Segments label="What is shown" value={box} choices={{ inbox: "Inbox", sent: "Sent" }} pick={setBox} />
          <span class="t3">{isInbox ? "of" : "by"}</span>
          <Pick label="Whose" value={owner} choices={[about.value.part, ...parts.map(({ part }) => part)]} pick={setOwner} />
          <span class="grow" />
          {!about.value.readOnly && (
            <Button letter="c" aria-expanded={isWriting} run={() => setWriting(!isWriting)}>
              <Icon name="plus" small />
              New
            </Button>
          )}
        </div>
        {isWriting && <SendForm parts={parts.map(({ part }) => part)} close={() => setWriting(false)} />}
        {!isInbox && <Sent owner={owner} />}
        {isOwn && isInbox && reviews.map((review) => <ReviewCard key={review.id} review={review} done={again} />)}
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
                <Button kind="quiet sm" act={act} run={() => void ackAll()}>
                  Ack all shown
                </Button>
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
                <MailRow
                  key={each.messageId}
                  mail={each}
                  canAck={mayAck}
                  done={() => {
                    held.drop([each.messageId]);
                    again();
                  }}
                />
              ))}
            </ul>
          </>
        )}
        {inbox.data !== undefined &&
          mail.length + reviews.length === 0 &&
          unreadable === undefined &&
          (isNew ? <FirstSteps /> : <AllRead />)}
        <Refused why={inbox.failure?.error ?? unreadable} />
      </section>
    </div>
  );
}

const AllRead = () => (
  <Empty icon="check" title="Everything is read">
    <p class="t2">To write to an agent, press New.</p>
  </Empty>
);

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
