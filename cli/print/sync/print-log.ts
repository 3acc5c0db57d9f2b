/** Prints for people: the records of a home. */
import type { Printer } from "../style.ts";
import { table } from "../table.ts";
import { plainLine } from "../words.ts";

/** The commits of a home, newest first, with what each holds. */
export const printLog: Printer<"log"> = ({ entries, cursor }, style, input) => {
  const [newest] = entries;
  if (newest === undefined) {
    if (input["machine"] === true) return "Nobody has allowed anything on this machine.";
    const isFiltered = ["part", "threadId", "task_id", "memory"].some((name) => input[name] !== undefined);
    return isFiltered ? "No commit touched that." : "Nothing was recorded yet.";
  }
  const rows = entries.map(({ commit, at, by, subject }) => [
    { text: commit.slice(0, 10), paint: style.yellow },
    at.slice(0, 16).replace("T", " "),
    plainLine(by),
    plainLine(subject),
  ]);
  const more = cursor === null ? [] : [style.dim(`more: --cursor ${cursor}`)];
  if (input["machine"] === true) return [table(rows, style), ...more].join("\n");
  return [table(rows, style), ...more, style.dim(`the home as of a commit: relay threads --at ${newest.commit.slice(0, 10)}`)].join("\n");
};
