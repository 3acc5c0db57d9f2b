/** Says on every view that the page shows an earlier moment, and moves along the records. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { Key } from "../part/bits.tsx";
import { Icon } from "../part/icon.tsx";
import type { AnswerOf } from "../state/server.ts";
import { span } from "../state/time.ts";
import { useAnswer } from "../state/use-answer.ts";
import { moment, showMoment } from "./moment.ts";

/** A record as the log tells it. */
export type Entry = AnswerOf<"log">["entries"][number];

/** So many records are on the line, the newest ones; older ones are in the list of the view Record. */
export const ON_LINE = 200;
/** Who drags along the line passes many records: the page follows when the hand rests. */
const REST_MS = 60;

const whole = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const short = new Intl.DateTimeFormat(undefined, { dateStyle: "short", timeStyle: "short" });

/** The records on the line, the oldest first. */
export function useEntries(): { entries: Entry[]; failure: string | undefined } {
  const { data, failure } = useAnswer("log", { limit: ON_LINE });
  const entries = useMemo(() => [...(data?.entries ?? [])].reverse(), [data]);
  return { entries, failure: failure?.error };
}

export function TimeStrip() {
  const { entries } = useEntries();
  const now = moment.value;
  const place = entries.findIndex(({ commit }) => commit === now?.commit);
  const [dragged, setDragged] = useState<number | null>(null);
  useEffect(() => {
    if (dragged === null) return;
    const rest = setTimeout(() => {
      setDragged(null);
      const to = entries[dragged];
      if (to !== undefined) showMoment(to);
    }, REST_MS);
    return () => clearTimeout(rest);
  }, [dragged]);
  if (now === null) return null;
  const at = dragged ?? place;
  const entry = entries[at];
  const shown = entry ?? { ...now, subject: "", parts: [] };
  const step = (by: number): void => {
    const to = entries[place + by];
    if (to !== undefined) showMoment(to);
  };
  const words = `${whole.format(Date.parse(shown.at))}, commit ${shown.commit.slice(0, 7)}`;
  return (
    <section class="past" aria-label="The moment that is shown">
      <div class="row">
        <strong title={shown.at}>{whole.format(Date.parse(shown.at))}</strong>
        <span class="t2 cut">
          {span(Date.now() - Date.parse(shown.at))} ago · <code>{shown.commit.slice(0, 7)}</code> · {shown.subject.replace(/^relay: /, "")}
        </span>
        <span class="grow" />
        <button type="button" class="btn" data-key="ArrowLeft" disabled={place < 1} onClick={() => step(-1)}>
          Before
        </button>
        <button
          type="button"
          class="btn"
          data-key="ArrowRight"
          disabled={place === -1 || place === entries.length - 1}
          onClick={() => step(1)}
        >
          After
        </button>
        <button type="button" class="btn primary" data-key="Escape" onClick={() => showMoment(null)}>
          Back to live <Key>Esc</Key>
        </button>
      </div>
      {entries.length > 1 && (
        <div class="line-of-time">
          <span class="sm t2 nowrap">{short.format(Date.parse((entries[0] as Entry).at))}</span>
          <input
            type="range"
            min={0}
            max={entries.length - 1}
            value={Math.max(0, at)}
            aria-label="Moment"
            aria-valuetext={words}
            onInput={({ currentTarget: { value } }) => setDragged(Number(value))}
          />
          <span class="sm t2 nowrap">{short.format(Date.parse((entries.at(-1) as Entry).at))}</span>
        </div>
      )}
      <p class="sm">
        <Icon name="clock" small /> As of then, and read only. No commit has presence, wakes, marks of what was fetched, typing or running
        turns: here they are unknown.
      </p>
    </section>
  );
}
