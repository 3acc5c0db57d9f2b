/** Ending the tasks whose work was approved, once the part that leads has merged it. spec/board.md, "Review". */

import { FileError } from "../../core/format/file-error.ts";
import { shortOf } from "../../core/format/id.ts";
import { Refusal } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { isItself } from "../../mail/files/mail.ts";
import { isSamePart } from "../../mail/files/members.ts";
import { approvalsOf } from "./approved-behind.ts";
import { listTasks } from "./list-tasks.ts";
import { listReviews } from "./read-review.ts";
import { findSession } from "./sessions.ts";
import { hasTeamFile } from "./team-files.ts";
import { updateTask } from "./update-task.ts";
import { withdrawOfDone } from "./withdraw-reviews.ts";

/**
 * Sets the tasks done that the part which leads made, which are handed in, approved by every reviewer, and merged into the main branch.
 * In a session with a team, whose hooks take their time, none ends by itself.
 * @returns what is to be told of that; nothing for any other part
 */
export async function endMerged(world: World, part: string): Promise<string[]> {
  const { store, config } = world.home();
  if (store.readOnly || store.foreign !== null || part !== config().main || !isItself(world, part)) return [];
  const session = findSession(world, undefined);
  if (session === null || hasTeamFile(store, session)) return [];
  const open = listTasks(world, session, []).filter(
    ({ status, createdBy }) => status === "in_review" && isSamePart(world, createdBy, part),
  );
  if (open.length === 0) return [];
  const { approved, unmerged } = await approvalsOf(world, session);
  const lacking = new Set((await unmerged()).map(({ task }) => task));
  const names = new Set(approved.map(({ name }) => name));
  const reviews = listReviews(world, session, []).filter(({ status }) => status !== "withdrawn");
  const isMerged = (id: string): boolean =>
    !lacking.has(id) && approved.some(({ task }) => task === id) && reviews.every(({ task, name }) => task !== id || names.has(name));
  const ended: string[] = [];
  for (const { id, title } of open.filter((task) => isMerged(task.id))) {
    try {
      await updateTask(world, session, id, { status: "done", whenDone: (task) => withdrawOfDone(world, session, task) }, part);
      ended.push(`${shortOf(id)} '${title}' is merged, and done by that`);
    } catch (error) {
      // What it waits for comes first, or its file is broken, of which the turn tells; the next one looks again.
      if (!(error instanceof Refusal || error instanceof FileError)) throw error;
    }
  }
  return ended;
}
