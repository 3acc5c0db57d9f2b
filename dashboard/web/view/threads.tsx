/** The threads, the one written to last first, and the one that is chosen beside them. */
import { useEffect, useRef, useState } from "preact/hooks";
import { Chip, Refused, StatusChip } from "../part/bits.tsx";
import { Fresh } from "../part/fresh.tsx";
import { plain } from "../part/plain.ts";
import { commitFor } from "../record/moment.ts";
import { addressOf, route } from "../state/route.ts";
import { type AnswerOf, read } from "../state/server.ts";
import { shortTime } from "../state/time.ts";
import { writersIn } from "../state/told.ts";
import { useAnswer } from "../state/use-answer.ts";
import { useHeld } from "../state/use-held.ts";
import { usePages } from "../state/use-pages.ts";
import { Thread } from "./thread.tsx";

type Brief = AnswerOf<"threads">["threads"][number];
type Status = "" | "open" | "answered" | "holding" | "closed" | "canceled" | "archived";

/** Every row has one height, so that only those that are seen are in the page. */
const ROW = 52;
const MARGIN = 8;
/** A little more than a screen has: each message of each of them is read. */
const PAGE = 30;
/** A text is asked for when nobody typed for so long. */
const AFTER_KEY_MS = 200;
const idOf = ({ id }: Brief): string => id;

export function Threads() {
  const { chosen } = route.value;
  return (
    <div class={chosen === "" ? "split threads" : "split threads chosen"}>
      <List chosen={chosen} />
      {chosen === "" ? <p class="pane hint t3">Choose a thread to read it here.</p> : <Thread key={chosen} id={chosen} />}
    </div>
  );
}

function List({ chosen }: { chosen: string }) {
  const [filter, setFilter] = useState<{ status: Status; part: string; tag: string; q: string }>({ status: "", part: "", tag: "", q: "" });
  const [typed, setTyped] = useState({ q: "", tag: "" });
  const [seen, setSeen] = useState({ top: 0, height: 900 });
  const box = useRef<HTMLDivElement>(null);
  const roster = useAnswer("roster", {});
  const asked = {
    limit: PAGE,
    ...(filter.status === "" ? {} : { status: filter.status as "open" }),
    ...(filter.part === "" ? {} : { part: filter.part }),
    ...(filter.tag.trim() === "" ? {} : { tag: filter.tag.trim() }),
    ...(filter.q.trim() === "" ? {} : { q: filter.q.trim() }),
  };
  const newest = useAnswer("threads", asked);
  const of = JSON.stringify([asked, commitFor("threads")]);
  const page = newest.data === undefined ? undefined : { rows: newest.data.threads, cursor: newest.data.cursor };
  const listed = usePages<Brief>(of, page, idOf, async (cursor) => {
    const { data } = await read("threads", { ...asked, cursor });
    return data === undefined ? undefined : { rows: data.threads, cursor: data.cursor };
  });
  const isRead =
    box.current !== null && (box.current.scrollTop > 0 || box.current.querySelector(".window:is(:hover, :focus-within)") !== null);
  const { rows: all, waiting, release } = useHeld(listed.rows, { list: of, isHeld: isRead, isCut: listed.hasMore, keyOf: idOf });
  const tags = [...new Set(all.flatMap((thread) => thread.tags ?? []))].sort();
  const from = Math.max(0, Math.floor(seen.top / ROW) - MARGIN);
  const shown = all.slice(from, from + Math.ceil(seen.height / ROW) + 2 * MARGIN);
  const isNearEnd = seen.top + seen.height + MARGIN * ROW > all.length * ROW;
  // A page with fewer rows looked at as many threads as one question may.
  const isCut = listed.hasMore && listed.came < PAGE;
  useEffect(() => {
    if (isNearEnd && listed.hasMore && !isCut) listed.more();
  }, [isNearEnd, listed.hasMore, isCut, listed.rows.length, of]);
  useEffect(() => {
    const timer = setTimeout(() => setFilter((before) => ({ ...before, ...typed })), AFTER_KEY_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const measure = (): void => {
    const at = box.current;
    if (at !== null) setSeen({ top: at.scrollTop, height: at.clientHeight });
  };
  useEffect(() => {
    // It calls back at its beginning, too.
    const sizes = new ResizeObserver(measure);
    sizes.observe(box.current as HTMLDivElement);
    return () => sizes.disconnect();
  }, []);
  return (
    <section class="pane list" aria-label="Threads" ref={box} onScroll={measure}>
      <div class="sec filters">
        <select
          class="pick"
          aria-label="Status"
          value={filter.status}
          onChange={(event) => setFilter({ ...filter, status: event.currentTarget.value as Status })}
        >
          <option value="">Any status</option>
          <option value="open">open</option>
          <option value="answered">answered</option>
          <option value="holding">holding</option>
          <option value="closed">closed</option>
          <option value="canceled">canceled</option>
          <option value="archived">archived</option>
        </select>
        <select
          class="pick"
          aria-label="Part"
          value={filter.part}
          onChange={(event) => setFilter({ ...filter, part: event.currentTarget.value })}
        >
          <option value="">Any part</option>
          {(roster.data?.parts ?? []).map(({ part }) => (
            <option key={part} value={part}>
              {part}
            </option>
          ))}
        </select>
        <input
          class="pick"
          aria-label="Tag"
          placeholder="Any tag"
          size={10}
          list="known-tags"
          value={typed.tag}
          onInput={({ currentTarget: field }) => setTyped((before) => ({ ...before, tag: field.value }))}
        />
        <datalist id="known-tags">
          {tags.map((tag) => (
            <option key={tag} value={tag} />
          ))}
        </datalist>
        <input
          class="line whole"
          aria-label="Text in the subject"
          placeholder="Subject"
          value={typed.q}
          onInput={({ currentTarget: field }) => setTyped((before) => ({ ...before, q: field.value }))}
        />
      </div>
      <Refused why={newest.failure?.error} />
      {newest.data !== undefined && all.length === 0 && <p class="hint t3">No thread matches{isCut && " so far"}.</p>}
      <Fresh
        waiting={waiting}
        show={() => {
          release();
          box.current?.scrollTo({ top: 0 });
          newest.again();
        }}
      />
      <ul class="window" style={{ height: `${all.length * ROW}px` }}>
        {shown.map((thread, at) => (
          <li key={thread.id} style={{ top: `${(from + at) * ROW}px` }}>
            <Row thread={thread} isChosen={thread.id === chosen} />
          </li>
        ))}
      </ul>
      {isCut && (
        <p class="pad sm t3">
          Older threads were not searched yet.{" "}
          <button type="button" class="btn small" onClick={listed.more}>
            Search on
          </button>
        </p>
      )}
    </section>
  );
}

function Row({ thread, isChosen }: { thread: Brief; isChosen: boolean }) {
  const writers = writersIn(thread.id, thread.participants);
  return (
    <a class={isChosen ? "part sel" : "part"} data-row href={addressOf("threads", thread.id)} aria-current={isChosen ? "true" : undefined}>
      <span>
        {thread.unread > 0 && (
          <span class="unread dotp">
            <span class="vh">unread</span>
          </span>
        )}
      </span>
      <span class="grow">
        <span class={thread.unread > 0 ? "who cut block" : "cut block"}>{plain(thread.subject)}</span>
        <span class="row sm t2">
          {writers.length > 0 ? (
            <span class="cut ok">{writers.join(", ")} writing…</span>
          ) : (
            <span class="cut">{thread.participants.join(", ")}</span>
          )}
          <StatusChip status={thread.archived === true ? "archived" : thread.status} />
          {(thread.tags ?? []).slice(0, 2).map((tag) => (
            <Chip key={tag}>{tag}</Chip>
          ))}
        </span>
      </span>
      <span class="sm t3 num">
        {shortTime(Date.parse(thread.lastAt))}
        <br />
        {thread.messages}
        <span class="vh"> messages</span>
      </span>
    </a>
  );
}
