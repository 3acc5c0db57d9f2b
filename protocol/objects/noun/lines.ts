/** Files of lines that only grow: how two are merged, and which lines a push may not delete. spec/git.md, "Merge". */
import { joinedLines, withLines } from "./merge-fields.ts";
import type { Edits, Merge } from "./noun.ts";

const linesOf = (text: string): string[] => text.split("\n").filter((line) => line !== "");
const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");

/** Two files of lines as one. @param timeOf what orders the lines */
export const unionOfLines = (timeOf: (line: string) => string): Merge<unknown> => ({
  by: "text",
  join: (_base, ours, theirs) => ({ text: textOf(joinedLines(linesOf(ours.text), linesOf(theirs.text), timeOf)), isWhole: true }),
});

/** A file that may not lose a line. */
export const addedOnly = (timeOf: (line: string) => string): Edits<unknown> => ({
  joined(before, now) {
    const lines = withLines(linesOf(before), linesOf(now), timeOf);
    return lines === null ? null : textOf(lines);
  },
});
