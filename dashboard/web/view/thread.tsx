/** One thread: its messages with their receipts, and what a person does with it. */
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Back, Button, Chip, Entry, Origin, Receipt, Refused, StatusChip } from "../part/bits.tsx";
import { Markdown } from "../part/markdown.tsx";
import { plain, REQUEST } from "../part/plain.ts";
import { ReplyForm } from "../part/reply-form.tsx";
import { commitFor } from "../record/moment.ts";
import { about } from "../state/about.ts";
import { useOffered } from "../state/offered.ts";
import { addressOf } from "../state/route.ts";
import { type AnswerOf, type Reply, read, write } from "../state/server.ts";
import { writersIn } from "../state/told.ts";
import { say, useAct } from "../state/use-act.ts";
import { type Answered, useAnswer } from "../state/use-answer.ts";
import { type Paged, usePages } from "../state/use-pages.ts";

type Message = AnswerOf<"show">["messages"][number];

/** So many messages are shown at first, the newest; twice as many more each time that earlier ones are asked for. */
const SHOWN = 20;
/** So many are asked for again on hints; what is earlier comes by pages of as many. */
const MOST = 100;

export function Thread({ id }: { id: string }) {
  const [limit, setLimit] = useState(SHOWN);
  const { data, failure, again } = useShown(id, limit);
  const act = useAct();
  const mayToggle = data !== undefined && !about.value.readOnly && data.thread.archived !== true;
  useOffered(mayToggle ? "x" : "");
  const listed = useAll(id, limit, data);
  const messages = [...listed.rows].reverse();
  const log = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const newest = data?.messages.at(-1)?.messageId;
  useEarlierKept(log, messages);
  // A thread opens at what is unread, and stays at its end as long as the reader does.
  useEffect(() => {
    const box = log.current;
    if (box === null || !isAtEnd.current) return;
    const first = box.querySelector(".msg.sel");
    if (first !== null && newest !== undefined && !box.dataset["opened"]) first.scrollIntoView({ block: "start" });
    else box.scrollTop = box.scrollHeight;
    box.dataset["opened"] = "true";
  }, [newest]);
  if (data === undefined)
    return (
      <section class="pane" aria-label="Thread">
        <Back view="threads" words="All threads" />
        <Refused why={failure?.error} />
      </section>
    );
  const { thread } = data;
  const you = about.value.part;
  const unread = messages.filter(({ receipts }) =>
    receipts.some(({ part, state }) => part === you && state !== "acked" && state !== "replied"),
  );
  const writers = writersIn(
    thread.id,
    thread.participants.filter((part) => part !== you),
  );
  const isClosed = thread.status === "closed";
  const toggle = async (): Promise<void> => {
    const threadId = thread.id;
    const set = (closes: boolean): Promise<Reply<unknown>> => (closes ? write("close", { threadId }) : write("reopen", { threadId }));
    if (!(await act.run(() => set(!isClosed)))) return;
    say(isClosed ? "The thread is open again." : "The thread is closed.", addressOf("threads", threadId), () => set(isClosed));
    again();
  };
  return (
    <section class="pane thread" aria-label="Thread">
      <div class="sec tall">
        <Back view="threads" words="All threads" />
        <h2 class="cut" title={thread.subject}>
          {plain(thread.subject)}
        </h2>
        <StatusChip status={thread.archived === true ? "archived" : thread.status} />
        <span class="grow" />
        <span class="id opt">{thread.id}</span>
        {mayToggle && (
          <Button letter="x" act={act} run={() => void toggle()}>
            {isClosed ? "Reopen" : "Close"}
          </Button>
        )}
      </div>
      <Refused why={act.why ?? failure?.error} />
      {(thread.tags ?? []).length > 0 && (
        <div class="bar tags">
          {(thread.tags ?? []).map((tag) => (
            <Chip key={tag}>{tag}</Chip>
          ))}
        </div>
      )}
      <div
        class="log"
        ref={log}
        role="log"
        aria-label="Messages"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it.
        tabIndex={0}
        onScroll={({ currentTarget: box }) => (isAtEnd.current = box.scrollTop + box.clientHeight > box.scrollHeight - 40)}
      >
        {listed.hasMore && (
          <Button kind="quiet earlier" run={() => (limit < MOST ? setLimit(Math.min(MOST, limit + SHOWN * 2)) : listed.more())}>
            Show earlier messages
          </Button>
        )}
        {messages.map((message) => (
          <MessageRow key={message.messageId} message={message} isUnread={unread.includes(message)} />
        ))}
      </div>
      <p class="writing sm ok" role="status">
        {writers.length > 0 && `${writers.join(", ")} ${writers.length === 1 ? "is" : "are"} writing…`}
      </p>
      {thread.archived !== true && (
        <ReplyForm
          thread={thread.id}
          read={unread.map(({ messageId }) => messageId)}
          placeholder={`Reply to ${thread.participants.filter((part) => part !== you).join(", ") || "the thread"}`}
          done={again}
        />
      )}
    </section>
  );
}

/** The thread. While more of its messages are asked for, those that are known are shown. */
function useShown(id: string, limit: number): Answered<AnswerOf<"show">> {
  const answer = useAnswer("show", { threadId: id, limit });
  const last = useRef<{ at: string; data: AnswerOf<"show"> | undefined }>({ at: "", data: undefined });
  const at = commitFor("show");
  if (answer.data !== undefined || last.current.at !== at) last.current = { at, data: answer.data };
  return { ...answer, data: last.current.data };
}

/** The messages, the newest first: those that are asked for again on hints, and then earlier ones by pages. */
function useAll(threadId: string, limit: number, data: AnswerOf<"show"> | undefined): Paged<Message> {
  const rows = useMemo(() => [...(data?.messages ?? [])].reverse(), [data]);
  const newest = data === undefined ? undefined : { rows, cursor: data.cursor };
  return usePages<Message>(JSON.stringify([threadId, limit, commitFor("show")]), newest, idOf, async (cursor) => {
    const { data: page } = await read("show", { threadId, limit: MOST, cursor });
    return page === undefined ? undefined : { rows: [...page.messages].reverse(), cursor: page.cursor };
  });
}

const idOf = ({ messageId }: Message): string => messageId;

/** What the reader looks at stays where it is when earlier messages come before it. */
function useEarlierKept(log: RefObject<HTMLDivElement | null>, messages: readonly Message[]): void {
  const first = messages[0]?.messageId;
  const before = useRef(first);
  const box = log.current;
  const haveCome = box !== null && messages.findIndex(({ messageId }) => messageId === before.current) > 0;
  // As it is before they are in the page.
  const fromEnd = haveCome ? box.scrollHeight - box.scrollTop : 0;
  useLayoutEffect(() => {
    before.current = first;
    if (!haveCome) return;
    box.scrollTop = box.scrollHeight - fromEnd;
    // The button goes away with the last of them.
    if (document.activeElement === document.body) box.focus({ preventScroll: true });
  }, [first]);
}

function MessageRow({ message, isUnread }: { message: Message; isUnread: boolean }) {
  const [request = "", name, version] = REQUEST.exec(message.body) ?? [];
  return (
    <Entry
      label={`Message of ${message.from}`}
      from={message.from}
      isYou={message.from === about.value.part}
      at={message.at}
      isUnread={isUnread}
      beside={
        <>
          <span class="t3 cut">to {message.to.join(", ")}</span>
          {message.urgent && <Chip tone="bad">urgent</Chip>}
          {message.needsHuman && <Chip tone="bad">needs a person</Chip>}
          <Origin origin={message.origin} />
        </>
      }
    >
      {name !== undefined && (
        <a class="lnk" href={addressOf("artifacts", ` ${name}`)}>
          Review {name}, version {version}
        </a>
      )}
      <Markdown text={message.body.slice(request.length)} />
      {message.receipts.length > 0 && (
        <div class="rcs">
          {message.receipts.map((receipt) => (
            <Receipt key={receipt.part} {...receipt} />
          ))}
        </div>
      )}
    </Entry>
  );
}
