/** Prints for people: what changed between two records of a home. */
import type { Printer } from "../style.ts";
import { table } from "../table.ts";
import { plainLine } from "../words.ts";

const MARKS = { added: "+", changed: "~", removed: "-" };

/** How many things of each kind came, changed and went, and then each by its name. */
export const printDiff: Printer<"diff"> = ({ from, to, counts, things, whole }, style) => {
  if (counts.length === 0) return `Nothing changed between ${from.slice(0, 10)} and ${to.slice(0, 10)}.`;
  const sums = counts.map(({ word, added, changed, removed }) => [word, `+${added}`, `~${changed}`, `-${removed}`]);
  const rows = things.map(({ word, name, title, change }) => [
    { text: MARKS[change], paint: change === "removed" ? style.red : style.green },
    word,
    plainLine(title === undefined ? name : `${name} ${title}`),
  ]);
  const more = whole ? [] : [style.dim("There is more: --limit, or a later commit to begin with.")];
  return [table(sums, style), "", table(rows, style), ...more].join("\n");
};
