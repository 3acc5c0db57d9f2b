/** Prints for people: a record, and of what a push took away and this clone brought back. */
import { inWords } from "../../../protocol/core/tree/record.ts";
import type { Answer, Printer, Style } from "../style.ts";
import { many, plainLine } from "../words.ts";

/** What a push took away or changed, and a commit brought back. */
export type BroughtBack = Answer<"sync">["broughtBack"][number];

/** What a push took away or changed, and this clone brought back. */
export function guardedLines({ commit, by, deleted, changed, paths }: BroughtBack, style: Style): string[] {
  const who = by.map((each) => each.slice(0, 10)).join(", ") || "a push";
  const what = [deleted > 0 ? `${many(deleted, "file")} deleted` : "", changed > 0 ? `${many(changed, "file")} changed` : ""];
  const more = deleted + changed - paths.length;
  return [
    style.yellow(`${what.filter((words) => words !== "").join(" and ")} by ${who}; restored by ${commit.slice(0, 10)}:`),
    ...paths.map((path) => `  ${plainLine(path)}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}

/** What a commit of the home holds, and what was restored. */
export const printRecord: Printer<"record"> = ({ commit, changes, parts, restored, broughtBack }, style) => {
  const who = parts.length === 0 ? "" : ` (${parts.join(", ")})`;
  const what = wordsFor(changes);
  const lines = [commit === null ? "Nothing new to record." : `${style.green("Recorded")} ${commit.slice(0, 10)}: ${what}${who}`];
  const back = broughtBack === null ? [] : guardedLines(broughtBack, style);
  return [...lines, ...listed("restored", restored, style.yellow), ...back].join("\n");
};

/** What happened to some paths; a long list is cut. */
export function listed(what: string, paths: string[], paint: (text: string) => string): string[] {
  const shown = paths.slice(0, 10).map((path) => paint(`${what === "" ? "" : `${what}: `}${plainLine(path)}`));
  return paths.length > shown.length ? [...shown, paint(`and ${paths.length - shown.length} more`)] : shown;
}

/** Counts of things in words. */
export const wordsFor = (counts: Record<string, number>): string => inWords(new Map(Object.entries(counts)));
