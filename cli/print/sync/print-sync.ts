/** Prints for people: a sync. */
import { quotedAuthor } from "../../../protocol/core/format/hidden.ts";
import type { Answer, Printer, Style } from "../style.ts";
import { many, plainLine, short } from "../words.ts";
import { type BroughtBack, guardedLines, listed, wordsFor } from "./print-record.ts";

/** The commits that came and who made them, for a person who wants to look at one or take it back. */
function commitLine({ commits, commitCount, authors }: { commits: string[]; commitCount: number; authors: string[] }): string[] {
  const more = commitCount > commits.length ? ` and ${commitCount - commits.length} more` : "";
  const who = authors.length === 0 ? "" : `, by ${authors.map(quotedAuthor).join(", ")}`;
  const what = commits.length === 1 ? "commit" : "commits";
  return commits.length === 0 ? [] : [`  in ${what} ${commits.map((commit) => commit.slice(0, 8)).join(", ")}${more}${who}`];
}

/** The mail that came, a line each: who wrote to whom, about what. */
function mailLines({ mail, messages }: Answer<"sync">["arrived"]): string[] {
  const lines = mail.map(
    ({ from, to, subject, threadId }) =>
      `  ${plainLine(from)} to ${to.map(plainLine).join(", ")}: ${plainLine(subject)} (relay show ${short(threadId)})`,
  );
  return messages > mail.length ? [...lines, `  and ${many(messages - mail.length, "more message")}`] : lines;
}

/** The command that takes back what a push did to somebody here. */
const undoLine = ({ toUndo }: { toUndo: string[] }, style: Style): string[] =>
  toUndo.length === 0 ? [] : [style.dim(`  To undo a commit: ${undoing(toUndo.map((commit) => commit.slice(0, 8)))}`)];

/** What to type after a push that did harm: how to see all of it, and how to be rid of what else it did. */
function harmLines(
  brought: BroughtBack[],
  { commits, commitCount }: { commits: string[]; commitCount: number },
  odd: boolean,
  style: Style,
): string[] {
  const blamed = brought.flatMap(({ by }) => by);
  const came = odd && commitCount <= UNDONE ? commits : [];
  const all = [...new Set([...blamed, ...came].map((commit) => commit.slice(0, 8)))];
  if (all.length === 0) return [];
  return [
    style.yellow("If nobody you know did that:"),
    `  ${looking(all)}  ${style.dim("shows what came")}`,
    `  ${undoing(all)} && relay sync  ${style.dim("undoes everything else that it did, and removes its unknown files")}`,
    style.dim("  and protect the branch at its host: everybody who can push can write in any name"),
  ];
}

const undoing = (commits: readonly string[]): string =>
  commits.length > UNDONE ? "relay undo COMMIT, for each" : commits.map((commit) => `relay undo ${commit}`).join(" && ");

const looking = (commits: readonly string[]): string => `git -C .relay show --stat ${commits.slice(0, UNDONE).join(" ")}`;

/** So many commits are named in a line that can be pasted. */
const UNDONE = 3;

/** A file that lies beside another, in place of which it does not count. */
const KEPT = /\.kept-[0-9a-f]{12}$/;

/** What came and what was sent, what a push did here, and what needs a person. */
export const printSync: Printer<"sync"> = (
  { remote, branch, commit, arrived, sent, restored, broughtBack, contested, contestedCount, problems },
  style,
) => {
  const isHarm = broughtBack.length > 0;
  const nothing = isHarm ? "nothing came that counts" : "nothing new came";
  const came = Object.keys(arrived.changes).length === 0 ? nothing : `${wordsFor(arrived.changes)} came`;
  const went = sent ? `${isHarm ? "the repair was" : "your commits were"} pushed` : "nothing to push";
  return [
    `${style.green("Synced")} with ${plainLine(remote)} (branch ${branch}, ${commit.slice(0, 10)}): ${came}; ${went}`,
    ...mailLines(arrived),
    ...commitLine(arrived),
    ...listed("", arrived.did, (line) => `  ${line}`),
    ...listed(
      "kept beside the file that counts, which Relay does not read",
      arrived.gaveWay.filter((path: string) => KEPT.test(path)),
      style.yellow,
    ),
    ...listed(
      "changed on both sides",
      arrived.gaveWay.filter((path: string) => !KEPT.test(path)),
      style.yellow,
    ),
    ...(isHarm ? [] : undoLine(arrived, style)),
    ...listed("restored", restored, style.yellow),
    ...broughtBack.flatMap((each) => guardedLines(each, style)),
    ...listed("contested, as the branch has it", contested, style.yellow),
    ...(contestedCount > contested.length ? [style.yellow(`  and ${contestedCount - contested.length} more contested`)] : []),
    ...harmLines(broughtBack, arrived, problems !== undefined, style),
  ].join("\n");
};
