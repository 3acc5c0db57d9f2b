import * as z from "zod/mini";
import { atMost, flag, LIMITS, maybe, prose } from "../../objects/format/schema.ts";
import { THREAD_STATUSES } from "../../objects/message/thread.ts";
import { defineOperation } from "../../operation.ts";
import { setThreadStatus, ThreadStatusAnswer } from "./set-thread-status.ts";

/** Sets a thread's status. */
export const close = defineOperation({
  name: "close",
  tool: "room",
  summary: "Set the status of a thread: closed, canceled, holding, answered or open",
  when: "Close, hold or reopen a thread. lesson: for the project's memory.",
  effect: "write",
  idempotent: true,
  identity: "writer",
  positionals: ["threadId", "status"],
  input: () => ({
    threadId: z.string().check(z.minLength(1), ...atMost(128)),
    status: z._default(z.enum(THREAD_STATUSES), "closed"),
    ack: flag("ack what you saw"),
    lesson: maybe(prose(LIMITS.lesson, "kept in memory/project.md")),
  }),
  unlisted: ["ack"],
  output: () => ThreadStatusAnswer.shape,
  example: { threadId: "t-20260131-k3f9x2ab", status: "closed" },
  run: (world, input, caller) => setThreadStatus(world, input.threadId, input.status, caller, input),
});
