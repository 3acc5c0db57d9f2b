import * as z from "zod/mini";
import type { Faults as FaultList } from "../../core/home/broken-files.ts";
import { defineOperation } from "../../core/operation.ts";
import { Faults } from "../../core/shapes.ts";
import { withFaults } from "../../core/with-faults.ts";
import { findSession, listSessions } from "../files/sessions.ts";
import { hasSummary } from "../files/summaries.ts";

/** Lists every session. */
export const list_sessions = defineOperation({
  name: "list_sessions",
  tool: "board",
  command: "session list",
  summary: "List sessions, newest first",
  when: "List the ids of sessions, newest first.",
  effect: "read",
  identity: "optional",
  output: () => ({
    sessions: z.array(z.string()),
    details: z.array(
      z.object({
        id: z.string(),
        title: z.optional(z.string()),
        started_at: z.string(),
        ended_at: z.nullable(z.string()),
        current: z.boolean(),
        has_summary: z.boolean(),
      }),
    ),
    problems: Faults,
  }),
  async run(world) {
    const problems: FaultList = [];
    const sessions = listSessions(world.home().store, problems);
    const current = findSession(world, undefined);
    const details = sessions.map(({ id, title, startedAt, endedAt = null }) => ({
      id,
      ...(title === undefined ? {} : { title }),
      started_at: startedAt,
      ended_at: endedAt,
      current: id === current,
      has_summary: hasSummary(world, id),
    }));
    return withFaults({ sessions: sessions.map(({ id }) => id), details }, problems);
  },
});
