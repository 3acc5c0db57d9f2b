/** Prints for people: the size of a home and of its growth, and what Relay adds to a session. */
import type { Answer, Printer, Style } from "../style.ts";
import { table } from "../table.ts";
import { many } from "../words.ts";

/** Kinds of files whose names say too little. */
const KINDS: Record<string, string> = { delivery: "delivery (a second name of a message, of no size)", private: "this machine's own" };

/** How many files and bytes a home has, by kind, and how it grew by the day. */
export const printStats: Printer<"stats"> = ({ kinds, files, bytes, git, days, perDay, overhead }, style) => {
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
    ...(overhead === undefined ? [] : overheadLines(overhead, style)),
  ].join("\n");
};

/** What each set of tools puts into the context of a session, and what comes to it. */
function overheadLines(
  { tokenizer, served, lines, sessionStart, nudge }: NonNullable<Answer<"stats">["overhead"]>,
  style: Style,
): string[] {
  const rows = served.map(({ groups, by, tools, toolTokens, instructions }) => [
    { text: groups, paint: style.bold },
    by,
    `${toolTokens} for ${many(tools, "tool")}`,
    `${instructions} for instructions`,
  ]);
  return [
    `What Relay adds to an agent's session, in tokens (about: by ${tokenizer})`,
    table(rows, style),
    `And: ${lines} for the lines that setup writes, ${sessionStart} at a session's start, ${nudge} for a nudge with one message`,
  ];
}

/** Bytes as people say them. */
function inUnits(bytes: number): string {
  const units = ["B", "kB", "MB", "GB"];
  let [value, unit] = [bytes, 0];
  while (value >= 1_000 && unit < units.length - 1) [value, unit] = [value / 1_000, unit + 1];
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}
