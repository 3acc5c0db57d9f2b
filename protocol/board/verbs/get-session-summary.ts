import * as z from "zod/mini";
import { maybe } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import { refuse } from "../../core/refusal.ts";
import { originsOf } from "../../trust/files/note-origins.ts";
import { broughtField } from "../../trust/nouns/origin.ts";
import { findSession, listSessions } from "../files/sessions.ts";
import { earlierSummaries, hasSummary, readSummary } from "../files/summaries.ts";
import { summaryPath } from "../nouns/session.ts";
import { requireSession } from "./require-session.ts";

/** Gives the summary of a session. */
export const get_session_summary = defineOperation({
  name: "get_session_summary",
  tool: "board",
  command: "session summary",
  summary: "Print a session's summary, by default of the newest session that has one",
  when: "Read the results of an earlier session.",
  effect: "read",
  identity: "optional",
  positionals: ["session_id"],
  input: () => ({
    session_id: maybe(z.string().check(z.describe("default: the newest that has one"))),
    version: maybe(z.int().check(z.gte(1), z.describe("an earlier one"))),
  }),
  unlisted: ["version"],
  output: () => ({
    summary: z.string(),
    /** The numbers of the earlier ones, oldest first; absent where there are none. */
    versions: z.optional(z.array(z.number())),
    /** Present of what a sync brought: `by sync` and the commit. */
    origin: z.optional(z.string()),
  }),
  example: { session_id: "2026-01-31-001-K3F9" },
  async run(world, input) {
    const newest = (): string | undefined => listSessions(world.home().store).find((each) => hasSummary(world, each.id))?.id;
    const named = input.session_id === undefined ? newest() : findSession(world, input.session_id);
    if (named === undefined || named === null) throw refuse("unknown_session", { given: "", summary: false });
    const { id } = requireSession(world, named);
    const earlier = earlierSummaries(world, id);
    if (input.version !== undefined && !earlier.includes(input.version))
      throw refuse("invalid_argument", {
        argument: "version",
        expected: earlier.length === 0 ? "nothing: this summary has no earlier version" : `one of ${earlier.join(", ")}`,
        given: input.version,
        example: earlier.at(-1) ?? 1,
      });
    const summary = readSummary(world, id, input.version);
    if (summary === null) throw refuse("unknown_session", { given: id, summary: false });
    const origin = broughtField(originsOf(world)(summaryPath(id)));
    return { summary, ...(earlier.length === 0 ? {} : { versions: earlier }), ...origin };
  },
});
