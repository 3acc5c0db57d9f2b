/** The commits of the home as a timeline, and what changed: by the chosen one, and since. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Button, Command, Empty, NotInFile, Refused } from "../part/bits.tsx";
import { DiffView } from "../part/diff-view.tsx";
import { Fresh } from "../part/fresh.tsx";
import { Segments } from "../part/segments.tsx";
import { type AnswerOf, read } from "../state/server.ts";
import { useAnswer } from "../state/use-answer.ts";
import { useHeld } from "../state/use-held.ts";
import { usePages } from "../state/use-pages.ts";
import { CommitRow, showChosen } from "./commit-row.tsx";
import { between, Compare } from "./compare.tsx";
import { exported } from "./exported.ts";
import { PAGE, useAround } from "./line.ts";
import { commitOf, type Entry, knowRecords, moment, newestRecords, recordOf } from "./moment.ts";

type Diff = AnswerOf<"diff">;

export function Record() {
  const newest = useAnswer("log", { limit: PAGE });
  const page = newest.data === undefined ? undefined : { rows: newest.data.entries, cursor: newest.data.cursor };
  const listed = usePages<Entry>("log", page, commitOf, async (cursor) => {
    const { data } = await read("log", { limit: PAGE, cursor });
    return data === undefined ? undefined : { rows: data.entries, cursor: data.cursor };
  });
  const isOutside = /git init/.test(newest.failure?.error ?? "");
  const list = useRef<HTMLUListElement>(null);
  // A row never moves under a hand.
  const isHeld = list.current !== null && (list.current.matches(":hover, :focus-within") || list.current.parentElement?.scrollTop !== 0);
  const { rows: all, waiting, release } = useHeld(listed.rows, { list: "log", isHeld, isCut: listed.hasMore, keyOf: commitOf });
  const shown = moment.value?.commit ?? "";
  const chosen = recordOf(shown);
  // A list that does not come as far as the moment shows those around it.
  const around = useAround(shown, all);
  useEffect(() => showChosen(list.current?.parentElement), [shown, around.length === 0]);
  const [isSides, setSides] = useState(false);
  useEffect(() => knowRecords(all), [newest.data, all.length]);
  useEffect(() => {
    if (newest.data !== undefined) newestRecords.value = newest.data;
  }, [newest.data]);
  const shape = (
    <Segments
      label="Changes are shown"
      value={isSides ? "sides" : "inline"}
      choices={{ inline: "Inline", sides: "Side by side" }}
      pick={(value) => setSides(value === "sides")}
    />
  );
  const row = (entry: Entry) => (
    <li key={entry.commit}>
      <CommitRow entry={entry} isChosen={entry.commit === chosen?.commit} />
    </li>
  );
  return (
    <div class="split record">
      <section class="pane list" aria-label="Commits of the home">
        <div class="sec">
          <h2>Commits</h2>
          <span class="grow" />
          {moment.value === null && exported === null && all.length > 0 && <span class="sm t3">Choose one to see the page as of then</span>}
        </div>
        <Refused why={isOutside ? undefined : newest.failure?.error} />
        {(isOutside || newest.data !== undefined) && all.length === 0 && (
          <Empty icon="clock" title="Nothing was committed yet">
            {isOutside && <p class="t2">Relay keeps the past in git, and this project is in no repository yet:</p>}
            <Command text={isOutside ? "git init && relay init" : "relay record"} />
          </Empty>
        )}
        <Fresh
          waiting={waiting}
          show={() => {
            release();
            list.current?.parentElement?.scrollTo({ top: 0 });
            newest.again();
          }}
        />
        <ul ref={list}>{all.map(row)}</ul>
        {listed.hasMore && (
          <p class="pad">
            <Button run={listed.more}>Older ones</Button>
          </p>
        )}
        {around.length > 0 && (
          <>
            <div class="sec gap">
              <h2>Around the chosen one</h2>
            </div>
            <ul>{around.map(row)}</ul>
          </>
        )}
      </section>
      {exported !== null ? (
        <NotInFile what="The changes of a commit" command="relay diff COMMIT" />
      ) : chosen === undefined ? (
        <p class="pane hint t3">What a commit changed, and what changed since, is shown here.</p>
      ) : (
        <section class="pane" aria-label="What changed" key={chosen.commit}>
          {chosen.parent === null ? (
            <p class="pad sm t3">It is the first commit: all that it holds was new.</p>
          ) : (
            <Changes title="What it changed" from={chosen.parent} to={chosen.commit} isSides={isSides}>
              {shape}
            </Changes>
          )}
          <Compared entries={[...all, ...around]} chosen={chosen.commit} isSides={isSides}>
            {chosen.parent === null && shape}
          </Compared>
        </section>
      )}
    </div>
  );
}

interface ComparedProps {
  entries: readonly Entry[];
  chosen: string;
  isSides: boolean;
  children: ComponentChildren;
}

/** What changed between the chosen commit and another moment. */
function Compared({ entries, chosen, isSides, children }: ComparedProps) {
  const [other, setOther] = useState("");
  const { from, to } = between(entries, chosen, other);
  return (
    <Changes
      title="What changed between it and"
      moment={<Compare entries={entries} chosen={chosen} other={to === undefined ? "" : other} pick={setOther} />}
      from={from}
      {...(to === undefined ? {} : { to })}
      isSides={isSides}
    >
      {children}
    </Changes>
  );
}

/** A word for so many: those that the operation gives are nouns of Relay. */
const inWords = (count: number, word: string): string =>
  `${count} ${count === 1 ? word : word.endsWith("y") ? `${word.slice(0, -1)}ies` : `${word}${word.endsWith("h") ? "es" : "s"}`}`;

interface ChangesProps {
  title: string;
  /** The moment that ends the title. */
  moment?: ComponentChildren;
  from: string;
  to?: string;
  isSides: boolean;
  children: ComponentChildren;
}

function Changes({ title, moment: other, from, to, isSides, children }: ChangesProps) {
  const { data, failure } = useAnswer("diff", { from, limit: 200, ...(to === undefined ? {} : { to }) });
  const sums = (
    [
      ["added", "Added"],
      ["changed", "Changed"],
      ["removed", "Removed"],
    ] as const
  ).flatMap(([change, words]) => {
    const some = [...(data?.counts ?? [])].reverse().flatMap((each) => (each[change] === 0 ? [] : [inWords(each[change], each.word)]));
    return some.length === 0 ? [] : [`${words} ${some.join(", ")}`];
  });
  return (
    <>
      <div class="sec gap">
        <h2>{title}</h2>
        {other}
        <span class="grow" />
        {children}
      </div>
      <Refused why={failure?.error} />
      {data !== undefined && <p class="hint sm t2">{sums.length === 0 ? "Nothing." : `${sums.join(". ")}.`}</p>}
      <ul>
        {data?.things.map((thing) => (
          <Thing key={`${thing.word} ${thing.name}`} thing={thing} from={data.from} to={data.to} isSides={isSides} />
        ))}
      </ul>
      {data?.whole === false && (
        <p class="pad sm t3">There is more than is listed. {to === undefined && "Choose a later commit to see the rest."}</p>
      )}
    </>
  );
}

/** A name without the folders and endings that its word says, and without the beginning of a long id. */
const shortly = (name: string): string =>
  name
    .replace(/^(sessions|memory|usage|dispatches)\//, "")
    .replace("/claims/", "/")
    .replace(/\.(md|jsonl)$/, "")
    .replace(/[\w-]{24,}/g, (id) => `…${id.slice(-8)}`);
const MARKS = { added: "+", changed: "~", removed: "−" };

interface ThingProps {
  thing: Diff["things"][number];
  from: string;
  to: string;
  isSides: boolean;
}

function Thing({ thing: { word, name, title, path, change }, from, to, isSides }: ThingProps) {
  const [isOpen, setOpen] = useState(false);
  const { data, failure } = useAnswer("diff", isOpen ? { from, to, path } : null);
  const isText = data !== undefined && (data.before ?? data.after) != null;
  return (
    <li>
      <button type="button" class="part two bare" data-row aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span class="cut" title={title === undefined ? name : `${title} (${name})`}>
          <span class="num">{MARKS[change]}</span> <span class="vh">{change}</span>{" "}
          {word === "ack" ? shortly(name) : `${word} ${title ?? shortly(name)}`}
          {title !== undefined && <span class="sm t3"> {shortly(name)}</span>}
        </span>
      </button>
      <Refused why={failure?.error} />
      {isOpen && data !== undefined && !isText && <p class="hint t3">It has no text.</p>}
      {isOpen && isText && <DiffView before={data.before ?? ""} after={data.after ?? ""} sides={isSides} />}
    </li>
  );
}
