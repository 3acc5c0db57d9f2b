/**
 * The merge: two homes that went their own ways since a record that both have become one, without a conflict for anybody.
 *
 * Pure, and the same whichever side is called ours: `merge(b, x, y) = merge(b, y, x)`, `merge(b, x, x) = x`,
 * `merge(b, b, x) = x`. Nothing is lost: what gives way stays in a history, under another number, or beside. spec/git.md, "Merge".
 */
import { CONFIG_PATH } from "../../core/config/config-schema.ts";
import type { Digest } from "../../core/format/id.ts";
import {
  type BlobId,
  type Conflict,
  type Difference,
  isKept,
  type Job,
  keptPath,
  type Outcome,
  type Outcomes,
  type Plan,
  planOf,
  type Side,
  type Sides,
  type Tree,
} from "../../core/noun/merge-tree.ts";
import { type PlaceKind, placeOf } from "../../core/tree/layout.ts";
import { guardClass } from "../../core/tree/record.ts";
import { locateInInbox } from "../../mail/nouns/in-inbox.ts";
import { isSaidGone, movedMail, namesIn } from "./merge-absent.ts";
import { archivedOnOneSide } from "./merge-archive.ts";
import { boardJobs } from "./merge-claims.ts";
import { conflictJobs } from "./merge-kinds.ts";

export { type BlobId, keptPath, type Outcomes, type Tree } from "../../core/noun/merge-tree.ts";
export { lostPaths } from "./merge-absent.ts";

/**
 * Plans the merge of two trees. Each unchanged path is compared once; what is read is where both sides' changes are joined.
 * @param base what both sides had; empty where they have nothing in common
 * @param published the side that the remote has: of what was written once its bytes stay, whatever they say of themselves
 * @param digest null where no archive is believed, and nothing is taken for broken
 * @returns what each path holds whose content differs from ours or from theirs; every other path stays as both have it
 */
export function planMerge(base: Tree, ours: Tree, theirs: Tree, published?: Side, digest: Digest | null = null): Plan<Outcomes> {
  const analysis = analysed({ base, ours, theirs, published }, digest);
  return planOf(analysis.jobs, (decided) => merged(ours, theirs, analysis, decided));
}

function merged(ours: Tree, theirs: Tree, { decided: byName }: Analysis, byReading: Outcomes): Outcomes {
  const decided = new Map([...byName, ...byReading]);
  for (const [path, outcome] of decided) if (isAsIs(outcome, ours.get(path)) && isAsIs(outcome, theirs.get(path))) decided.delete(path);
  return decided;
}

const isAsIs = (outcome: Outcome, id: BlobId | undefined): boolean =>
  "absent" in outcome ? id === undefined : "take" in outcome && outcome.take === id;

/** A tree with what a merge decided; a merged content is given its id by the caller. */
export function withOutcomes(tree: Tree, outcomes: Outcomes, idOf: (content: string) => BlobId): Map<string, BlobId> {
  const merged = new Map(tree);
  for (const [path, outcome] of outcomes) {
    if ("absent" in outcome) merged.delete(path);
    else merged.set(path, "take" in outcome ? outcome.take : idOf(outcome.content));
  }
  return merged;
}

/** What is decided by the names alone, and what takes reading. */
interface Analysis {
  decided: Outcomes;
  jobs: Job[];
}

function analysed(sides: Sides, digest: Digest | null): Analysis {
  const decided: Outcomes = new Map();
  const jobs: Job[] = [];
  const conflicts: Conflict[] = [];
  const gone: Difference[] = [];
  const found = [...differences(sides)];
  for (const difference of found) {
    const { path, base, ours, theirs } = difference;
    const only = ours === undefined || theirs === undefined ? (ours ?? theirs) : undefined;
    if (only !== undefined) {
      const lacking = ours === undefined ? sides.ours : sides.theirs;
      const mail = locateInInbox(path);
      if (
        (base !== undefined || mail?.unread === true) &&
        isSaidGone(path, base ?? only, lacking, sides.base) &&
        (mail !== null || base === only)
      )
        decided.set(path, { absent: true });
      // What the layout does not know is git's: it goes where one side removed it, and the other left it as it was.
      else if (base === only && guardClass(path) === "stranger") decided.set(path, { absent: true });
      else {
        decided.set(path, { take: only });
        if (base !== undefined && mail !== null) gone.push(difference);
      }
    } else if (ours === base) decided.set(path, { take: theirs as BlobId });
    else if (theirs === base) decided.set(path, { take: ours as BlobId });
    else conflicts.push(difference as Conflict);
  }
  for (const [path, outcome] of clashing(sides, found)) decided.set(path, outcome);
  if (gone.length > 0) jobs.push(movedJob(sides, gone));
  return {
    decided,
    jobs: [...jobs, ...conflictJobs(sides, conflicts, digest), ...boardJobs(sides, found), ...archivedOnOneSide(sides, found, digest)],
  };
}

function* differences({ base, ours, theirs }: Sides): Iterable<Difference> {
  for (const [path, id] of ours) {
    const other = theirs.get(path);
    if (other !== id) yield { path, base: base.get(path), ours: id, theirs: other };
  }
  for (const [path, id] of theirs) if (!ours.has(path)) yield { path, base: base.get(path), ours: undefined, theirs: id };
}

/** Mail that one side has no more because its part has another name there. */
function movedJob(sides: Sides, gone: readonly Difference[]): Job {
  const configs = [sides.ours, sides.theirs].map((tree) => ({ tree, id: tree.get(CONFIG_PATH) }));
  return {
    needs: configs.flatMap(({ id }) => id ?? []),
    run(read) {
      const isMoved = new Map(
        configs.map(({ tree, id }) => [tree, movedMail(tree, sides.base, namesIn(id === undefined ? null : read(id)))]),
      );
      const moved = gone.filter(
        ({ path, ours, theirs }) =>
          isMoved.get(ours === undefined ? sides.ours : sides.theirs)?.(path, (ours ?? theirs) as BlobId) === true,
      );
      return new Map(moved.map(({ path }) => [path, { absent: true }]));
    },
  };
}

/** Of two new names that differ only in case the one that was published stays, else the smaller one; a file gives way to a folder. Who gives way is kept beside. */
function clashing({ ours, theirs, published }: Sides, differences: readonly Difference[]): Outcomes {
  const outcomes: Outcomes = new Map();
  const folded = new Map<string, string>();
  for (const { path, base, theirs: other } of differences) {
    if (base === undefined && other === undefined) folded.set(path.toLowerCase(), path);
  }
  const giveWay = (path: string): void => {
    const id = ours.get(path) ?? theirs.get(path);
    if (id === undefined) return;
    outcomes.set(path, { absent: true });
    outcomes.set(keptPath(path, id), { take: id });
  };
  for (const { path, base, ours: mine, theirs: other } of differences) {
    if (base !== undefined || (mine !== undefined && other !== undefined)) continue;
    const twin = mine === undefined ? folded.get(path.toLowerCase()) : undefined;
    // The twin is ours, and the path theirs.
    if (twin !== undefined) giveWay(published === "theirs" || (published === undefined && path < twin) ? twin : path);
    const across = mine === undefined ? ours : theirs;
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
      const folder = path.slice(0, at);
      if (across.has(folder)) giveWay(folder);
    }
  }
  return outcomes;
}

/** The lines with which a merge tells what gave way, where a person does not write: in a history, and as the heading of a section. */
const TOLD: Partial<Record<PlaceKind, { in: "history" | "whole"; line: RegExp }>> = {
  task: { in: "history", line: /^- \S+ relay: .* gave way( to .*)?$/ },
  thread: { in: "history", line: /^- \S+ .* gave way$/ },
  memory: { in: "whole", line: /^## .* \(kept [0-9a-f]{8}\)$/ },
};
/** The heading of what Relay writes into a task, or a thread's file, by itself: the last of a file counts. */
const HISTORY = "\n## History\n";

/**
 * What gave way by what came.
 * @param before the file until then; null where there was none
 * @returns `path: line`, or the path alone of a file that is kept beside another
 */
export function newlyGaveWay(path: string, before: string | null, after: string): string[] {
  if (isKept(path)) return before === null ? [path] : [];
  const told = TOLD[placeOf(path)?.kind ?? "ignored"];
  if (before === null || told === undefined) return [];
  const known = new Set(before.split("\n"));
  const from = told.in === "whole" ? 0 : after.lastIndexOf(HISTORY);
  return (from === -1 ? "" : after.slice(from))
    .split("\n")
    .flatMap((line) => (told.line.test(line) && !known.has(line) ? [`${path}: ${line.replace(/^(- \S+ relay: |- |## )/, "")}`] : []));
}
