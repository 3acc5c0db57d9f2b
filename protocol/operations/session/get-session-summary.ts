import * as z from "zod/mini";
import { findSession } from "../../home/session/sessions.ts";
import { readSummary } from "../../home/session/summaries.ts";
import { defineOperation } from "../../operation.ts";
import { refuse } from "../../refusal.ts";
import { requireSession } from "./require-session.ts";

/** Gives the summary of a session. */
export const get_session_summary = defineOperation({
  name: "get_session_summary",
  tool: "board",
  command: "session summary",
  summary: "Print a session's summary",
  when: "Read the results of an earlier session.",
  effect: "read",
  identity: "optional",
  positionals: ["session_id"],
  input: () => ({ session_id: z.string() }),
  output: () => ({ summary: z.string() }),
  example: { session_id: "2026-01-31-001-K3F9" },
  async run(world, input) {
    const summary = readSummary(world, requireSession(world, findSession(world, input.session_id) ?? "").id);
    if (summary === null) throw refuse("unknown_session", { given: input.session_id });
    return { summary };
  },
});
