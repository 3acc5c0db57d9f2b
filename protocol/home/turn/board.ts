/** The board as a part's turn shows it. spec/messages.md, "A turn". */

import { taskPath } from "../../objects/task/task.ts";
import type { Board, BoardTask } from "../../objects/turn/turn.ts";
import type { World } from "../../world.ts";
import { listReviews } from "../artifact/reviews.ts";
import { type Faults, noting } from "../broken-files.ts";
import { nameNow } from "../part/members.ts";
import { findSession } from "../session/sessions.ts";
import { holder } from "../task/claims.ts";
import { listTasks } from "../task/list-tasks.ts";
import { asClaimed } from "../task/task-holds.ts";

/** Reads the board of the current session; an empty one where there is none. @param faults gets what cannot be read */
export function boardOf(world: World, faults: Faults): Board {
  const session = findSession(world, undefined);
  if (session === null) return { session, tasks: [], reviews: [] };
  const tasks = asClaimed(world, session, listTasks(world, session, faults), faults).map((task): BoardTask => {
    const { id, title, status, assignee, createdBy, dependsOn, fence } = task;
    const hold = status === "in_progress" && fence > 0 ? noting(faults, taskPath(session, id), () => holder(world, session, task)) : null;
    return {
      ...{ id, title, status, dependsOn, createdBy: nameNow(world, createdBy) },
      assignee: assignee === undefined ? undefined : nameNow(world, assignee),
      holder: hold?.state === "held" ? { part: nameNow(world, hold.record.agent), until: new Date(hold.until).toISOString() } : undefined,
    };
  });
  const reviews = listReviews(world, session, faults).map(({ reviewer, requester, ...review }) => ({
    ...review,
    reviewer: nameNow(world, reviewer),
    requester: nameNow(world, requester),
  }));
  return { session, tasks, reviews };
}
