import * as z from "zod/mini";
import { atMost } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import { setThreadStatus, ThreadStatusAnswer } from "./set-thread-status.ts";

/** Opens a thread again. */
export const reopen = defineOperation({
  name: "reopen",
  summary: "Reopen a thread that was closed, canceled or on hold",
  effect: "write",
  idempotent: true,
  identity: "writer",
  positionals: ["threadId"],
  input: () => ({ threadId: z.string().check(z.minLength(1), ...atMost(128)) }),
  output: () => ThreadStatusAnswer.shape,
  example: { threadId: "t-20260131-k3f9x2ab" },
  run: (world, input, caller) => setThreadStatus(world, input.threadId, "open", caller),
});
