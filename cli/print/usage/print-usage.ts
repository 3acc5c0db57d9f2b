/** Prints for people: what agents' calls of models took. */
import { highestIn } from "../../../protocol/core/tree/series.ts";
import { type Answer, columns, type Printer, type Style } from "../style.ts";
import { table } from "../table.ts";
import { many, plainLine } from "../words.ts";

type Sum = Answer<"usage">["total"];

/** Number of rows printed for people: the last ones, of the newest days and sessions. */
const ROWS = 1_000;
const MODELS = 20;
const COLUMNS = ["calls", "input", "cached", "written", "output", "usd"] as const;

/** A row for each group, the sum of all, and what is not in it. */
export const printUsage: Printer<"usage"> = ({ by, rows, total, unpriced, broken }, style, input) => {
  if (input["csv"] === true) return csv(by, rows, total);
  const none = by === "model" ? "(no model)" : "(unknown)";
  const more = Math.max(0, rows.length - ROWS);
  const shown = [...rows.slice(more).map((sum) => ({ sum, key: sum.key === "" ? none : plainLine(sum.key) })), { sum: total, key: "all" }];
  const models = unpriced.slice(0, MODELS).map((model) => plainLine(model) || "(no model)");
  const others = unpriced.length > MODELS ? ` and ${many(unpriced.length - MODELS, "more model")}` : "";
  const notes = [
    ...(more === 0 ? [] : [`Above these are ${many(more, "more row")}: --json and --csv print all.`]),
    ...(total.subscriptionUsd === 0
      ? []
      : [`Of these dollars a subscription paid for ${amount(total.subscriptionUsd)}: they are what its calls would have cost.`]),
    ...(total.unknown === 0 ? [] : [`Dollars are without ${many(total.unknown, "call")} whose tokens or price are not known.`]),
    ...(unpriced.length === 0 ? [] : [`No price is known of: ${models.join(", ")}${others}.`]),
    ...broken.map(({ path, line: row, problem }) => `${path}:${row}: ${problem}`),
  ];
  const asked = input["part"] !== undefined || input["since"] !== undefined;
  const nothing = asked ? "No such calls are recorded." : "No calls are recorded. `relay usage collect` reads the agents' own records.";
  return [...(total.calls === 0 ? [style.dim(nothing)] : sums(by, shown, style)), ...notes.map((note) => style.yellow(note))].join("\n");
};

/** How many records were read, how many calls they had, and which could not be read. */
export const printUsageCollect: Printer<"usage_collect"> = ({ records, calls, skipped }, style) =>
  [
    `${style.green("Read")} ${many(records, "record")}: ${many(calls, "new call")}.`,
    ...skipped.map(({ agent, file }) => style.yellow(`The record ${plainLine(file)} of ${agent} cannot be read.`)),
  ].join("\n");

/** Calls, and what they cost, on one line. */
export const usageWords = ({ calls, usd, unknown }: Pick<Sum, "calls" | "usd" | "unknown">): string =>
  `${many(calls, "call")} of models, $${usd.toFixed(2)}${unknown === 0 ? "" : ` and ${many(unknown, "call")} of unknown cost`}`;

/** The lines of the table: with whole numbers, with short ones where it is wider than the terminal, and then each key on a line of its own. */
function sums(by: string, shown: readonly { sum: Sum; key: string }[], style: Style): string[] {
  const grid = (say: (value: number) => string): string[][] =>
    aligned([HEAD, ...shown.map(({ sum }) => [...COLUMNS.slice(0, -1).map((field) => say(sum[field])), dollars(sum)])]);
  const keys = [by, ...shown.map(({ key }) => key)];
  const widest = highestIn(keys.map(columns));
  const isFit = ([head = []]: string[][]): boolean => widest + 2 + head.join("  ").length <= style.width;
  const whole = grid((value) => value.toLocaleString("en-US"));
  const numbers = isFit(whole) ? whole : grid(shortNumber);
  const rows = numbers.map((row, at) => ({
    key: keys[at] as string,
    row: row.map((text) => (at === 0 ? { text, paint: style.dim } : text)),
  }));
  const painted = (key: string, at: number) => (at === 0 ? { text: key, paint: style.dim } : key);
  if (isFit(numbers))
    return [
      table(
        rows.map(({ key, row }, at) => [painted(key, at), ...row]),
        style,
      ),
    ];
  return rows.flatMap(({ key, row }, at) => [at === 0 ? style.dim(key) : key, `  ${table([row], style)}`]);
}

const HEAD = ["calls", "input", "cached", "written", "output", "dollars"];
/** Each column as wide as its widest cell, its numbers below each other. */
function aligned(rows: readonly string[][]): string[][] {
  const widths = HEAD.map((_, at) => highestIn(rows.map((row) => (row[at] ?? "").length)));
  return rows.map((row) => row.map((text, at) => text.padStart(widths[at] as number)));
}

/** A number in at most five characters: 12K, 3.4M. */
const shortNumber = (value: number): string =>
  new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 }).format(value);
/** Dollars; what is less than a cent is not nothing. */
const amount = (usd: number): string => (usd > 0 && usd < 0.01 ? "<0.01" : usd.toFixed(2));
const isUnpriced = ({ unknown, calls }: Sum): boolean => unknown === calls && calls > 0;
const dollars = (sum: Sum): string => (isUnpriced(sum) ? "unknown" : `${amount(sum.usd)}${sum.unknown > 0 ? " +?" : ""}`);

function csv(by: string, rows: readonly Sum[], total: Sum): string {
  const fields = ["calls", "input", "cached", "written", "written1h", "output", "reasoning", "usd", "subscriptionUsd", "unknown"] as const;
  // What nobody knows is an empty cell, and never 0.
  const said = (sum: Sum, field: (typeof fields)[number]): string =>
    isUnpriced(sum) && (field === "usd" || field === "subscriptionUsd") ? "" : String(sum[field]);
  const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const line = (sum: Sum, key: string): string => [quoted(key), ...fields.map((field) => said(sum, field))].join(",");
  return [[by, ...fields].join(","), ...rows.map((sum) => line(sum, sum.key)), line(total, "all")].join("\n");
}
