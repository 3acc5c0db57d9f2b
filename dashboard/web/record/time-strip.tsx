/** Says on every view that the page shows an earlier moment, and moves along the records. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Key, Refused } from "../part/bits.tsx";
import { Icon } from "../part/icon.tsx";
import { route } from "../state/route.ts";
import { type AnswerOf, read } from "../state/server.ts";
import { span } from "../state/time.ts";
import { useAnswer } from "../state/use-answer.ts";
import { knowRecords, type Moment, moment, newestRecords, showMoment } from "./moment.ts";

/** A record as the log tells it. */
export type Entry = AnswerOf<"log">["entries"][number];

/** So many records are on the line, the newest ones; older ones are in the list of the view Record. */
export const ON_LINE = 200;
/** Who drags along the line passes many records: the page follows when the hand rests. */
const REST_MS = 60;

/** A list that is known is asked for again after so long. */
const LATER_MS = 1_000;

const whole = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const short = new Intl.DateTimeFormat(undefined, { dateStyle: "short", timeStyle: "short" });

/** The record that is shown, as the log tells it: an older one than those on the line is looked for. */
function useShown(now: Moment, onLine: readonly Entry[], cursor: string | null | undefined): { entry: Entry | undefined; why?: string } {
  const [found, setFound] = useState<Entry | undefined>(undefined);
  const [why, setWhy] = useState<string | undefined>(undefined);
  const entry = onLine.find(({ commit }) => commit === now.commit) ?? (found?.commit === now.commit ? found : undefined);
  const isSought = entry === undefined && cursor !== undefined;
  useEffect(() => {
    setWhy(undefined);
    if (!isSought) return;
    let isOver = false;
    const seek = async (): Promise<void> => {
      let next = cursor;
      while (next !== null && !isOver) {
        const { data, failure } = await read("log", { limit: ON_LINE, cursor: next });
        if (isOver) return;
        if (failure !== undefined) return setWhy(failure.error);
        const here = data.entries.find(({ commit }) => commit === now.commit);
        knowRecords(here === undefined ? [] : [here]);
        if (here !== undefined) return setFound(here);
        next = data.cursor;
      }
      if (!isOver) setWhy(`No commit of this home is ${now.commit.slice(0, 40)}. Choose one in Record, or go back to live.`);
    };
    void seek();
    return () => {
      isOver = true;
    };
  }, [now.commit, isSought]);
  return why === undefined ? { entry } : { entry, why };
}

export function TimeStrip() {
  // The view Record asks for the same list, and what it was told last is on the line at once: the moment itself is asked for first.
  const [isDue, setDue] = useState(newestRecords.value === undefined);
  useEffect(() => {
    const later = setTimeout(() => setDue(true), LATER_MS);
    return () => clearTimeout(later);
  }, []);
  const { data } = useAnswer("log", isDue && route.value.view !== "record" ? { limit: ON_LINE } : null);
  useEffect(() => {
    if (data !== undefined) newestRecords.value = data;
  }, [data]);
  const log = newestRecords.value;
  const entries = useMemo(() => [...(log?.entries ?? [])].reverse(), [log]);
  useEffect(() => knowRecords(entries), [entries]);
  const now = moment.value ?? { commit: "", at: null };
  const place = entries.findIndex(({ commit }) => commit === now.commit);
  const [dragged, setDragged] = useState<number | null>(null);
  // One drag is one step, however often the hand rests.
  const isDragging = useRef(false);
  useEffect(() => {
    if (dragged === null) return;
    const rest = setTimeout(() => {
      setDragged(null);
      const to = entries[dragged];
      if (to !== undefined && to.commit !== now.commit) showMoment(to.commit, isDragging.current);
      isDragging.current = true;
    }, REST_MS);
    return () => clearTimeout(rest);
  }, [dragged]);
  const { entry, why } = useShown(now, entries, log?.cursor);
  const shown = (dragged === null ? undefined : entries[dragged]) ?? entry;
  const step = (by: number): void => {
    const to = entries[place + by];
    if (to !== undefined) showMoment(to.commit);
  };
  const time = shown === undefined ? "An earlier moment" : whole.format(Date.parse(shown.at));
  return (
    <section class="past" aria-label="The moment that is shown">
      <div class="row">
        <Icon name="clock" small />
        <strong title={shown?.at}>{time}</strong>
        <span class="t2 cut">
          {shown !== undefined && `${span(Date.now() - Date.parse(shown.at))} ago · `}
          <code>{(shown ?? now).commit.slice(0, 7)}</code>
          {shown !== undefined && ` · ${shown.subject.replace(/^relay: /, "")}`}
        </span>
        <span class="grow" />
        <button type="button" class="btn" data-key="ArrowLeft" disabled={place < 1} onClick={() => step(-1)}>
          <Key>←</Key> Before
        </button>
        <button
          type="button"
          class="btn"
          data-key="ArrowRight"
          disabled={place === -1 || place === entries.length - 1}
          onClick={() => step(1)}
        >
          After <Key>→</Key>
        </button>
        <button type="button" class="btn primary" onClick={() => showMoment(null)}>
          Back to live <Key>Esc</Key>
        </button>
      </div>
      <Refused why={why} />
      {entries.length > 1 && (
        <div class="line-of-time">
          <span class="sm t2 nowrap">{short.format(Date.parse((entries[0] as Entry).at))}</span>
          <input
            type="range"
            min={0}
            max={entries.length - 1}
            value={Math.max(0, dragged ?? place)}
            aria-label="Moment"
            aria-valuetext={`${time}, commit ${(shown ?? now).commit.slice(0, 7)}`}
            onInput={({ currentTarget: { value } }) => setDragged(Number(value))}
            onChange={() => (isDragging.current = false)}
          />
          <span class="sm t2 nowrap">{short.format(Date.parse((entries.at(-1) as Entry).at))}</span>
        </div>
      )}
      <p class="sm">
        The home as it was then, read only. Commits do not hold presence, wakes, fetched marks, typing or running turns: they are unknown
        here.
      </p>
    </section>
  );
}
