/**
 * Who a push says it is by, held against who a part's messages and tasks came from until then. Authors are words that whoever
 * pushes chooses: another one is worth a look, the same one proves nothing. spec/trust.md, "What a push did".
 */
import { quotedAuthor } from "../../core/format/hidden.ts";
import { placeOf } from "../../core/tree/layout.ts";
import { authorOf } from "../../core/tree/record.ts";
import { readAll } from "../../git/git-blobs.ts";
import type { Change } from "../../git/git-changes.ts";
import { authorsIn } from "../../git/git-history.ts";
import { gitText, type Repository } from "../../git/git-run.ts";
import { shortCommit } from "../../trust/nouns/origin.ts";

/** What a commit brought in the name of a part, in words. */
export interface InName {
  part: string;
  words: string;
}

/** So many records of the home are scanned for who a part's came from, so that it costs the same however long the history is. */
const RECORDS = 500;
/** Of a flood the first are scanned, and so many commits are told. */
const FILES = 500;
const TOLD = 20;
const FILE_BYTES = 393_216;

/**
 * The messages and tasks that came in the name of a part by an author by whom none of that part's came before.
 * @param range the record that was here before, and the one that came
 * @param commitOf the commit that brought a file
 * @throws Refusal `git_failed`
 */
export async function broughtInName(
  repository: Repository,
  range: { from: string; to: string },
  changes: readonly Change[],
  commitOf: ReadonlyMap<string, string>,
): Promise<InName[]> {
  const begun = changes.filter(isBegun).slice(0, FILES);
  if (begun.length === 0) return [];
  const [known, texts] = await Promise.all([
    authorsOfParts(repository, range.from),
    readAll(repository, [...new Set(begun.map(({ after }) => after as string))], FILE_BYTES),
  ]);
  const counted = new Map<string, { commit: string; part: string; messages: number; tasks: number }>();
  for (const { path, after } of begun) {
    const [part, commit] = [authorOf(path, texts.get(after as string)?.toString("utf8") ?? null, null), commitOf.get(path)];
    if (part === null || commit === undefined || !known.has(part)) continue;
    const one = counted.get(`${commit} ${part}`) ?? { commit, part, messages: 0, tasks: 0 };
    one[placeOf(path)?.kind === "task" ? "tasks" : "messages"] += 1;
    counted.set(`${commit} ${part}`, one);
  }
  const authors = counted.size === 0 ? new Map<string, string>() : await authorsIn(repository, range.from, range.to);
  return [...counted.values()]
    .flatMap(({ commit, part, messages, tasks }): InName[] => {
      const [author = "", usual] = [authors.get(commit), known.get(part) as Set<string>];
      if (usual.has(author)) return [];
      const what = [count(messages, "message"), count(tasks, "task")].filter((words) => words !== "").join(" and ");
      const words = `commit ${shortCommit(commit)} brought ${what} in the name of ${part}, and says it is by ${quotedAuthor(author)}; until now ${part}'s came from ${quotedAuthor([...usual][0] ?? "")}`;
      return [{ part, words }];
    })
    .slice(0, TOLD);
}

function isBegun({ path, before, after }: Change): boolean {
  const kind = before === null && after !== null ? placeOf(path)?.kind : undefined;
  return kind === "message" || kind === "task";
}

const count = (number: number, noun: string): string => (number === 0 ? "" : `${number} ${noun}${number === 1 ? "" : "s"}`);

/** By whom each part's records were until a commit, newest first: part → authors. */
async function authorsOfParts(repository: Repository, until: string): Promise<Map<string, Set<string>>> {
  const format = "--format=%an <%ae>%x00%(trailers:key=Relay-Part,valueonly,unfold,separator=%x01)";
  const args = ["log", "--no-merges", "--no-show-signature", "--encoding=UTF-8", `--max-count=${RECORDS}`, format, until, "--"];
  const known = new Map<string, Set<string>>();
  for (const line of (await gitText(repository, args)).split("\n")) {
    const [author = "", parts = ""] = line.split("\0");
    for (const part of parts.split("\u0001").filter((each) => each !== "")) known.set(part, (known.get(part) ?? new Set()).add(author));
  }
  return known;
}
