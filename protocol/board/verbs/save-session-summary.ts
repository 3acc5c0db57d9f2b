import * as z from "zod/mini";
import { LIMITS, text } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import { packageWith } from "../../core/package.ts";
import { startSession } from "../files/sessions.ts";
import { saveSummary } from "../files/summaries.ts";
import { joinSession } from "./require-session.ts";

/** Saves the summary of a session, whole. */
export const save_session_summary = defineOperation({
  name: "save_session_summary",
  tool: "board",
  command: "session save",
  summary: "Save the summary of a session; earlier ones are kept as versions",
  when: "Save the results of a session, as Markdown.",
  effect: "write",
  idempotent: true,
  identity: "optional",
  keepsBytes: true,
  positionals: ["session_id", "summary"],
  input: () => ({ session_id: z.string(), summary: text(LIMITS.summary, "Markdown") }),
  output: () => ({ session_id: z.string(), version: z.optional(z.number()), warning: z.optional(z.string()) }),
  example: { session_id: "2026-01-31-001-K3F9", summary: "# What was done" },
  async run(world, input, caller) {
    const id = startSession(world, input.session_id, caller.part || "human");
    joinSession(world, id, caller.part);
    const version = await saveSummary(world, id, input.summary);
    const { warning } = await packageWith("recordNow").recordNow(world);
    return { session_id: id, ...(version === null ? {} : { version }), ...(warning === undefined ? {} : { warning }) };
  },
});
