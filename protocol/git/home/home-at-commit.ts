/** An earlier record of the home, read in the same way as the home itself. spec/git.md, "Looking back". */

import { orElse } from "../../core/format/file-error.ts";
import { knownClone } from "../../core/home/feed.ts";
import { type Home, homeIn } from "../../core/home/home.ts";
import { refuse } from "../../core/refusal.ts";
import { arrivalOf, type Listed } from "../../core/tree/layout.ts";
import type { Past, World } from "../../core/world.ts";
import { Recorded } from "../../store/read/recorded.ts";
import { RecordedObjects } from "../../store/read/recorded-objects.ts";
import { absolute, recordedStore } from "../../store/root.ts";
import { resolveCommit } from "../git-commits.ts";
import { gitText, type Repository } from "../git-run.ts";
import { ObjectReader } from "../objects/object-reader.ts";
import { firstRecordAt, LAST_SECOND_MS, MINUTE, NAME } from "./home-reader.ts";
import { recordBefore } from "./record-before.ts";
import { requireRepository } from "./repository.ts";

/** A home as it was recorded. */
interface HomeAtCommit {
  home: Home;
  past: Past;
}

/**
 * Opens the home as it was.
 * @param given a commit, or an instant: then the last record that was made here before it. A minute is meant as a whole, so
 *   that the time that `relay log` prints finds its record
 * @throws Refusal `unknown_commit`, `no_repository`
 */
export async function openHomeAt(world: World, given: string): Promise<HomeAtCommit> {
  const repository = requireRepository(world);
  const commit = await commitAt(repository, given);
  const { tree, atMs } = await factsOf(repository, commit);
  const recorded = new Recorded(objectsOf(repository), tree);
  const { store } = world.home();
  const changedMs: Past["changedMs"] = (paths) => lastChanges(repository, commit, paths);
  return {
    home: homeIn(recordedStore(absolute(store, `${PAST}/${commit}`), recorded), { keeps: false }),
    past: { commit, home: store.root, atMs, clone: knownClone(store), changedMs },
  };
}

/** Starts what reads the objects of a home's repository, where there is one. */
export function beginReading(world: World): void {
  orElse(undefined, () => objectsOf(requireRepository(world)).begin());
}

/** Where an earlier record would lie if it were checked out: a place of its own in every table of what was read. */
const PAST = "run/at";
/** Only what the layout knows is read. */
const isKnown = (file: Listed): boolean => arrivalOf(file) === "known";

/** What was read of each repository, by git's directory. */
const objects = new Map<string, RecordedObjects>();
const OBJECTS_MOST = 4;

function objectsOf(repository: Repository): RecordedObjects {
  const known = objects.get(repository.gitDir) ?? new RecordedObjects(new ObjectReader(repository), isKnown);
  objects.delete(repository.gitDir);
  objects.set(repository.gitDir, known);
  for (const first of objects.keys()) if (objects.size > OBJECTS_MOST) objects.delete(first);
  return known;
}

/** The tree of a commit, and when it was made. */
interface CommitFacts {
  tree: string;
  atMs: number;
}

/** The last instant that a date can be; whoever makes a commit chooses its time. */
const LATEST_MS = 8.64e15;

/** Those of the commits that were asked for, by git's directory and the commit: each stays the same. */
const commits = new Map<string, CommitFacts>();
const COMMITS_MOST = 1_000;
const keyOf = ({ gitDir }: Repository, commit: string): string => `${gitDir} ${commit}`;

/** Keeps what git told of a commit, so that whoever turns to it starts no git. @param seconds when it was made, since the epoch */
export function noteCommit(repository: Repository, commit: string, tree: string, seconds: number): CommitFacts {
  const facts = { tree, atMs: Math.min(seconds * 1_000, LATEST_MS) };
  if (commits.size >= COMMITS_MOST) commits.clear();
  commits.set(keyOf(repository, commit), facts);
  return facts;
}

async function factsOf(repository: Repository, commit: string): Promise<CommitFacts> {
  const known = commits.get(keyOf(repository, commit));
  if (known !== undefined) return known;
  const shown = await gitText(repository, [
    "rev-list",
    "--max-count=1",
    "--no-commit-header",
    "--encoding=UTF-8",
    "--format=%T %ct",
    commit,
  ]);
  const [tree = "", seconds] = shown.split(" ");
  return noteCommit(repository, commit, tree, Number(seconds));
}

/** When files were changed last, by the records up to one. */
async function lastChanges(repository: Repository, commit: string, paths: readonly string[]): Promise<Map<string, number>> {
  const changed = new Map<string, number>();
  if (paths.length === 0) return changed;
  const args = ["log", "--no-show-signature", "--encoding=UTF-8", "--no-renames", "--name-only", "--format=%ct", commit, "--", ...paths];
  let ms = 0;
  for (const line of (await gitText(repository, args)).split("\n")) {
    if (/^\d+$/.test(line)) ms = Number(line) * 1_000;
    else if (!changed.has(line)) changed.set(line, ms);
  }
  return changed;
}

/** The commit that a name means, or the last record up to an instant. @throws Refusal `unknown_commit` */
export async function commitAt(repository: Repository, given: string): Promise<string> {
  if (commits.has(keyOf(repository, given))) return given;
  const isInstant = /^\d{4}-\d\d-\d\d([T ]|$)/.test(given);
  const named = !isInstant && NAME.test(given) ? await resolveCommit(repository, given) : null;
  if (named !== null) return named;
  const ms = isInstant ? Date.parse(given) + (MINUTE.test(given) ? LAST_SECOND_MS : 0) : Number.NaN;
  if (Number.isNaN(ms)) throw refuse("unknown_commit", { given });
  const found = await recordBefore(repository, ms);
  if (found === null) throw refuse("unknown_commit", { given, first: await firstRecordAt(repository) });
  return found;
}
