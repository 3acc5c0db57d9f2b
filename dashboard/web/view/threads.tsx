/** The threads, the one written to last first, and the one that is chosen beside them. */
import { useEffect, useRef, useState } from "preact/hooks";
import { Button, Chip, Empty, Refused, RowLink, StatusChip, WriteLink } from "../part/bits.tsx";
import { Fresh } from "../part/fresh.tsx";
import { Pick } from "../part/pick.tsx";
import { beside, plain } from "../part/plain.ts";
import { exported } from "../record/exported.ts";
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
const STATUSES = ["open", "answered", "holding", "closed", "canceled", "archived"] as const;
type Status = (typeof STATUSES)[number];

/** Every row has one height, so that only those that are seen are in the page. */
const ROW = 52;
const MARGIN = 8;
/** A little more than a screen has: each message of each of them is read. */
const PAGE = 30;
/** Number of unread threads that stand above all others; any further one stands where its time is. */
const MOST_UNREAD = 100;
/** A text is asked for when nobody typed for so long. */
const AFTER_KEY_MS = 200;
const idOf = ({ id }: Brief): string => id;

/** Where both have room, the first thread is open at once. */
const wide = matchMedia("(min-width: 1101px)");

export function Threads() {
  const { chosen } = route.value;
  // Which one is the first changes with the mail; the one that is open stays.
  const [first, setFirst] = useState("");
  const open = chosen === "" && wide.matches ? first : chosen;
  return (
    <div class={chosen === "" ? "split threads" : "split threads chosen"}>
      <List chosen={open} first={(id) => setFirst((before) => before || id)} />
      {open === "" ? <div class="pane hint" /> : <Thread key={open} id={open} />}
    </div>
  );
}

function List({ chosen, first }: { chosen: string; first: (id: string) => void }) {
  const [filter, setFilter] = useState({ status: "", part: "", tag: "", q: "" });
  const [hasNotices, setNotices] = useState(false);
  const [typed, setTyped] = useState({ q: "", tag: "" });
  const [seen, setSeen] = useState({ top: 0, height: 900 });
  const box = useRef<HTMLDivElement>(null);
  const roster = useAnswer("roster", {});
  const wanted = Object.entries(filter).flatMap(([name, text]) => (text.trim() === "" ? [] : [[name, text.trim()] as const]));
  const asked = {
    limit: PAGE,
    previews: true,
    ...(Object.fromEntries(wanted) as { status?: Status; part?: string; tag?: string; q?: string }),
  };
  const hasUnread = exported === null && filter.status !== "archived";
  const unread = useAnswer("threads", hasUnread ? { ...asked, unread: true, limit: MOST_UNREAD } : null);
  const newest = useAnswer("threads", asked);
  const list = JSON.stringify([asked, hasNotices, commitFor("threads")]);
  const page = newest.data === undefined ? undefined : { rows: newest.data.threads, cursor: newest.data.cursor };
  const listed = usePages<Brief>(list, page, idOf, async (cursor) => {
    const { data } = await read("threads", { ...asked, cursor });
    return data === undefined ? undefined : { rows: data.threads, cursor: data.cursor };
  });
  // What is unread comes first, however old it is.
  const found = [...new Map([...(unread.data?.threads ?? []), ...listed.rows].map((thread) => [thread.id, thread])).values()];
  const isNotice = ({ last, unread }: Brief): boolean => last?.notice === true && unread === 0;
  const notices = found.filter(isNotice).length;
  const of = found.filter((thread) => hasNotices || !isNotice(thread));
  const rows = [...of.filter(({ unread }) => unread > 0), ...of.filter(({ unread }) => unread === 0)];
  const isRead =
    box.current !== null && (box.current.scrollTop > 0 || box.current.querySelector(".window:is(:hover, :focus-within)") !== null);
  const { rows: all, waiting, release } = useHeld(rows, { list, isHeld: isRead, isCut: listed.hasMore, keyOf: idOf });
  const tags = [...new Set(all.flatMap((thread) => thread.tags ?? []))].sort();
  const from = Math.max(0, Math.floor(seen.top / ROW) - MARGIN);
  const shown = all.slice(from, from + Math.ceil(seen.height / ROW) + 2 * MARGIN);
  const isNearEnd = seen.top + seen.height + MARGIN * ROW > all.length * ROW;
  // A page with fewer rows looked at as many threads as one question may.
  const isCut = listed.hasMore && listed.came < PAGE;
  useEffect(() => {
    if (isNearEnd && listed.hasMore && !isCut) listed.more();
  }, [isNearEnd, listed.hasMore, isCut, listed.rows.length, list]);
  const isKnown = !hasUnread || unread.data !== undefined;
  useEffect(() => first((isKnown && all[0]?.id) || ""), [isKnown, all[0]?.id]);
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
        <Pick
          label="Status"
          any="Any status"
          value={filter.status}
          choices={STATUSES}
          pick={(status) => setFilter({ ...filter, status })}
        />
        <Pick
          label="Part"
          any="Any part"
          value={filter.part}
          choices={(roster.data?.parts ?? []).map(({ part }) => part)}
          pick={(part) => setFilter({ ...filter, part })}
        />
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
      {notices > 0 && (
        <Button kind="quiet" aria-pressed={hasNotices} run={() => setNotices(!hasNotices)}>
          {hasNotices ? "Hide" : "Show"} {notices} {notices === 1 ? "thread" : "threads"} of notices
        </Button>
      )}
      <Refused why={newest.failure?.error} />
      {newest.data !== undefined && all.length === 0 && (
        <Empty icon="threads" title={wanted.length > 0 ? `No thread matches${isCut ? " so far" : ""}` : "Nobody has written yet"}>
          {wanted.length === 0 && <WriteLink words="Write the first message" />}
        </Empty>
      )}
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
          Older threads were not searched yet. <Button run={listed.more}>Search on</Button>
        </p>
      )}
    </section>
  );
}

function Row({ thread, isChosen }: { thread: Brief; isChosen: boolean }) {
  const { id, subject, participants, unread, last, tags = [] } = thread;
  const writers = writersIn(id, participants);
  const said = beside(subject, last?.preview ?? "");
  return (
    <RowLink kind="part" to={addressOf("threads", id)} isChosen={isChosen}>
      <span>
        {unread > 0 && (
          <span class="unread dotp">
            <span class="vh">unread</span>
          </span>
        )}
      </span>
      <span class="grow">
        <span class={unread > 0 ? "who cut block" : "cut block"}>{plain(subject)}</span>
        <span class="row sm t2">
          {writers.length > 0 ? (
            <span class="cut ok">{writers.join(", ")} writing…</span>
          ) : (
            <span class="cut">{said === "" ? participants.join(", ") : `${last?.from}: ${said}`}</span>
          )}
          <StatusChip status={thread.archived === true ? "archived" : thread.status} />
          {tags.slice(0, 2).map((tag) => (
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
    </RowLink>
  );
}
