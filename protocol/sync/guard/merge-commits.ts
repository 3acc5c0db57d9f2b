/** Merges the records of another clone: trees by the rules of the merge, then one commit of both. spec/git.md, "Syncing". */

import type { Side } from "../../core/noun/merge-tree.ts";
import { isCarried } from "../../core/tree/layout.ts";
import { countThings, inWords, isPlainMode } from "../../core/tree/record.ts";
import { isAncestor, mergeBase } from "../../git/git-commits.ts";
import { diffTrees } from "../../git/git-history.ts";
import { emptyTree, listTree } from "../../git/git-list.ts";
import type { Repository } from "../../git/git-run.ts";
import { authorship } from "../../git/home/authorship.ts";
import { commitFiles, type FileInTree, storedOutcomes } from "../../git/home/commit-files.ts";
import { sha256 } from "../../store/digest.ts";
import type { Witness } from "../../trust/files/note-origins.ts";
import { planMerge } from "../nouns/merge.ts";
import { setStrangersApart } from "../nouns/merge-strangers.ts";
import { guardIncoming, type Incoming } from "./guard-push.ts";
import { runPlan } from "./run-jobs.ts";

/** What came for a clone that had nothing of it: all but what may not lie in a home. @throws Refusal `git_failed` */
export async function welcomed(repository: Repository, theirs: string, from: string): Promise<Merged> {
  const left = await attemptsIn(repository, await emptyTree(repository), theirs);
  return withoutAttempts(repository, { commit: theirs, broughtBack: null, contested: [], left }, theirs, from);
}

/** What came, but for what may not lie in a home: a commit on top of it, unless what was brought back was brought back without that. */
async function withoutAttempts(repository: Repository, merged: Merged, theirs: string, from: string): Promise<Merged> {
  if (merged.left.length === 0 || merged.commit !== theirs) return merged;
  const message = `relay: leave out ${merged.left.length} of ${from}\n`;
  const env = await authorship(repository);
  return { ...merged, commit: await commitFiles(repository, { on: theirs, isWanted: isCarried, message, env }) };
}

/** The files of a record, by path; links and repositories are none. */
async function filesOf(repository: Repository, commit: string | null): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  if (commit === null) return files;
  for await (const file of listTree(repository, commit)) if (isPlainMode(file.mode)) files.set(file.path, file.id);
  return files;
}

/** What a record brings that no branch of a home may have: links, repositories, names of git and of machines. */
async function attemptsIn(repository: Repository, from: string, to: string): Promise<string[]> {
  const changes = await diffTrees(repository, from, to);
  return changes.filter((change) => change.after !== null && !isCarried(change)).map(({ path }) => path);
}

/** A commit that contains both, and what of it is not as it came. */
export interface Merged extends Incoming {
  /** What may not lie in a home, and is left out. */
  left: string[];
}

/**
 * A commit that contains both; one of the two itself where it contains the other and lost nothing. Nothing is moved or checked out.
 * @param ours what this home is recorded at
 * @param theirs what the remote has
 * @param how `witness`: what this machine saw of the files; `published`: the side whose bytes stay of what is written once
 */
export async function mergeCommits(
  repository: Repository,
  ours: string,
  theirs: string,
  from: string,
  { witness, published = "theirs" }: { witness: Witness; published?: Side },
): Promise<Merged> {
  if (ours === theirs || (await isAncestor(repository, theirs, ours))) return { commit: ours, broughtBack: null, contested: [], left: [] };
  const base = await mergeBase(repository, ours, theirs);
  const incoming = await guardIncoming(repository, { base, theirs, isWelcome: isCarried, witness });
  const left = await attemptsIn(repository, base ?? (await emptyTree(repository)), theirs);
  if (base === ours) return withoutAttempts(repository, { ...incoming, left }, theirs, from);
  const [b, o, t] = [await filesOf(repository, base), await filesOf(repository, ours), await filesOf(repository, incoming.commit)];
  const strangers = setStrangersApart(b, o, t);
  const changes = [...(await outcomesOf(repository, b, o, t, published)), ...strangers];
  const counts = countThings(changes.map(({ path, id }) => ({ path, before: o.get(path) ?? null, after: id })));
  const message = `relay: sync with ${from}: ${inWords(counts)}\n`;
  const env = await authorship(repository);
  return { ...incoming, commit: await commitFiles(repository, { on: ours, and: incoming.commit, files: changes, message, env }), left };
}

/** What changes in our files. */
async function outcomesOf(
  repository: Repository,
  base: Map<string, string>,
  ours: Map<string, string>,
  theirs: Map<string, string>,
  published: Side,
): Promise<FileInTree[]> {
  const plan = planMerge(base, ours, theirs, published, sha256);
  const outcomes = await runPlan(repository, plan, [base, ours, theirs]);
  return (await storedOutcomes(repository, outcomes)).filter(({ path, id }) => id !== (ours.get(path) ?? null));
}
