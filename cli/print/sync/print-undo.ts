/** Prints for people: a commit that was undone. */
import type { Printer } from "../style.ts";
import { plainLine } from "../words.ts";
import { listed } from "./print-record.ts";

/** So many lines say what would be undone. */
const SHOWN = 20;

/** What of a commit was taken back, or would be, and what stays and why. */
export const printUndo: Printer<"undo"> = ({ commit, undone, left, did }, style) => {
  const short = commit.slice(0, 10);
  if (did !== undefined) {
    const more = did.length > SHOWN ? [`  and ${did.length - SHOWN} more`] : [];
    const all = did.slice(0, SHOWN).map((line) => `  ${plainLine(line)}`);
    const first =
      did.length === 0 ? `Nothing of commit ${short} can be undone.` : `Commit ${short} did this; what nobody changed since is undone:`;
    return [first, ...all, ...more, ...listed("not undone", left, style.yellow)].join("\n");
  }
  if (undone.length === 0)
    return [`Nothing to undo: what ${short} did and can be undone is undone.`, ...listed("not undone", left, style.yellow)].join("\n");
  return [
    `${style.green("Undid")} ${short}; \`relay sync\` pushes it:`,
    ...undone.map((line) => `  ${plainLine(line)}`),
    ...listed("not undone", left, style.yellow),
    style.dim(
      `To look at the earlier texts: --at ${short} of any reading command. To take this back: relay record, then relay undo its commit`,
    ),
  ].join("\n");
};
