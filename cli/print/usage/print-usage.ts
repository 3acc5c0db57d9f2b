/** Prints for people: what agents' calls of models took. */
import type { Answer, Printer } from "../style.ts";
import { table } from "../table.ts";
import { many, plainLine } from "../words.ts";

type Sum = Answer<"usage">["total"];

const COLUMNS = ["calls", "input", "cached", "written", "output", "usd"] as const;

/** A row for each group, the sum of all, and what is not in it. */
export const printUsage: Printer<"usage"> = ({ by, rows, total, unpriced, broken }, style, input) => {
  if (input["csv"] === true) return csv(by, rows, total);
  if (total.calls === 0) return style.dim("No calls are recorded. `relay usage collect` reads the agents' own records.");
  const line = (sum: Sum, key: string): string[] => [
    key,
    number(sum.calls),
    ...COLUMNS.slice(1, -1).map((field) => number(sum[field])),
    dollars(sum),
  ];
  const head = [by, "calls", "input", "cached", "written", "output", "dollars"];
  const shown = [...rows.map((sum) => line(sum, sum.key === "" ? "(unknown)" : plainLine(sum.key))), line(total, "all")];
  const notes = [
    ...(total.subscriptionUsd === 0
      ? []
      : [`Of these dollars a subscription paid for ${total.subscriptionUsd.toFixed(2)}: they are what its calls would have cost.`]),
    ...(total.unknown === 0 ? [] : [`Dollars are without ${many(total.unknown, "call")} whose tokens or price are not known.`]),
    ...(unpriced.length === 0 ? [] : [`No price is known of: ${unpriced.map((model) => plainLine(model) || "(no model)").join(", ")}.`]),
    ...broken.map(({ path, line: row, problem }) => `${path}:${row}: ${problem}`),
  ];
  return [table([head.map((text) => ({ text, paint: style.dim })), ...shown], style), ...notes.map((note) => style.yellow(note))].join(
    "\n",
  );
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

const number = (value: number): string => value.toLocaleString("en-US");
const dollars = ({ usd, unknown, calls }: Sum): string =>
  unknown === calls && calls > 0 ? "unknown" : `${usd.toFixed(2)}${unknown > 0 ? " +?" : ""}`;

function csv(by: string, rows: readonly Sum[], total: Sum): string {
  const fields = ["calls", "input", "cached", "written", "written1h", "output", "reasoning", "usd", "subscriptionUsd", "unknown"] as const;
  const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const line = (sum: Sum, key: string): string => [quoted(key), ...fields.map((field) => String(sum[field]))].join(",");
  return [[by, ...fields].join(","), ...rows.map((sum) => line(sum, sum.key)), line(total, "all")].join("\n");
}
