/** Prints for people: the size of a home and of its growth. */
import type { Printer } from "../style.ts";
import { table } from "../table.ts";
import { many } from "../words.ts";

/** Kinds of files whose names say too little. */
const KINDS: Record<string, string> = { delivery: "delivery (a second name of a message, of no size)", private: "this machine's own" };

/** How many files and bytes a home has, by kind, and how it grew by the day. */
export const printStats: Printer<"stats"> = ({ kinds, files, bytes, git, days, perDay }, style) => {
  const rows = kinds.map(({ kind, files: count, bytes: size }) => [
    { text: KINDS[kind] ?? kind, paint: style.bold },
    String(count),
    inUnits(size),
  ]);
  const record = git === null ? [] : [`Recorded: ${inUnits(git.bytes)} in git, ${many(git.commits, "commit")}, ${git.loose} loose objects`];
  const grown = days.map(({ day, messages, bytes: size }) => [day, many(messages, "message"), inUnits(size)]);
  return [
    table(rows, style),
    `In all: ${many(files, "file")}, ${inUnits(bytes)}`,
    ...record,
    ...(grown.length === 0 ? [] : [table(grown, style)]),
    `Growth: ${many(perDay.messages, "message")} and ${inUnits(perDay.bytes)} a day`,
  ].join("\n");
};

/** Bytes as people say them. */
function inUnits(bytes: number): string {
  const units = ["B", "kB", "MB", "GB"];
  let [value, unit] = [bytes, 0];
  while (value >= 1_000 && unit < units.length - 1) [value, unit] = [value / 1_000, unit + 1];
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}
