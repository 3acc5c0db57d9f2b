/** Prints for people: a commit that was undone. */
import type { Printer } from "../style.ts";
import { plainLine } from "../words.ts";
import { listed } from "./print-record.ts";

export const printUndo: Printer<"undo"> = ({ commit, undone, left }, style) =>
  [
    undone.length === 0
      ? `Nothing of ${commit.slice(0, 10)} is left to undo.`
      : `${style.green("Undid")} ${commit.slice(0, 10)}; \`relay sync\` pushes it:`,
    ...undone.map((line) => `  ${plainLine(line)}`),
    ...listed("stays", left, style.yellow),
  ].join("\n");
