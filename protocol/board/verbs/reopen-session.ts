import * as z from "zod/mini";
import { defineOperation } from "../../core/operation.ts";
import { reopenSession } from "../files/end-session.ts";
import { findSession } from "../files/sessions.ts";
import { requireSession } from "./require-session.ts";

/** Opens a session again. */
export const reopen_session = defineOperation({
  name: "reopen_session",
  command: "session reopen",
  summary: "Reopen a session that has ended; its tasks are back on the board",
  effect: "write",
  idempotent: true,
  identity: "optional",
  positionals: ["session_id"],
  input: () => ({ session_id: z.string() }),
  output: () => ({ session_id: z.string(), reopened: z.boolean(), warning: z.optional(z.string()) }),
  example: { session_id: "2026-01-31-001-K3F9" },
  async run(world, input, caller) {
    const id = findSession(world, input.session_id) ?? input.session_id;
    requireSession(world, id);
    const reopened = reopenSession(world, id, caller.part || "human");
    const current = findSession(world, undefined);
    if (current === null || current === id) return { session_id: id, reopened };
    return {
      session_id: id,
      reopened,
      warning: `commands go on in session ${current}, which is open too and newer. To work in this one: --session ${id}, or RELAY_SESSION_ID=${id}`,
    };
  },
});
