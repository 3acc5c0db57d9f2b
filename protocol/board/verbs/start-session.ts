import * as z from "zod/mini";
import { acted } from "../../core/act.ts";
import { many } from "../../core/format/many.ts";
import { LIMITS, line, maybe } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import { refuse } from "../../core/refusal.ts";
import { listTasks } from "../files/list-tasks.ts";
import { findSession, startSession } from "../files/sessions.ts";
import { isFinished } from "../nouns/task.ts";
import { joinSession, requireSession } from "./require-session.ts";

/** Begins a session, or opens an old one, for this connection. */
export const start_session = defineOperation({
  name: "start_session",
  tool: "board",
  command: "session start",
  summary: "Begin a session with a title, or reopen an earlier one by its id",
  when: "Begin a session of joint work.",
  effect: "write",
  idempotent: true,
  identity: "optional",
  positionals: ["session_id"],
  beginsSession: true,
  example: { session_id: "Refunds for the shop" },
  input: () => ({
    session_id: z.optional(z.string().check(z.describe("an earlier one, or the title of a new one"))),
    title: maybe(line(LIMITS.taskTitle, "what a new one is about")),
  }),
  unlisted: ["title"],
  output: () => ({ session_id: z.string(), warning: z.optional(z.string()) }),
  async run(world, input, caller) {
    // No id has a space in it, and most titles do.
    const isTitle = input.title === undefined && input.session_id?.trim().includes(" ") === true;
    const title = isTitle ? readTitle(input.session_id as string) : input.title;
    const named = isTitle ? undefined : input.session_id;
    const before = named === undefined ? findSession(world, undefined) : null;
    const id = startSession(world, named, caller.part || "human", title);
    joinSession(world, id, caller.part);
    const { endedAt } = requireSession(world, id);
    world.connection.session = id;
    world.connection.resumed = endedAt === undefined ? undefined : id;
    acted(world, { event: { type: "session:started", part: caller.part || null, sessionId: id } });
    if (endedAt === undefined) {
      const left = before === null || before === id ? 0 : listTasks(world, before, []).filter(({ status }) => !isFinished(status)).length;
      if (left === 0) return { session_id: id };
      return {
        session_id: id,
        warning: `session ${before} is open too, with ${many(left, "task")} not done; commands work in the new session now. To go on in that one: --session ${before}, or RELAY_SESSION_ID=${before}`,
      };
    }
    return {
      session_id: id,
      warning: `session ${id} ended at ${endedAt}, so others work in a newer one. To work in this one again: relay session reopen ${id}`,
    };
  },
});

/** A title that was given as an id. @throws Refusal `bad_session` */
function readTitle(given: string): string {
  const title = line(LIMITS.taskTitle, "").safeParse(given.trim());
  if (!title.success) throw refuse("bad_session", { given });
  return title.data;
}
