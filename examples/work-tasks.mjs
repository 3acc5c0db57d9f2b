// @ts-check
/**
 * A worker: it claims tasks that can be started, works on each, and finishes it, until none is left. Start as many as you
 * like: exactly one of them gets each task.
 *
 *     node work-tasks.mjs api
 */
import { createWorld, newConnection, operations, perform } from "git-relay";

// Claims that are made over a lasting connection are renewed as long as this process lives.
const world = createWorld({ part: process.argv[2], connection: newConnection(true) });

/** @param {string} title */
async function work(title) {
  console.log(`working on ${title}`);
}

/** Claims and finishes one task. @returns {Promise<boolean>} false when there was none to get */
async function workOnOne() {
  const { tasks } = await perform(world, operations.get_all_tasks, { ready: true });
  for (const { id, title } of tasks) {
    const { claimed, fence } = await perform(world, operations.claim_task, { task_id: id });
    // Another worker was quicker, or the task is meant for somebody else.
    if (!claimed) continue;
    try {
      await work(title);
    } catch (error) {
      await perform(world, operations.release_task, { task_id: id, fence });
      throw error;
    }
    // The fence says which claim this is: the call is refused (`stale_fence`) where another took the task over meanwhile.
    await perform(world, operations.update_task, { task_id: id, status: "done", fence });
    return true;
  }
  return false;
}

while (await workOnOne());
