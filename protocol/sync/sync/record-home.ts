/**
 * Recording: a commit of what changed in the home, whoever changed it. What is missing though nobody said so goes back to
 * where it was. Two recorders at once are safe: the branch is moved by compare-and-set. spec/git.md, "Recording".
 */

import { append } from "../../core/format/append.ts";
import { cloneName } from "../../core/home/feed.ts";
import { type FileFault, refuse } from "../../core/refusal.ts";
import { mostBytesAt } from "../../core/tree/broken.ts";
import { isCarried } from "../../core/tree/layout.ts";
import { countThings, guardClass, recordMessage } from "../../core/tree/record.ts";
import type { World } from "../../core/world.ts";
import { sizesOf } from "../../git/git-blobs.ts";
import type { Change } from "../../git/git-changes.ts";
import { commitTree, resolveCommit } from "../../git/git-commits.ts";
import { carryInIndex, dropIndex, keepIndex, openIndex, setInIndex, stagedChanges, writeTree } from "../../git/git-index.ts";
import { clearLeftovers } from "../../git/git-leftovers.ts";
import { emptyTree } from "../../git/git-list.ts";
import { looseRef, moveRef, tidy } from "../../git/git-move-ref.ts";
import type { Repository } from "../../git/git-run.ts";
import { authorship } from "../../git/home/authorship.ts";
import { branchRef, findRepository, pin } from "../../git/home/repository.ts";
import { whileAsking } from "../../git/objects/object-process.ts";
import { sortAllRead } from "../../mail/files/members.ts";
import { locateInInbox } from "../../mail/nouns/in-inbox.ts";
import { forgottenHere } from "../../removal/files/forget-message.ts";
import { holdLock } from "../../store/lock.ts";
import { witnessOf } from "../../trust/files/note-origins.ts";
import { type BroughtBack, GUARDED, guardIncoming } from "../guard/guard-push.ts";
import { brokenAmong } from "../guard/guarded-tree.ts";
import { keptPath } from "../nouns/merge.ts";
import { recordSubject } from "../nouns/record-subject.ts";
import { applyMerge, finishApplying } from "./apply-merge.ts";
import { behindLinks } from "./linked-folders.ts";
import { asMissing, earlierTexts, lostOf, toldOf } from "./lost-files.ts";
import { problemsOf, sorted, spoiledFiles, withoutModes } from "./recordable.ts";
import { stageHome } from "./stage-home.ts";
import { writeIncoming } from "./write-incoming.ts";

/** What a record came to. */
export interface Recorded {
  /** The commit; null when nothing had changed. */
  commit: string | null;
  /** How many of what it holds. */
  counts: Map<string, number>;
  who: string[];
  /** Files that were missing, and are back. */
  restored: string[];
  /** What is there and is not recorded. */
  problems: FileFault[];
  /** What commits that Relay did not make took away or changed, and is back; null when nothing is. */
  broughtBack: BroughtBack | null;
}

const NOTHING: Recorded = { commit: null, counts: new Map(), who: [], restored: [], problems: [], broughtBack: null };
/** Held while the branch is about to be moved: by a record and by a merge. */
const GIT_LOCK = "git";
const ROUNDS = 8;
/** The message of the first record of a home. */
const FIRST = "make the home\n";

/** Records the home; null where it has no repository of its own. @throws Refusal `git_failed`, `busy` */
export async function recordHome(world: World): Promise<Recorded | null> {
  const repository = findRepository(world);
  return repository === null ? null : whileAsking(repository, () => whileRecording(world, () => recordIn(world, repository)));
}

/** Runs a step that reads and moves the home's branch, while no other does. */
export const whileRecording = <T>(world: World, step: () => Promise<T>): Promise<T> => holdLock(world.home().store, GIT_LOCK, step);

/** Records the home; the caller holds the lock. @param came as of `stageHome` */
export async function recordIn(world: World, repository: Repository, came: readonly string[] = []): Promise<Recorded> {
  await pin(repository);
  clearLeftovers(repository);
  await finishApplying(world, repository);
  sortAllRead(world);
  const broughtBack = await guardHead(world, repository);
  for (let round = 0; round < ROUNDS; round += 1) {
    const index = openIndex(repository);
    try {
      const recorded = await attempt(world, repository, index, came);
      if (recorded !== null) return { ...recorded, broughtBack };
    } finally {
      dropIndex(index);
    }
  }
  throw refuse("busy", { path: branchRef(repository) });
}

/** Brings back what commits made by hand lost, as for what comes from a remote. */
async function guardHead(world: World, repository: Repository): Promise<BroughtBack | null> {
  const ref = branchRef(repository);
  const tip = looseRef(repository, ref);
  if (tip !== null && tip === looseRef(repository, GUARDED)) return null;
  const head = await resolveCommit(repository, ref);
  const guarded = await resolveCommit(repository, GUARDED);
  if (head === null || head === guarded) return null;
  // A home that was recorded before this rule begins with what it has.
  const incoming =
    guarded === null
      ? null
      : await guardIncoming(repository, { base: guarded, theirs: head, isWelcome: isCarried, witness: witnessOf(world) });
  if (incoming !== null && incoming.commit !== head) await applyMerge(world, repository, head, incoming.commit, true);
  await moveRef(repository, GUARDED, incoming?.commit ?? head, undefined, "relay: guard");
  return incoming?.broughtBack ?? null;
}

/** @returns null when somebody moved the branch meanwhile */
async function attempt(world: World, repository: Repository, index: string, came: readonly string[]): Promise<Recorded | null> {
  const ref = branchRef(repository);
  const before = looseRef(repository, ref) ?? (await resolveCommit(repository, ref));
  const look = await stageHome(world, repository, index, came);
  const head = await resolveCommit(repository, ref);
  // The index may lack what a hand committed while the home was looked at, and a record would take that back.
  if (head !== before) return null;
  if (head !== null && look.sameAs === head) return NOTHING;
  const { faults, left: untaken } = look;
  const isSame = head !== null && look.indexed === head;
  const staged = isSame ? [] : await stagedChanges(repository, index, head ?? (await emptyTree(repository)));
  const { keep: plain, leave, carried, problems: outside } = sorted(staged);
  const problems = [...outside, ...problemsOf(faults, untaken)];
  // A message that a person took out here stays in the branch.
  const isForgotten = forgottenHere(world);
  const hidden = plain.filter(({ path, after }) => after === null && isForgotten(path));
  append(leave, hidden);
  const spoiled = spoiledFiles(world, plain);
  append(leave, spoiled.leave);
  append(problems, spoiled.problems);
  const left = new Set([...hidden, ...spoiled.leave]);
  const { keep, modes } = withoutModes(plain.filter((change) => !left.has(change)));
  const lost = await lostOf(world, repository, keep);
  const { missing, behind, faults: linked } = behindLinks(world.home().store, lost);
  // A mode alone that a push changed goes back to that of an ordinary file, and nobody edited that.
  const edited = await forbidden(
    repository,
    keep.filter(({ path, before, after }) => before !== null && after !== null && before !== after && isWrittenOnce(path)),
  );
  // What was written once stays; what a hand made of it lies beside. A name in an inbox is its message once more.
  const beside = edited
    .filter(({ path }) => locateInInbox(path) === null)
    .map(({ path, after, mode }) => ({ path: keptPath(path, after as string), before: null, after, mode }));
  await setInIndex(repository, index, [
    ...[...leave, ...lost, ...edited].map(({ path, before }) => ({ path, id: before })),
    ...beside.map(({ path, after }) => ({ path, id: after })),
    ...modes,
  ]);
  await carryInIndex(repository, index, carried);
  const gone = new Set([...lost, ...edited].map(({ path }) => path));
  const leftOut = new Set<string>();
  if (gone.size > 0) {
    const { skipped, later } = await writeIncoming(world, repository, [
      ...missing.map(asMissing),
      ...beside,
      ...edited.map(({ path, before, after, mode }) => ({ path, before: after, after: before, mode })),
    ]);
    append(problems, skipped);
    for (const path of [...skipped.map((fault) => fault.path), ...later]) leftOut.add(path);
  }
  for (const { path } of behind) leftOut.add(path);
  const restored = [...gone].filter((path) => !leftOut.has(path));
  const changes = [...keep.filter(({ path }) => !gone.has(path)), ...beside];
  // A link is named with what it keeps away, and not as a stranger, too.
  const isLinked = new Set(linked.map(({ path }) => path));
  const shown = [...problems.filter(({ path }) => !isLinked.has(path)), ...linked];
  const loud = [...[...shown, ...leave].map(({ path }) => path), ...untaken, ...gone, ...leftOut];
  if (changes.length === 0) {
    if (head !== null) look.keep(head, loud);
    keepIndex(repository, index);
    return { ...NOTHING, restored, problems: shown };
  }
  const counts = countThings(changes);
  const told = toldOf(world, changes, await earlierTexts(repository, changes));
  const who = [...new Set(told.flatMap(({ author }) => author ?? []))].sort();
  const message = head === null ? FIRST : recordMessage(recordSubject(told, counts), who, cloneName(world));
  const tree = await writeTree(repository, index, changes.length);
  const commit = await commitTree(repository, { tree, parents: head === null ? [] : [head], message, env: await authorship(repository) });
  // Not where a hand committed meanwhile: the next record examines that.
  if (!(await moveRef(repository, ref, commit, head, "relay: record", GUARDED))) return null;
  look.keep(commit, loud);
  keepIndex(repository, index);
  await tidy(repository);
  return { commit, counts, who, restored, problems: shown, broughtBack: null };
}

/**
 * Those of some changes that are taken back. One that is too large never was here, so that nobody edited it; and what is broken gives its
 * place to a text that is not.
 */
async function forbidden(repository: Repository, changes: readonly Change[]): Promise<Change[]> {
  const sizes = await sizesOf(repository, [...new Set(changes.flatMap(({ before }) => before ?? []))]);
  const here = changes.filter(({ path, before }) => (sizes.get(before as string) as number) <= mostBytesAt(path));
  const isBroken = await brokenAmong(
    repository,
    new Map(here.map(({ path, before, after }) => [path, [before as string, after as string]])),
  );
  return here.filter(({ path, before, after }) => !isBroken(path, before as string) || isBroken(path, after as string));
}

const isWrittenOnce = (path: string): boolean => ["once", "unread"].includes(guardClass(path));
