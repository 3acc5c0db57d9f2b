/**
 * Merging a task with the chain of its claims.
 *
 * Two chains that part at a number are one again: one keeps its numbers, the other's records are kept beside, so that no
 * number says two things. spec/git.md, "Merge".
 */

import { type ClaimRecord, claimPath, type Decision, decisionPath, FENCE_MOST, formatClaim, parseClaim } from "../../board/nouns/claim.ts";
import { taskPath } from "../../board/nouns/task.ts";
import { orElse } from "../../core/format/file-error.ts";
import {
  type BlobId,
  type Difference,
  type Job,
  keptPath,
  type Outcomes,
  type ReadBlob,
  type Side,
  type Sides,
  type Tree,
} from "../../core/noun/merge-tree.ts";
import { isTooLarge } from "../../core/tree/broken.ts";
import { placeOf } from "../../core/tree/layout.ts";
import { highestIn, lowestIn } from "../../core/tree/series.ts";
import { taskOutcomes } from "./merge-task-file.ts";

/** The task whose file, or claim, a path is; null for any other path. */
export function boardTask(path: string): { session: string; task: string; fence: number | null } | null {
  const place = path.startsWith("sessions/") ? placeOf(path) : null;
  if (place?.kind !== "task" && place?.kind !== "claim") return null;
  return { session: place.session, task: place.task, fence: place.kind === "claim" ? place.fence : null };
}

/** One record of a side's chain, from where the chains part. */
interface Link {
  fence: number;
  id: BlobId;
  record: ClaimRecord | null;
}

/** Groups what is about files of tasks, or about their claims, by the task; all else is left out. */
export function byTask<T>(items: Iterable<T>, pathOf: (item: T) => string): { session: string; task: string; items: T[] }[] {
  const tasks = new Map<string, { session: string; task: string; items: T[] }>();
  for (const item of items) {
    const found = boardTask(pathOf(item));
    if (found === null) continue;
    const key = `${found.session}/${found.task}`;
    const group = tasks.get(key) ?? { session: found.session, task: found.task, items: [] };
    group.items.push(item);
    tasks.set(key, group);
  }
  return [...tasks.values()];
}

/** Merges each task of which both sides changed something. */
export function boardJobs(sides: Sides, differences: readonly Difference[]): Job[] {
  return byTask(differences, ({ path }) => path).flatMap(({ session, task, items: changed }) => {
    const byOurs = changed.some(({ base, ours }) => ours !== undefined && ours !== base);
    const byTheirs = changed.some(({ base, theirs }) => theirs !== undefined && theirs !== base);
    return byOurs && byTheirs ? [boardJob(sides, session, task, changed)] : [];
  });
}

function boardJob(sides: Sides, session: string, task: string, changed: readonly Difference[]): Job {
  const path = taskPath(session, task);
  const parted = changed.flatMap(({ path: at, base, ours, theirs }) => {
    const fence = boardTask(at)?.fence ?? null;
    return fence !== null && ours !== undefined && theirs !== undefined && ours !== base && theirs !== base ? [fence] : [];
  });
  const from = parted.length === 0 ? null : lowestIn(parted);
  const known = changed.flatMap(({ path: at }) => boardTask(at)?.fence ?? []).sort((a, b) => a - b);
  const chains = [sides.ours, sides.theirs].map((tree) => chainOf(tree, session, task, from ?? 1, known)) as [UnreadLink[], UnreadLink[]];
  const files = [sides.base, sides.ours, sides.theirs].map((tree) => tree.get(path));
  const last = from === null ? chains.flat().sort((a, b) => b.fence - a.fence)[0] : undefined;
  return {
    needs: [
      ...files.flatMap((id) => id ?? []),
      ...(from === null ? (last === undefined ? [] : [last.id]) : chains.flat().map(({ id }) => id)),
    ],
    run(read) {
      const read_ = (chain: readonly UnreadLink[]): Link[] =>
        chain.map((link) => ({ ...link, record: recordOf(read, session, task, link) }));
      const one = from === null ? null : unitedChains(session, task, read_(chains[0]), read_(chains[1]), sides);
      const record = one === null ? (last === undefined ? null : recordOf(read, session, task, last)) : one.last;
      const leader = one === null ? undefined : files[one.winner === "ours" ? 1 : 2];
      return new Map([...(one?.outcomes ?? []), ...taskOutcomes(path, task, files, read, record, one, leader)]);
    },
  };
}

/** One whose record was not read yet. */
export type UnreadLink = Omit<Link, "record">;

/**
 * The numbered records of a tree from a number on. Numbers may be missing where a machine learnt of later ones first.
 * @param known numbers that some record has, the lowest first: a gap that is longer is passed over, however long it is
 */
export function chainOf(tree: Tree, session: string, task: string, from: number, known: readonly number[]): UnreadLink[] {
  const found: UnreadLink[] = [];
  let next = from;
  for (const start of [from, ...known]) {
    next = Math.max(next, start);
    for (let missing = 0; missing < 64; next += 1) {
      const id = tree.get(claimPath(session, task, next));
      missing = id === undefined ? missing + 1 : 0;
      if (id !== undefined) found.push({ fence: next, id });
    }
  }
  return found;
}

/** A record of a chain; null where it cannot be read, or is too large to be checked out. */
export function recordOf(read: ReadBlob, session: string, task: string, { fence, id }: UnreadLink): ClaimRecord | null {
  const text = read(id) ?? "";
  return isTooLarge(claimPath(session, task, fence), text) ? null : orElse(null, () => parseClaim(text, task, fence));
}

/** What two chains come to, whose numbers stay, and whose claim gave way. */
interface United {
  outcomes: Outcomes;
  winner: Side;
  last: ClaimRecord | null;
  gaveWay: ClaimRecord | null;
}

function unitedChains(session: string, task: string, ours: Link[], theirs: Link[], sides: Sides): United {
  const certain = (chain: Link[]): number => {
    const other = new Map((chain === ours ? theirs : ours).map(({ fence, id }) => [fence, id]));
    const own = chain.flatMap(({ fence, id, record }) => (other.get(fence) === id ? [] : [record]));
    return surest(session, own, [sides.ours, sides.theirs]);
  };
  const isOurs = leads(ours, theirs, certain, sides);
  const [winner, loser] = isOurs ? [ours, theirs] : [theirs, ours];
  const side = { winner: isOurs ? "ours" : "theirs" } as const;
  const outcomes: Outcomes = new Map(winner.map(({ fence, id }) => [claimPath(session, task, fence), { take: id }]));
  const kept = new Map(winner.map(({ fence, id }) => [fence, id]));
  for (const { fence, id } of loser) {
    const path = claimPath(session, task, fence);
    if (kept.get(fence) === id) continue;
    if (!kept.has(fence)) outcomes.set(path, { absent: true });
    outcomes.set(keptPath(path, id), { take: id });
  }
  const [last, other] = [winner, loser].map((chain) => chain.at(-1)?.record ?? null);
  const gaveWay = loser.find(({ fence, id, record }) => kept.get(fence) !== id && record?.kind === "claim")?.record ?? null;
  const next = Math.max(last?.fence ?? 0, other?.fence ?? 0) + 1;
  if (last !== null && last !== undefined && last.kind !== "done" && other?.kind === "done" && certain(loser) > 0 && next <= FENCE_MOST) {
    // What is finished is not begun again: the end of the chain that gave way follows that of the other.
    const done = { ...other, fence: next };
    outcomes.set(claimPath(session, task, done.fence), { content: formatClaim(done) });
    return { outcomes, ...side, last: done, gaveWay };
  }
  return { outcomes, ...side, last: last ?? null, gaveWay };
}

/**
 * 2: a claim that stands, 1: one that the remote has not decided, 0: one that it refused, or that cannot be read. Only a
 * provisional record is ever decided, and none that was confirmed is refused: whoever pushes can lay a decision beside any.
 */
function certainty(session: string, record: ClaimRecord | null, trees: readonly Tree[]): number {
  if (record === null) return 0;
  const decided = (as: Decision): boolean => trees.some((tree) => tree.has(decisionPath(session, record, as)));
  if (record.provisional !== true || decided("confirmed")) return 2;
  return decided("lost") ? 0 : 1;
}

/** How certain some records of one chain are: as the surest of them, so that none that stands gives way to what comes before it. */
export const surest = (session: string, records: readonly (ClaimRecord | null)[], trees: readonly Tree[]): number =>
  highestIn(records.map((record) => certainty(session, record, trees)));

/** Whether our chain keeps its numbers: the surer one does, then the one that was published, then the longer, then by the nonce. */
function leads(one: Link[], other: Link[], certain: (chain: Link[]) => number, { published }: Sides): boolean {
  const [sure, against] = [certain(one), certain(other)];
  if (sure !== against) return sure > against;
  if (published !== undefined) return published === "ours";
  const [length, otherLength] = [one, other].map((chain) => chain.at(-1)?.fence ?? 0) as [number, number];
  if (length !== otherLength) return length > otherLength;
  const sign = (chain: Link[]): string => chain.map(({ id, record }) => `${record?.nonce ?? ""} ${id}`).join(" ");
  return sign(one) < sign(other);
}
