/** Prints for people: a commit that was undone. */
import type { Printer } from "../style.ts";
import { plainLine } from "../words.ts";
import { listed } from "./print-record.ts";

/** What of a commit was taken back, and what stays and why. */
export const printUndo: Printer<"undo"> = ({ commit, undone, left }, style) =>
  [
    undone.length === 0
      ? `Nothing to undo: what ${commit.slice(0, 10)} did and can be undone is undone.`
      : `${style.green("Undid")} ${commit.slice(0, 10)}; \`relay sync\` pushes it:`,
    ...undone.map((line) => `  ${plainLine(line)}`),
    ...listed("not undone", left, style.yellow),
  ].join("\n");
