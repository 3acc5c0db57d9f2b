/** Merging files that nobody joins: one stays, by a rule that does not know the sides, the other is kept beside. spec/git.md, "Merge". */
import { parseFrontmatter } from "../format/frontmatter.ts";
import { locateMessage, parseMessage } from "../message/message.ts";
import { joinedLines } from "../noun/merge-fields.ts";
import { byPublication, type Conflict, type Job, keepBoth, ordered, outcomeOf, type Reader, type Sides } from "../noun/merge-tree.ts";
import { guardClass } from "../tree/guard-class.ts";
import { locateInInbox } from "./merge-absent.ts";

/** Files that are written once and say when: where two differ, the earlier one stays. The key holds the time. */
const ONCE: readonly [path: RegExp, key: string][] = [
  [/^sessions\/[^/]+\/session\.md$/, "started_at"],
  [/^sessions\/[^/]+\/ended(-\d+)?\.md$/, "ended_at"],
  [/^sessions\/[^/]+\/reopened(-\d+)?\.md$/, "reopened_at"],
  [/^sessions\/[^/]+\/reviews\/review-[^/]+\.md$/, "at"],
  [/^sessions\/[^/]+\/claims\/[^/]+\/[^/]+\.md$/, "at"],
  [/^inbox\/.+\/guest\.md$/, "joined_at"],
];

/** A file of which one side's content stays: of what is written once, that of the side that was published. */
export function fileJob(sides: Sides, conflict: Conflict): Job {
  const { path, ours, theirs } = conflict;
  const first = guardClass(path) === "once" ? byPublication(sides, conflict) : null;
  if (first !== null) return { needs: [], run: () => keepBoth(path, ...first) };
  const rank = rankOf(path);
  if (rank === null) return { needs: [], run: () => keepBoth(path, ...ordered(ours, theirs)) };
  return {
    needs: [ours, theirs],
    run(read) {
      const [one, other] = ordered(ours, theirs);
      return rank(read, one) <= rank(read, other) ? keepBoth(path, one, other) : keepBoth(path, other, one);
    },
  };
}

/** What orders the contents of a path, the smallest first: those that can be read before those that cannot. Null: their ids alone. */
function rankOf(path: string): ((read: Reader, id: string) => string) | null {
  const message = locateMessage(path) ?? locateInInbox(path)?.key ?? null;
  const once = ONCE.find(([rule]) => rule.test(path));
  if (message === null && once === undefined) return null;
  return (read, id) => {
    try {
      const source = read(id) ?? "";
      if (message !== null) return `0 ${parseMessage(source, message, null).id}`;
      const value = parseFrontmatter(source).header[once?.[1] ?? ""];
      return typeof value === "string" && !Number.isNaN(Date.parse(value)) ? `0 ${value}` : "1";
    } catch {
      return "1";
    }
  };
}

/** A file of lines that is only added to. */
export function linesJob(conflict: Conflict): Job {
  const { path, ours, theirs } = conflict;
  return {
    needs: [ours, theirs],
    run(read) {
      const texts = [read(ours), read(theirs)];
      const [one, other] = texts;
      if (typeof one !== "string" || typeof other !== "string") return keepBoth(path, ...ordered(ours, theirs));
      const lines = joinedLines(linesOf(one), linesOf(other), timeOf);
      const sides = [
        { id: ours, text: one },
        { id: theirs, text: other },
      ];
      return new Map([[path, outcomeOf(lines.map((line) => `${line}\n`).join(""), sides)]]);
    },
  };
}

const linesOf = (text: string): string[] => text.split("\n").filter((line) => line !== "");
const timeOf = (line: string): string => /"at":"([^"]*)"/.exec(line)?.[1] ?? "";
