/** What parts hold on this machine: the claims of open sessions whose tasks are worked on. spec/waking.md, "Stuck agents". */
import { orElse } from "../../core/format/file-error.ts";
import { knownClone } from "../../core/home/feed.ts";
import type { World } from "../../core/world.ts";
import { nameNow } from "../../mail/files/members.ts";
import type { HeldTask } from "../../mail/nouns/quiet.ts";
import { names } from "../../store/read/list-folder.ts";
import { originsOf } from "../../trust/files/note-origins.ts";
import { originWords } from "../../trust/nouns/origin.ts";
import { type ClaimRecord, claimPath, claimsFolder } from "../nouns/claim.ts";
import { claimed, isFinished, type TaskRow, taskPath } from "../nouns/task.ts";
import { beginNotes, notedClaims } from "./claim-notes.ts";
import { lastClaim } from "./claims.ts";
import { listTasks } from "./list-tasks.ts";
import { openSessionNames, turnOf } from "./sessions.ts";
import { readTask } from "./task-files.ts";

/** Who was handed a task by another lives here if it did something here within this time. */
const LIVES_MS = 7 * 86_400_000;

/**
 * The tasks that each of some parts holds, in progress, as far as this machine is the one to judge: a claim that a part made
 * itself is judged where it was made, one that it was handed where the part lives. What cannot be read is passed over;
 * `check` and `doctor` name it.
 * @param lastMs when each part that is asked about last showed a sign of life here
 * @param open the sessions that have not ended
 */
export function heldTasks(
  world: World,
  lastMs: ReadonlyMap<string, number>,
  open: readonly string[] = openSessionNames(world.home().store),
): Map<string, HeldTask[]> {
  const { store } = world.home();
  const held = new Map<string, HeldTask[]>();
  const origin = originsOf(world);
  for (const session of open) {
    const chains = new Set(names(store, claimsFolder(session)));
    if (chains.size === 0) continue;
    for (const task of listTasks(world, session, [])) {
      const found = chains.has(task.id) ? heldTask(world, { session, task, lastMs, origin }) : null;
      if (found !== null) held.set(found.part, [...(held.get(found.part) ?? []), found.held]);
    }
  }
  return held;
}

/**
 * The tasks that one part holds, in progress, as `heldTasks` judges them, by the notes of claims that were made here or came: this costs
 * what it claimed, and not what all sessions have. Where there are no notes all tasks are listed, once.
 */
export function heldBy(world: World, part: string): HeldTask[] {
  const lastMs = new Map([[part, world.now()]]);
  const noted = notedClaims(world, part);
  if (noted === null) return [...beginNotes(world, part, () => heldTasks(world, lastMs).get(part) ?? [])];
  const { store } = world.home();
  const origin = originsOf(world);
  return noted.flatMap(({ session, task: id }) => {
    const task = turnOf(store, session).ended ? null : orElse(null, () => readTask(world, session, id));
    return (task === null ? null : heldTask(world, { session, task, lastMs, origin })?.held) ?? [];
  });
}

/** A task to be judged. */
interface Judged {
  session: string;
  task: TaskRow;
  lastMs: ReadonlyMap<string, number>;
  origin: ReturnType<typeof originsOf>;
}

/** Who holds a task, and what there is to know of it; null where none of the parts that are asked about does. */
function heldTask(world: World, { session, task, lastMs, origin }: Judged): { part: string; held: HeldTask } | null {
  if (isFinished(task.status)) return null;
  const isHere = (path: string, { agent, by, clone }: ClaimRecord, part: string): boolean => {
    if (by !== undefined && nameNow(world, by) !== nameNow(world, agent)) return world.now() - (lastMs.get(part) ?? 0) < LIVES_MS;
    // The name of a clone stands in its commits, so that a push can write it as well.
    return origin(path).from !== "sync" && (clone === undefined || clone === knownClone(world.home().store));
  };
  const record = lastClaim(world, session, task.id);
  if (record?.kind !== "claim" || (claimed(task, record) ?? task).status !== "in_progress") return null;
  const part = nameNow(world, record.agent);
  if (!lastMs.has(part) || !isHere(claimPath(session, task.id, record.fence), record, part)) return null;
  const words = originWords(origin(taskPath(session, task.id)));
  const from = words === undefined ? {} : { origin: words };
  return { part, held: { session, task: task.id, title: task.title, fence: record.fence, ...from, sinceMs: Date.parse(record.at) } };
}
