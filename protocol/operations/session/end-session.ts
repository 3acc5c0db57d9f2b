import * as z from "zod/mini";
import { approvedBehind } from "../../home/artifact/approved-behind.ts";
import { listReviews } from "../../home/artifact/read-review.ts";
import type { Faults as FaultList } from "../../home/broken-files.ts";
import { isSeen } from "../../home/message/mail.ts";
import { sessionThreads } from "../../home/message/session-messages.ts";
import { unreadIds } from "../../home/part/inbox-files.ts";
import { nameNow } from "../../home/part/members.ts";
import { endSession } from "../../home/session/end-session.ts";
import { findSession } from "../../home/session/sessions.ts";
import { readSummary, saveSummary } from "../../home/session/summaries.ts";
import { recordNow } from "../../home/sync/run-recorder.ts";
import { listTasks } from "../../home/task/list-tasks.ts";
import { readMessage } from "../../home/thread/read-message.ts";
import { usageOfSession } from "../../home/usage/short-usage.ts";
import type { SummaryRules } from "../../objects/config/config.ts";
import { parseMessageId } from "../../objects/format/id.ts";
import { flag, LIMITS, text } from "../../objects/format/schema.ts";
import { messagePath } from "../../objects/message/message.ts";
import { HUMAN } from "../../objects/part/part.ts";
import { summaryTemplate, unfilled } from "../../objects/summary/summary-template.ts";
import { isFinished } from "../../objects/task/task.ts";
import { defineOperation } from "../../operation.ts";
import { refuse } from "../../refusal.ts";
import type { World } from "../../world.ts";
import { Faults, SessionId } from "../shapes.ts";
import { withFaults } from "../with-faults.ts";
import { requireSession } from "./require-session.ts";

/** Ends a session. */
export const end_session = defineOperation({
  name: "end_session",
  tool: "board",
  command: "session end",
  summary: "End a session, with your summary or one made from the board; --force also with work, mail or reviews open",
  when: "End a session; force: with work open.",
  effect: "write",
  idempotent: true,
  identity: "optional",
  keepsBytes: true,
  positionals: ["session_id"],
  input: () => ({
    session_id: SessionId,
    summary: z.optional(text(LIMITS.summary, "saved before the end")),
    force: flag("though work, mail or reviews are open"),
    template: flag("only give a summary to fill in"),
  }),
  output: () => ({
    session_id: z.string(),
    ended: z.boolean(),
    left: z.optional(z.int().check(z.describe("tasks that are not done"))),
    template: z.optional(z.string()),
    unfilled: z.optional(z.array(z.string())),
    warning: z.optional(z.string()),
    problems: Faults,
  }),
  example: { session_id: "2026-01-31-001-K3F9" },
  async run(world, input, caller) {
    const id = findSession(world, input.session_id);
    if (id === null) throw refuse("unknown_session", { given: input.session_id ?? "" });
    const session = requireSession(world, id);
    const problems: FaultList = [];
    const tasks = listTasks(world, id, problems);
    const rules = world.home().config().summaries;
    const at = new Date(world.now()).toISOString();
    const by = caller.part || "human";
    const template = summaryTemplate(
      { session, tasks, threads: sessionThreads(world, session), usage: usageOfSession(world, id), by, at },
      rules,
    );
    if (input.template === true) return withFaults({ session_id: id, ended: false, template, ...lacking(template, id, rules) }, problems);
    // Whoever typed it keeps it, also where the session cannot end yet.
    if (input.summary !== undefined) await saveSummary(world, id, input.summary);
    const saved = input.summary === undefined ? {} : { summary_saved: true };
    const open = tasks.filter(({ status }) => status === "in_progress");
    if (open.length > 0 && input.force !== true) {
      throw refuse("tasks_in_progress", {
        sessionId: id,
        tasks: open.map((task) => ({ id: task.id, title: task.title, assignee: task.assignee ?? null })),
        ...saved,
      });
    }
    if (input.force !== true) requireFinished(world, id, caller.part, saved);
    if (readSummary(world, id) === null) await saveSummary(world, id, template);
    endSession(world, id, by);
    if (world.connection.session === id) world.connection.session = null;
    if (world.connection.resumed === id) world.connection.resumed = undefined;
    const left = tasks.filter(({ status }) => !isFinished(status)).length;
    const unrecorded = await recordNow(world);
    const behind = (await approvedBehind(world, id)).map(({ words }) => words);
    const warnings = [...behind, ...unreadOf(world, by), ...(unrecorded === undefined ? [] : [unrecorded])];
    return withFaults(
      {
        session_id: id,
        ended: true,
        ...(left === 0 ? {} : { left }),
        ...lacking(readSummary(world, id) ?? "", id, rules),
        ...(warnings.length === 0 ? {} : { warning: warnings.join("; ") }),
      },
      problems,
    );
  },
});

/** Counts in words the unread mail of all parts but who ends the session and people. */
function unreadOf(world: World, by: string): string[] {
  const { store, config } = world.home();
  const counts = [...config().parts.keys()].flatMap((part) => {
    const count = part === by || part === HUMAN ? 0 : unreadIds(store, part).length;
    return count === 0 ? [] : [`${part} (${count})`];
  });
  return counts.length === 0 ? [] : [`unread mail: ${counts.join(", ")}`];
}

/** @throws Refusal `session_unfinished` where who ends it, else main, has mail that it was not shown, or a review is open */
function requireFinished(world: World, session: string, caller: string, saved: { summary_saved?: boolean }): void {
  const part = caller === "" || caller === HUMAN ? world.home().config().main : caller;
  const { store } = world.home();
  const unread = unreadIds(store, part).flatMap((id) => {
    const at = parseMessageId(id);
    const message = at === null || isSeen(world, part, id) ? null : readMessage(store, at, messagePath(at), []);
    return message === null ? [] : [message.subject];
  });
  const reviews = listReviews(world, session, []).filter(({ status }) => status === "pending");
  if (unread.length + reviews.length === 0) return;
  const asked = reviews.map(({ name, reviewer }) => `${name} at ${nameNow(world, reviewer)}`);
  throw refuse("session_unfinished", { sessionId: session, part, unread, reviews: asked, ...saved });
}

/** What a summary lacks of what `relay.yml` asks for; nothing where it lacks nothing. */
function lacking(summary: string, session: string, rules: SummaryRules): { unfilled?: string[] } {
  const found = unfilled(summary, session, rules);
  return found.length === 0 ? {} : { unfilled: found };
}
