/** Results in whatever the home holds. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { At, Chip, Empty, Origin, Refused, RowLink } from "../part/bits.tsx";
import { beside, plain } from "../part/plain.ts";
import { Segments } from "../part/segments.tsx";
import { moment } from "../record/moment.ts";
import { addressOf, goTo, route, routeNow } from "../state/route.ts";
import type { AnswerOf } from "../state/server.ts";
import { useAnswer } from "../state/use-answer.ts";
import { OF_POSITION } from "./office.tsx";

type Hit = AnswerOf<"search">["hits"][number];
type Kind = Hit["kind"] | "all";
const KINDS: Readonly<Record<Kind, string>> = {
  ...{ all: "All", message: "Messages", task: "Tasks", artifact: "Artifacts", review: "Reviews", memory: "Memory" },
  ...{ summary: "Summaries", dispatch: "Office", position: "Positions", part: "Parts" },
};
const SHOWN = 50;
/** A person who types has not finished the word. */
const TYPING_MS = 150;

export function SearchView() {
  const query = route.value.chosen;
  const words = query.trim();
  const [kind, setKind] = useState<Kind>("all");
  const asked = { query: words, limit: SHOWN, ...(kind === "all" ? {} : { kind }) };
  const { data, failure } = useAnswer("search", words === "" ? null : asked);
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => field.current?.focus(), []);
  const timer = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);
  const type = (text: string): void => {
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => {
      // Whoever left meanwhile is not brought back. The address is replaced, so that going back does not go letter by letter.
      if (routeNow().view === "search") goTo(addressOf("search", text), true);
    }, TYPING_MS);
  };
  return (
    <section class="pane" aria-label="Search">
      <div class="sec tall">
        <input
          id="search-field"
          ref={field}
          class="line"
          type="search"
          aria-label="Search the home"
          placeholder="Messages, tasks, artifacts, memory, office"
          defaultValue={query}
          onInput={(event) => type(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" && event.key !== "ArrowDown") return;
            event.preventDefault();
            document.querySelector<HTMLElement>(".hit")?.focus();
          }}
        />
        {data !== undefined && <span class="t3 nowrap">{foundIn(data)}</span>}
      </div>
      {words !== "" && (
        <div class="bar scrollx">
          <Segments label="Kind" value={kind} choices={KINDS} pick={setKind} />
        </div>
      )}
      <Refused why={failure?.error} />
      <Refused why={data?.warning} />
      {data !== undefined && data.hits.length === 0 && (
        <Empty icon="search" title={`Nothing found for “${words}”`}>
          <p class="t2">
            Nothing {kind === "all" ? "" : `of this kind `}in {moment.value === null ? "this home" : "the home of that moment"} has all of
            these words. Try fewer of them{kind !== "all" && ", or all kinds"}.
          </p>
        </Empty>
      )}
      <ul>
        {(data?.hits ?? []).map((hit) => (
          <li key={`${hit.messageId ?? hit.review_id ?? ""} ${hit.kind} ${placeOf(hit)}`}>
            <RowLink kind="item hit" to={placeOf(hit)}>
              <Chip>{hit.kind === "dispatch" ? "office" : hit.kind}</Chip>
              <span class="main">
                <span class="subj cut block">
                  <Marked text={plain(hit.subject)} query={words} />
                </span>
                <span class="t3 cut block">
                  <Marked text={beside(hit.subject, hit.snippet)} query={words} />
                </span>
              </span>
              <span class="end row">
                <Origin origin={hit.origin} />
                <span class="sm t3">{[hit.from ?? [], hit.matches === undefined ? [] : `${hit.matches} messages`].flat().join(", ")}</span>
                <At at={hit.at} />
              </span>
            </RowLink>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** How much was found. Messages of one thread share a row, so the rows are counted too. */
function foundIn({ hits, total }: AnswerOf<"search">): string {
  const rows = `${hits.length} ${hits.length === 1 ? "row" : "rows"}`;
  if (total === null) return `${rows} shown`;
  return total === hits.length ? `${total} found` : `${total} found, ${rows} shown`;
}

/** Where each kind is shown: a view, and what is chosen in it. */
const PLACES: Readonly<Record<Hit["kind"], (hit: Hit) => readonly [view: string, chosen?: string | undefined]>> = {
  message: ({ threadId }) => ["threads", threadId],
  task: ({ task_id: task }) => ["board", task],
  summary: ({ session_id: session }) => ["memory", `session ${session}`],
  artifact: ({ session_id: session, subject }) => ["artifacts", `${session} ${subject}`],
  review: ({ session_id: session, subject }) => ["artifacts", `${session} ${subject}`],
  memory: ({ part }) => ["memory", part === undefined ? "" : `part ${part}`],
  dispatch: ({ threadId }) => ["office", threadId],
  position: ({ part }) => ["office", `${OF_POSITION}${part}`],
  part: ({ part }) => ["now", part],
};
const placeOf = (hit: Hit): string => addressOf(...PLACES[hit.kind](hit));

/** A text in which the words of a search are marked. @param query words with blanks between, or in double quotes what belongs together; case is ignored, as the search ignores it */
function Marked({ text, query }: { text: string; query: string }) {
  const words = (query.match(/"[^"]+"|[^\s"]+/g) ?? []).map((word) => word.replaceAll('"', "").replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  // Every second piece is one that fits.
  const pieces = words.length === 0 ? [text] : text.split(new RegExp(`(${words.join("|")})`, "iu"));
  return <>{pieces.map((piece, at) => (at % 2 === 1 ? <mark key={at}>{piece}</mark> : piece))}</>;
}
