/** What parts hold on this machine: the claims of open sessions whose tasks are worked on. spec/waking.md, "Stuck agents". */
import type { HeldTask } from "../../objects/part/quiet.ts";
import { type ClaimRecord, claimPath, claimsFolder } from "../../objects/task/claim.ts";
import { claimed, taskPath } from "../../objects/task/task.ts";
import { originWords } from "../../objects/tree/origin.ts";
import { names } from "../../store/read/list-folder.ts";
import type { World } from "../../world.ts";
import { noting } from "../broken-files.ts";
import { knownClone } from "../feed.ts";
import { originsOf } from "../note-origins.ts";
import { nameNow } from "../part/members.ts";
import { openSessionNames } from "../session/sessions.ts";
import { lastClaim } from "./claims.ts";
import { listTasks } from "./list-tasks.ts";

/** Who was handed a task by another lives here if it did something here within this time. */
const LIVES_MS = 7 * 86_400_000;

/**
 * The tasks that each of some parts holds, in progress, as far as this machine is the one to judge: a claim that a part made
 * itself is judged where it was made, one that it was handed where the part lives. What cannot be read is passed over;
 * `check` and `doctor` name it.
 * @param lastMs when each part that is asked about last showed a sign of life here
 */
export function heldTasks(world: World, lastMs: ReadonlyMap<string, number>): Map<string, HeldTask[]> {
  const { store } = world.home();
  const held = new Map<string, HeldTask[]>();
  const origin = originsOf(world);
  const isHere = (path: string, { agent, by, clone }: ClaimRecord, part: string): boolean => {
    if (by !== undefined && nameNow(world, by) !== nameNow(world, agent)) return world.now() - (lastMs.get(part) ?? 0) < LIVES_MS;
    // The name of a clone stands in its commits, so that a push can write it as well.
    return origin(path).from !== "sync" && (clone === undefined || clone === knownClone(store));
  };
  for (const session of openSessionNames(store)) {
    const chains = new Set(names(store, claimsFolder(session)));
    if (chains.size === 0) continue;
    for (const task of listTasks(world, session, [])) {
      if (task.status === "done" || !chains.has(task.id)) continue;
      const record = noting([], claimPath(session, task.id, task.fence), () => lastClaim(world, session, task.id));
      if (record?.kind !== "claim" || (claimed(task, record) ?? task).status !== "in_progress") continue;
      const part = nameNow(world, record.agent);
      if (!lastMs.has(part) || !isHere(claimPath(session, task.id, record.fence), record, part)) continue;
      const tasks = held.get(part) ?? [];
      held.set(part, tasks);
      const words = originWords(origin(taskPath(session, task.id)));
      tasks.push({
        session,
        task: task.id,
        title: task.title,
        ...(words === undefined ? {} : { origin: words }),
        sinceMs: Date.parse(record.at),
      });
    }
  }
  return held;
}
