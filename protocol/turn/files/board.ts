/** The board as a part's turn shows it. spec/messages.md, "A turn". */

import { holder } from "../../board/files/claims.ts";
import { listTasks } from "../../board/files/list-tasks.ts";
import { listReviews } from "../../board/files/read-review.ts";
import { findSession, readSession, sessionToRead } from "../../board/files/sessions.ts";
import { readSummary } from "../../board/files/summaries.ts";
import { asClaimed } from "../../board/files/task-holds.ts";
import { summaryPath } from "../../board/nouns/session.ts";
import { taskPath } from "../../board/nouns/task.ts";
import { orElse } from "../../core/format/file-error.ts";
import { parseFrontmatter } from "../../core/format/frontmatter.ts";
import { type Faults, noting } from "../../core/home/broken-files.ts";
import { HOME_FOLDER } from "../../core/home/find-home.ts";
import type { World } from "../../core/world.ts";
import { nameNow } from "../../mail/files/members.ts";
import { cutAtWord, preview } from "../../mail/nouns/message.ts";
import type { Board, BoardTask, Ended } from "../nouns/turn.ts";

/**
 * Reads the board of the current session; an empty one where there is none.
 * @param faults gets what cannot be read
 * @param before the session that was told before, whose end is news; without it, where none is open, the latest is told
 */
export function boardOf(world: World, faults: Faults, before: string | undefined): Board {
  const session = findSession(world, undefined);
  const isOver = before && before !== session && readSession(world.home().store, before)?.endedAt !== undefined;
  const over = isOver ? before : session === null ? sessionToRead(world, undefined).session : null;
  const ended = over === null ? undefined : orElse({ session: over }, () => endOf(world, over));
  if (session === null) return { session, ended, tasks: [], reviews: [] };
  const tasks = asClaimed(world, session, listTasks(world, session, faults), faults).map((task): BoardTask => {
    const { id, title, status, assignee, createdBy, dependsOn, fence, blockedReason, changedBy } = task;
    const hold = status === "in_progress" && fence > 0 ? noting(faults, taskPath(session, id), () => holder(world, session, task)) : null;
    return {
      ...{ id, title, status, dependsOn, blockedReason, createdBy: nameNow(world, createdBy) },
      changedBy: changedBy === undefined ? undefined : nameNow(world, changedBy),
      assignee: assignee === undefined ? undefined : nameNow(world, assignee),
      holder: hold?.state === "held" ? { part: nameNow(world, hold.record.agent), until: new Date(hold.until).toISOString() } : undefined,
    };
  });
  const reviews = listReviews(world, session, faults).map(({ reviewer, requester, ...review }) => ({
    ...review,
    reviewer: nameNow(world, reviewer),
    requester: nameNow(world, requester),
  }));
  return { session, ended, tasks, reviews };
}

/** Characters of a summary that a turn says. */
const SUMMARY = 160;

/** Who ended a session, and the first words of its summary. */
function endOf(world: World, session: string): Ended {
  const by = readSession(world.home().store, session)?.endedBy;
  const saved = readSummary(world, session);
  const text = orElse("", () => parseFrontmatter(saved ?? "").body);
  const words = preview(text.replace(/^#.*$/gm, ""), SUMMARY + 1);
  return {
    session,
    by: by === undefined ? undefined : nameNow(world, by),
    summary: words.length <= SUMMARY ? words : `${cutAtWord(words, SUMMARY)} …`,
    path: saved === null ? undefined : `${HOME_FOLDER}/${summaryPath(session)}`,
  };
}
