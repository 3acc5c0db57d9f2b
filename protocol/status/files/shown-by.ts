/** The operation that shows what an id names: `show` takes the id of anything that an answer prints. spec/commands.md, "Short names". */
import { readArtifact } from "../../board/files/artifacts.ts";
import { requireReview } from "../../board/files/find-review.ts";
import { readMemory } from "../../board/files/memories.ts";
import { hasSession, sessionToRead } from "../../board/files/sessions.ts";
import { hasTask, resolveTask } from "../../board/files/task-files.ts";
import { readSection } from "../../board/nouns/memory-blocks.ts";
import { orElse, succeeds } from "../../core/format/file-error.ts";
import { type AnyOperation, listedOperations } from "../../core/operation.ts";
import { Refusal } from "../../core/refusal.ts";
import { type World, worldOfCall } from "../../core/world.ts";
import { currentName } from "../../mail/files/members.ts";
import { resolveWithArchives } from "../../mail/files/threads.ts";

/** An operation, and what it is given. */
export interface Meant {
  operation: AnyOperation;
  input: Record<string, unknown>;
}

/**
 * Finds the operation that is meant by a call of `show` whose id names no thread and no message: a task, a review, an artifact, a session, a
 * key of the project's memory, or a part.
 * @param input the arguments as they were given
 * @returns the call as it was, where it is of another operation, or its id names nothing else either
 */
export function shownBy(shared: World, operation: AnyOperation, input: Record<string, unknown>): Meant {
  const same = { operation, input };
  const given = input["threadId"] ?? input["thread_id"];
  if (operation.name !== "show" || typeof given !== "string") return same;
  return orElse(same, () => {
    const world = worldOfCall(shared);
    if (isThread(world, given)) return same;
    const { session } = sessionToRead(world, undefined);
    const of = (name: string, argument: string, value = given): Meant => ({
      operation: listedOperations()[name] as AnyOperation,
      input: { [argument]: value },
    });
    const task = session === null ? null : orElse(null, () => resolveTask(world, session, given));
    if (session !== null && task !== null && hasTask(world, session, task)) return of("show_task", "task_id", task);
    if (session !== null && /^(review-)?[0-9a-z]{3,10}$/i.test(given) && succeeds(() => requireReview(world, session, given)))
      return of("show_review", "review_id");
    if (session !== null && succeeds(() => readArtifact(world, session, given))) return of("get_artifact", "name");
    if (hasSession(world, given)) return of("get_session_summary", "session_id");
    if (readSection(readMemory(world, null) ?? "", given) !== null) return of("read_memory", "key");
    return currentName(world, given) === null ? same : { ...of("roster", ""), input: {} };
  });
}

/** Whether a text names a thread or a message, or several of them. */
function isThread(world: World, given: string): boolean {
  try {
    resolveWithArchives(world.home(), given);
    return true;
  } catch (error) {
    return !(error instanceof Refusal) || error.code !== "unknown_thread";
  }
}
