/** What agents cost: by day, part, session, task or model; a chart, and a table with the same numbers. */
import { useState } from "preact/hooks";
import { Command, Empty, Refused } from "../../part/bits.tsx";
import { Icon } from "../../part/icon.tsx";
import { Pick } from "../../part/pick.tsx";
import { Segments } from "../../part/segments.tsx";
import { exported } from "../../record/exported.ts";
import { moment } from "../../record/moment.ts";
import { asDollars, inFull, inShort } from "../../state/numbers.ts";
import type { AnswerOf } from "../../state/server.ts";
import { shortDay, wholeDay } from "../../state/time.ts";
import { useAnswer } from "../../state/use-answer.ts";
import { type Bar, Columns, Rows } from "./chart.tsx";
import { dayKey, everyDay } from "./every-day.ts";

type Answer = AnswerOf<"usage">;
type Sum = Answer["total"];
const GROUPS = { day: "Day", part: "Part", session: "Session", task: "Task", model: "Model" };
type Group = keyof typeof GROUPS;

const DAY_MS = 86_400_000;
const PERIODS = [
  ["7", "7 days"],
  ["30", "30 days"],
  ["90", "90 days"],
  ["", "All time"],
] as const;
/** So many rows a table has at the most; the rest is told by its number. */
const ROWS = 200;

/** The first day of a period, in the reader's zone. @param lastMs its last instant: now, or the moment that the page shows */
function sinceOf(days: string, lastMs: number): string | undefined {
  return days === "" ? undefined : dayKey(new Date(lastMs - (Number(days) - 1) * DAY_MS));
}

/** The whole input of calls: what was new, what came from a cache, and what was written to one. */
const inputOf = ({ input, cached, written }: Sum): number => input + cached + written;
const costOf = ({ usd, unknown, calls }: Sum): string =>
  calls > 0 && unknown === calls ? "unknown" : `${asDollars(usd)}${unknown > 0 ? " + ?" : ""}`;

export function Usage() {
  const [by, setBy] = useState<Group>("day");
  // A page that was exported has the sums of all time.
  const isLive = exported === null;
  const [days, setDays] = useState(isLive ? "30" : "");
  const [part, setPart] = useState("");
  const [measure, setMeasure] = useState<"cost" | "tokens">("cost");
  const roster = useAnswer("roster", {});
  // When an earlier moment was is known a little later than which one it is.
  const isKnown = moment.value === null || moment.value.at !== null || days === "";
  const lastMs = Date.parse(moment.value?.at ?? exported?.at ?? "") || Date.now();
  const since = isKnown ? sinceOf(days, lastMs) : undefined;
  const asked = { by, ...(since === undefined ? {} : { since }), ...(part === "" ? {} : { part }) };
  const { data, failure } = useAnswer("usage", isKnown ? asked : null);
  return (
    <section class="pane" aria-label="Usage">
      <div class="bar">
        <Segments<Group> label="A row for each" value={by} choices={GROUPS} pick={setBy} />
        {isLive && (
          <>
            <Pick label="Period" value={days} choices={PERIODS} pick={setDays} />
            <Pick label="Part" any="Every part" value={part} choices={(roster.data?.parts ?? []).map((each) => each.part)} pick={setPart} />
          </>
        )}
        <span class="grow" />
        <Segments label="The chart shows" value={measure} choices={{ cost: "Cost", tokens: "Tokens" }} pick={setMeasure} />
      </div>
      <Refused why={failure?.error ?? data?.warning} />
      {data !== undefined &&
        (data.total.calls === 0 ? (
          <Nothing />
        ) : (
          <Shown data={data} by={by} measure={measure} daysOf={(keys) => everyDay(keys, since, new Date(lastMs))} />
        ))}
    </section>
  );
}

const Nothing = () => (
  <Empty icon="usage" title="No model call was counted in this period">
    <p class="t2">Choose a longer period; or read what agents left on this machine:</p>
    <Command text="relay usage collect" />
  </Empty>
);

interface ShownProps {
  data: Answer;
  by: Group;
  measure: "cost" | "tokens";
  /** The days of the chart. @param keys those with calls */
  daysOf: (keys: readonly string[]) => string[];
}

function Shown({ data, by, measure, daysOf }: ShownProps) {
  const { total, unpriced, broken } = data;
  const rows = by === "day" ? data.rows : [...data.rows].sort((a, b) => b.usd - a.usd || inputOf(b) - inputOf(a));
  const words = GROUPS[by];
  const sizeOf = (sum: Sum): number => (measure === "cost" ? sum.usd : inputOf(sum) + sum.output);
  const wordsOf = (n: number): string => (measure === "cost" ? asDollars(n) : inShort(n));
  const labelOf = (key: string): string => (by === "day" ? shortDay(key) : key === "" ? "not said" : key);
  const bars: Bar[] = (by === "day" ? withEmptyDays(rows, daysOf) : rows).map((sum) => ({
    key: sum.key,
    label: labelOf(sum.key),
    value: sizeOf(sum),
    words: measure === "cost" ? costOf(sum) : wordsOf(sizeOf(sum)),
  }));
  const sentence = `${measure === "cost" ? "Cost" : "Tokens"} by ${words.toLowerCase()}; the table below has the same numbers`;
  return (
    <>
      <div class="stats">
        <Stat words="Cost" value={costOf(total)} note={costNote(total)} />
        <Stat words="Tokens in" value={inShort(inputOf(total))} note={`${share(total.cached, inputOf(total))} from a cache`} />
        <Stat words="Tokens out" value={inShort(total.output)} note={`${share(total.reasoning, total.output)} reasoning`} />
        <Stat words="Calls" value={inFull(total.calls)} note="each counted once" />
      </div>
      <figure class="chart">
        <figcaption>
          <h2>
            {measure === "cost" ? "Cost" : "Tokens"} by {words.toLowerCase()}
          </h2>
        </figcaption>
        {by === "day" ? <Columns sentence={sentence} bars={bars} wordsOf={wordsOf} /> : <Rows sentence={sentence} bars={bars} />}
      </figure>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it. */}
      <section class="scrollx" tabIndex={0} aria-label={`Usage by ${words.toLowerCase()}`}>
        <table class="tbl">
          <thead>
            <tr>
              <th scope="col">{words}</th>
              {["Calls", "In", "From a cache", "Out", "Tokens", "Cost"].map((each) => (
                <th key={each} scope="col" class={["Calls", "From a cache", "Tokens"].includes(each) ? "num opt" : "num"}>
                  {each}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {(by === "day" ? [...rows].reverse() : rows).slice(0, ROWS).map((sum) => (
              <SumRow key={sum.key} sum={sum} label={by === "day" ? wholeDay(sum.key) : labelOf(sum.key)} />
            ))}
          </tbody>
          <tfoot>
            <SumRow sum={total} label="All" />
          </tfoot>
        </table>
      </section>
      {rows.length > ROWS && <p class="hint t3">{inFull(rows.length - ROWS)} more rows: relay usage</p>}
      {unpriced.length > 0 && (
        <p class="hint sm t2">
          No price is known for {unpriced.map((each) => (each === "" ? "calls that name no model" : each)).join(", ")}.
        </p>
      )}
      {broken.map(({ path, line, problem }) => (
        <p class="hint sm warn row" key={`${path}:${line}`}>
          <Icon name="broken" small />
          <span>
            <code>
              {path}:{line}
            </code>{" "}
            {problem}
          </span>
        </p>
      ))}
    </>
  );
}

/** What has to be known of a sum of dollars. */
const costNote = ({ unknown, subscriptionUsd }: Sum): string =>
  [
    ...(subscriptionUsd > 0 ? [`${asDollars(subscriptionUsd)} of it under a subscription`] : []),
    ...(unknown > 0 ? [`${inFull(unknown)} calls without a price`] : []),
  ].join(", ") || "at list prices";

const share = (piece: number, whole: number): string => (whole === 0 ? "0%" : `${Math.round((100 * piece) / whole)}%`);

const Stat = ({ words, value, note }: { words: string; value: string; note: string }) => (
  <div>
    <span class="sm t3">{words}</span>
    <b>{value}</b>
    <span class="sm t2">{note}</span>
  </div>
);

const SumRow = ({ sum, label }: { sum: Sum; label: string }) => (
  <tr>
    <th scope="row" class="cut" title={label}>
      {label}
    </th>
    <td class="num opt">{inFull(sum.calls)}</td>
    <td class="num">{inFull(inputOf(sum))}</td>
    <td class="num t2 opt">{inFull(sum.cached)}</td>
    <td class="num">{inFull(sum.output)}</td>
    <td class="num opt">{inFull(inputOf(sum) + sum.output)}</td>
    <td class={sum.unknown > 0 ? "num warn" : "num"}>{costOf(sum)}</td>
  </tr>
);

/** A sum for each day of the chart, also for those on which nothing was called. */
function withEmptyDays(rows: readonly Sum[], daysOf: ShownProps["daysOf"]): Sum[] {
  const known = new Map(rows.map((row) => [row.key, row]));
  const none = { calls: 0, input: 0, cached: 0, written: 0, output: 0, usd: 0, unknown: 0 };
  return daysOf(rows.map(({ key }) => key)).map((key) => known.get(key) ?? { ...(rows[0] as Sum), ...none, key });
}
