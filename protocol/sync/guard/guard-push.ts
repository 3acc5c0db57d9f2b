/**
 * Guards this clone's files against a push: files that the push deleted or changed are restored by one commit on top of
 * it, the same on every clone that had the same. spec/git.md, "Guard".
 */

import { besideOf } from "../../core/noun/merge-tree.ts";
import type { Listed } from "../../core/tree/layout.ts";
import { historyOf } from "../../git/git-history.ts";
import { listTreeAtOnce } from "../../git/git-list.ts";
import type { Repository } from "../../git/git-run.ts";
import { sameAuthorship } from "../../git/home/authorship.ts";
import { commitFiles, storedOutcomes } from "../../git/home/commit-files.ts";
import type { Witness } from "../../trust/files/note-origins.ts";
import type { Guarded } from "../nouns/guard.ts";
import type { BlobId, Tree } from "../nouns/merge.ts";
import { changed, guardedTree, needsWholeTrees, whatStands, withoutChanges } from "./guarded-tree.ts";

/** What was brought back, for whoever is told. */
export interface BroughtBack {
  /** The commit that brought it back. */
  commit: string;
  /** The commits that took it away or changed it: at most `BLAMED`. */
  by: string[];
  /** How many files were deleted, and how many changed. */
  deleted: number;
  changed: number;
  /** The first of their paths. */
  paths: string[];
}

/** What came, with what it lacks. */
export interface Incoming {
  /** What came, or the commit on top of it. */
  commit: string;
  broughtBack: BroughtBack | null;
  /** Files written once that have another content than here, and are as the branch has them. */
  contested: string[];
}

/** The last commit of which this clone knows that it lost nothing; it is never sent. */
export const GUARDED = "refs/relay/guarded";
/** Commits and paths that are named. */
const BLAMED = 5;
const NAMED = 10;

/** What is guarded, and against what. */
interface Guarding {
  /** The last commit that this clone has of what came; null where it has none, so that there is nothing to guard. */
  base: string | null;
  /** What came. */
  theirs: string;
  /** Whether a branch may have a file at all; what may not be there is left out of the commit that brings something back. */
  isWelcome: (file: Listed) => boolean;
  /** What this machine saw of the files. */
  witness: Witness;
}

/** Guards a commit that came. @throws Refusal `git_failed` */
export async function guardIncoming(repository: Repository, { base, theirs, isWelcome, witness }: Guarding): Promise<Incoming> {
  if (base === null) return { commit: theirs, broughtBack: null, contested: [] };
  const [before, now] = await changed(repository, base, theirs, isWelcome);
  const { stands, contested } = await whatStands(repository, { base, theirs, witness }, [before, now]);
  const partial = await guardedTree(repository, before, now, stands);
  // Of most pushes what changed is all there is to read; what seems lost may be said in a file that did not change.
  if (partial.outcomes.size === 0 && !needsWholeTrees(before, now)) return { commit: theirs, broughtBack: null, contested };
  const all = new Map<string, BlobId>();
  let isAllWelcome = true;
  for await (const listed of listTreeAtOnce(repository, theirs))
    for (const file of listed) {
      if (isWelcome(file)) all.set(file.path, file.id);
      else isAllWelcome = false;
    }
  const guarded = await guardedTree(repository, withoutChanges(all, before, now), all, stands);
  if (guarded.outcomes.size === 0) return { commit: theirs, broughtBack: null, contested };
  const told = {
    by: (await blamed(repository, [theirs, `^${base}`], guarded, all)).slice(0, BLAMED),
    deleted: guarded.back.length,
    changed: guarded.held.length,
    paths: [...guarded.back, ...guarded.held].slice(0, NAMED),
  };
  const commit = await repair(repository, { theirs, isWelcome, isAllWelcome }, guarded, told);
  return { commit, broughtBack: { commit, ...told }, contested };
}

/** The commits of a range that took files away or changed them, in git's order. */
async function blamed(repository: Repository, range: readonly string[], { back, held }: Guarded, now: Tree): Promise<string[]> {
  const asked = new Map([...back, ...held].map((path) => [besideOf(path), now.get(besideOf(path)) ?? null]));
  const by = new Map<string, string>();
  const order: string[] = [];
  for await (const events of historyOf(repository, range))
    for (const { commit, change } of events) {
      if (change === null) order.push(commit);
      else if (asked.get(change.path) === change.after && (change.after === null || !by.has(change.path))) by.set(change.path, commit);
    }
  const all = new Set(by.values());
  return order.filter((commit) => all.has(commit));
}

/** The commit on top of what came. Every clone that brings back the same makes the same one, so that they do not part by it. @throws Refusal `git_failed` */
export async function repair(
  repository: Repository,
  { theirs, isWelcome, isAllWelcome }: Pick<Guarding, "theirs" | "isWelcome"> & { isAllWelcome: boolean },
  { outcomes }: Guarded,
  told: Omit<BroughtBack, "commit">,
): Promise<string> {
  return commitFiles(repository, {
    ...{ on: theirs, isWanted: isWelcome, isAllWanted: isAllWelcome },
    files: await storedOutcomes(repository, outcomes),
    message: `${sentence(told)}\n`,
    env: await sameAuthorship(repository, theirs),
  });
}

/** The commit's message: `relay: bring back 214 files that 3f2a1b2c deleted, 2 that it changed`. */
function sentence({ by, deleted, changed }: Omit<BroughtBack, "commit">): string {
  const [first = "a push", ...others] = by.map((commit) => commit.slice(0, 12));
  const who = others.length === 0 ? first : `${first} and ${others.length} more`;
  const files = (count: number): string => `${count} ${count === 1 ? "file" : "files"}`;
  if (changed === 0) return `relay: bring back ${files(deleted)} that ${who} deleted`;
  if (deleted === 0) return `relay: bring back ${files(changed)} that ${who} changed`;
  return `relay: bring back ${files(deleted)} that ${who} deleted, ${changed} that it changed`;
}
