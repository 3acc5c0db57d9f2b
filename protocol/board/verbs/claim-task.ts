import * as z from "zod/mini";
import { compareNewest } from "../../core/format/id.ts";
import { LIMITS, maybe } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import { Refusal } from "../../core/refusal.ts";
import { SessionId } from "../../core/shapes.ts";
import type { World } from "../../core/world.ts";
import { ackTold } from "../../mail/files/ack-mail.ts";
import { enter } from "../../mail/files/guests.ts";
import { unreadIds } from "../../mail/files/inbox-files.ts";
import { nameNow } from "../../mail/files/members.ts";
import { claimTask } from "../files/claim-task.ts";
import { formerHolders } from "../files/former-holders.ts";
import { closeReady, isAssignment } from "../files/hand-over.ts";
import { noteMemoryTold, unknownMemory } from "../files/known-memory.ts";
import { requireOngoing } from "../files/require-ongoing.ts";
import { currentSession } from "../files/sessions.ts";
import { readTask, requireTaskId, resolveTask } from "../files/task-files.ts";

/** Claims a task. */
export const claim_task = defineOperation({
  name: "claim_task",
  tool: "board",
  command: "task claim",
  summary: "Claim a task; exactly one agent gets it",
  when: "Take a task before you work on it; renewed while you are connected.",
  effect: "write",
  endsWithNews: true,
  idempotent: false,
  identity: "writer",
  positionals: ["task_id"],
  input: () => ({
    task_id: z.string(),
    lease_s: maybe(
      z.int().check(z.gte(1), z.lte(LIMITS.leaseSeconds), z.describe("how long the claim lasts, in seconds; MCP connections renew theirs")),
    ),
    session_id: SessionId,
  }),
  output: () => ({
    claimed: z.boolean(),
    task_id: z.string(),
    fence: z.number(),
    reason: z.optional(z.string()),
    until: z.optional(z.number()),
    provisional: z.optional(z.boolean()),
    description: z.optional(z.string()),
    reviewers: z.optional(z.array(z.string())),
    /** Former holders, and the work of theirs that this machine has. */
    former: z.optional(z.string()),
    /** Of the project's memory what the part has not read, and was not told of: `key: text`, or `key …` where that is long. */
    memory: z.optional(z.array(z.string())),
  }),
  example: { task_id: "task-k3f9x2ab7q" },
  exit: ({ claimed }) => (claimed ? 0 : 4),
  async run(world, input, caller) {
    const session = currentSession(world, input.session_id);
    return inItsWords(async () => {
      requireOngoing(world, session);
      const id = resolveTask(world, session, input.task_id) ?? requireTaskId(world, session, input.task_id);
      const outcome = await claimTask(world, session, id, { agent: caller.part, leaseS: input.lease_s, own: true });
      if (outcome.claimed && caller.isNew === true) enter(world, session, caller.part);
      if (outcome.claimed) ackAssignment(world, caller.part, id);
      const task = outcome.claimed ? readTask(world, session, id) : null;
      if (task !== null) await closeReady(world, session, task);
      const { description = "", reviewers = [] } = task ?? {};
      const { told: memory, digests } = outcome.claimed ? unknownMemory(world, caller.part) : { told: [], digests: [] };
      noteMemoryTold(world, caller.part, digests);
      const former = outcome.claimed && outcome.fence > 1 ? await formerHolders(world, session, id, caller.part) : null;
      return {
        ...{ task_id: id, ...outcome, ...(description === "" ? {} : { description }), ...(memory.length === 0 ? {} : { memory }) },
        ...(former === null ? {} : { former }),
        ...(reviewers.length === 0 ? {} : { reviewers: reviewers.map((each) => nameNow(world, each)) }),
      };
    });
  },
});

/** Newest unread messages among which the mail of an assignment is looked for. */
const LOOKED_AT = 50;

/** Acks the mail that told a part to claim a task. */
function ackAssignment(world: World, part: string, id: string): void {
  const newest = unreadIds(world.home().store, part).sort(compareNewest).slice(0, LOOKED_AT);
  ackTold(world, part, newest, ({ body }) => isAssignment(body, id));
}

/** What a claim is refused for, in the words of a claim as well: an agent that reads only `claimed` learns it. */
async function inItsWords<T>(claim: () => Promise<T>): Promise<T> {
  try {
    return await claim();
  } catch (error) {
    if (error instanceof Refusal) Object.assign(error.data, { claimed: false, reason: error.data["reason"] ?? error.message });
    throw error;
  }
}
