/**
 * An agent that claims tasks, works on them, finishes most and gives some back, and logs every call as the history has it,
 * until it is told to stop or dies. At times it works for longer than its lease, and says what it did all the same. Its one
 * argument is a `ClaimPlan`.
 */
import fs from "node:fs";
import { answer, createWorld, newConnection, operations } from "../../protocol/index.ts";
import { type Asked, type ClaimEntry, endOf, monotonic } from "../history/claim-log.ts";
import "../rig/end-with-parent.ts";

/** Who claims, and how. */
export interface ClaimPlan {
  /** The folder that holds the home. */
  folder: string;
  session: string;
  agent: string;
  /** Sets its calls apart from those of every other process. */
  name: string;
  /** Whether its claims last while it lives, and are renewed. */
  lasting: boolean;
  leaseS: number;
  /** It ends once this file is there. */
  until: string;
  /** A holder of a lock that is silent for so long counts as dead. */
  lockStaleMs: number;
}

// biome-ignore lint/suspicious/noExplicitAny: each operation answers its own fields.
type Answer = any;
const plan = JSON.parse(process.argv[2] ?? "{}") as ClaimPlan;
const { agent, lasting, session: session_id } = plan;
const world = createWorld({
  cwd: plan.folder,
  part: agent,
  env: { XDG_STATE_HOME: process.env["XDG_STATE_HOME"] },
  connection: newConnection(lasting),
});
world.home().store.lockStaleMs = plan.lockStaleMs;
const log = (entry: ClaimEntry): boolean => process.stdout.write(`${JSON.stringify(entry)}\n`);
const below = (limit: number): number => Math.floor(Math.random() * limit);
const pause = (ms: number): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, ms));

let calls = 0;

/** @param believed the fence that this process has of the task; it is said in half of the calls, or `said` in all */
async function call(kind: Asked["kind"], task: string, believed?: number, said = Math.random() < 0.5): Promise<Answer> {
  calls += 1;
  const id = `${plan.name}-${calls}`;
  const about = kind === "claim" ? { leaseMs: plan.leaseS * 1_000, lasting } : {};
  log({ phase: "invoked", call: id, at: monotonic(), kind, task, agent, process: plan.name, believed, ...about });
  const told: Answer = await perform(kind, { task_id: task, session_id, ...(said && believed !== undefined ? { fence: believed } : {}) });
  log(endOf(id, monotonic(), told));
  return told;
}

function perform(kind: Asked["kind"], input: object): Promise<Answer> {
  if (kind === "claim") return answer(world, operations.claim_task, { ...input, lease_s: plan.leaseS });
  if (kind === "release") return answer(world, operations.release_task, input);
  return answer(world, operations.update_task, { ...input, status: kind });
}

/** What the board shows. */
async function tasks(wanted: object): Promise<string[]> {
  const told: Answer = await answer(world, operations.get_all_tasks, { session_id, limit: 5, ...wanted });
  return told.tasks.map(({ id }: Answer) => id);
}

/** What is left in review by an earlier process of this agent is nobody else's to finish. */
async function finishReviews(): Promise<void> {
  for (const task of await tasks({ status: "in_review", assignee: agent })) await call("done", task);
}

/** Works on a task that it has; what it says after its lease is over counts unless somebody took over. */
async function workOn(task: string, fence: number): Promise<void> {
  const fate = Math.random();
  await pause(fate < 0.9 ? below(60) : plan.leaseS * 1_000 + below(400));
  if (Math.random() < 0.08) {
    await call("release", task, fence);
    return;
  }
  if (Math.random() < 0.4) {
    const told = await call("in_review", task, fence);
    await pause(below(30));
    if (told.success !== true) return;
  }
  const told = await call("done", task, fence);
  // Who was refused, or is not sure to have been heard, says it again: with its fence, which is over now.
  if (told.success !== true ? Math.random() < 0.5 : Math.random() < 0.1) await call("done", task, fence, true);
}

process.stdout.write('{"ready":true}\n');
while (!fs.existsSync(plan.until)) {
  const open = await tasks(Math.random() < 0.75 ? { ready: true } : { status: "in_progress" });
  const task = open[below(open.length)];
  if (task === undefined) {
    await finishReviews();
    await pause(5 + below(20));
    continue;
  }
  const told = await call("claim", task);
  if (told.claimed === true) await workOn(task, told.fence);
}
await finishReviews();
