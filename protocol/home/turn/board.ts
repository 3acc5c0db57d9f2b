/** The board as a part's turn shows it. spec/messages.md, "A turn". */

import { orElse } from "../../objects/format/file-error.ts";
import { taskPath } from "../../objects/task/task.ts";
import type { Board, BoardTask } from "../../objects/turn/turn.ts";
import type { World } from "../../world.ts";
import { listReviews } from "../artifact/read-review.ts";

import { type Faults, noting } from "../broken-files.ts";
import { nameNow } from "../part/members.ts";
import { findSession, readSession } from "../session/sessions.ts";
import { holder } from "../task/claims.ts";
import { listTasks } from "../task/list-tasks.ts";
import { asClaimed } from "../task/task-holds.ts";

/**
 * Reads the board of the current session; an empty one where there is none.
 * @param faults gets what cannot be read
 * @param before the session that was told before
 */
export function boardOf(world: World, faults: Faults, before: string | undefined): Board {
  const session = findSession(world, undefined);
  const { store } = world.home();
  const over = !before || before === session ? undefined : orElse(undefined, () => readSession(store, before)?.endedBy);
  const endedBy = over === undefined ? undefined : nameNow(world, over);
  if (session === null) return { session, endedBy, tasks: [], reviews: [] };
  const tasks = asClaimed(world, session, listTasks(world, session, faults), faults).map((task): BoardTask => {
    const { id, title, status, assignee, createdBy, dependsOn, fence, blockedReason } = task;
    const hold = status === "in_progress" && fence > 0 ? noting(faults, taskPath(session, id), () => holder(world, session, task)) : null;
    return {
      ...{ id, title, status, dependsOn, blockedReason, createdBy: nameNow(world, createdBy) },
      assignee: assignee === undefined ? undefined : nameNow(world, assignee),
      holder: hold?.state === "held" ? { part: nameNow(world, hold.record.agent), until: new Date(hold.until).toISOString() } : undefined,
    };
  });
  const reviews = listReviews(world, session, faults).map(({ reviewer, requester, ...review }) => ({
    ...review,
    reviewer: nameNow(world, reviewer),
    requester: nameNow(world, requester),
  }));
  return { session, endedBy, tasks, reviews };
}
