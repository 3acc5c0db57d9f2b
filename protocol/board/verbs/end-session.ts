import * as z from "zod/mini";
import type { SummaryRules } from "../../core/config/config.ts";
import { parseMessageId, shortOf } from "../../core/format/id.ts";
import { many } from "../../core/format/many.ts";
import { flag, LIMITS, text } from "../../core/format/schema.ts";
import type { Faults as FaultList } from "../../core/home/broken-files.ts";
import { HUMAN } from "../../core/names.ts";
import { defineOperation } from "../../core/operation.ts";
import { packageWith } from "../../core/package.ts";
import { type Refusal, refuse } from "../../core/refusal.ts";
import { Faults, SessionId } from "../../core/shapes.ts";
import { withFaults } from "../../core/with-faults.ts";
import type { World } from "../../core/world.ts";
import { isOfEnded } from "../../mail/asks.ts";
import { ackGiven } from "../../mail/files/ack-mail.ts";
import { unreadIds } from "../../mail/files/inbox-files.ts";
import { isSeen, isShownWhole } from "../../mail/files/mail.ts";
import { nameNow } from "../../mail/files/members.ts";
import { messageOf, readMessage } from "../../mail/files/read-message.ts";
import { messagePath } from "../../mail/nouns/message.ts";
import { approvalsOf } from "../files/approved-behind.ts";
import { endMerged } from "../files/end-merged.ts";
import { endSession } from "../files/end-session.ts";
import { listTasks } from "../files/list-tasks.ts";
import { readMemory } from "../files/memories.ts";
import { listReviews } from "../files/read-review.ts";
import { sessionThreads } from "../files/session-messages.ts";
import { findSession } from "../files/sessions.ts";
import { readSummary, saveSummary } from "../files/summaries.ts";
import { contentsOf } from "../nouns/memory-blocks.ts";
import { summaryPath } from "../nouns/session.ts";
import { summaryTemplate, unfilled, withLists } from "../nouns/summary-template.ts";
import { isFinished, type Task, type TaskRow } from "../nouns/task.ts";
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
    tasks: z.optional(z.string().check(z.describe("how many are done, and by whom"))),
    open: z.optional(z.array(z.string()).check(z.describe("tasks and reviews that are not done"))),
    unmerged: z.optional(z.array(z.string()).check(z.describe("approved work that the main branch lacks, and how to merge it"))),
    unread: z.optional(z.array(z.string()).check(z.describe("parts with unread mail, and how much"))),
    summary_path: z.optional(z.string()),
    recorded: z.optional(z.boolean()),
    next: z.optional(z.string().check(z.describe("what the caller has still to do"))),
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
    // What was merged just now is done, whoever looks first.
    if (input.template !== true) await endMerged(world, caller.part);
    const tasks = listTasks(world, id, problems);
    const rules = world.home().config().summaries;
    const at = new Date(world.now()).toISOString();
    const by = caller.part || "human";
    const { listed, more } = contentsOf(readMemory(world, null) ?? "");
    const filling = {
      ...{ session, tasks, threads: sessionThreads(world, session), by, at },
      reviews: listReviews(world, id, [])
        .map((review) => ({ ...review, reviewer: nameNow(world, review.reviewer) }))
        .sort((a, b) => (a.at < b.at ? -1 : 1)),
      memory: [...listed.flatMap(({ key }) => key ?? []), ...(more === 0 ? [] : [`and ${more} more`])],
      usage: packageWith("usageOfSession").usageOfSession(world, id),
    };
    const template = summaryTemplate(filling, rules);
    if (input.template === true) return withFaults({ session_id: id, ended: false, template, ...lacking(template, id, rules) }, problems);
    const saved = input.summary === undefined ? {} : { summary_saved: true };
    const refusal = input.force === true ? null : unfinishedOf(world, id, tasks, caller.part, saved);
    if (refusal !== null) {
      // Whoever typed it keeps it, also where the session cannot end yet.
      if (input.summary !== undefined) await saveSummary(world, id, input.summary);
      throw refusal;
    }
    // Also that of an end which was refused.
    const words = input.summary ?? readSummary(world, id);
    await saveSummary(world, id, words === null ? template : withLists(words, filling));
    endSession(world, id, by);
    if (world.connection.session === id) world.connection.session = null;
    if (world.connection.resumed === id) world.connection.resumed = undefined;
    const { recorded, warning: unrecorded } = await packageWith("recordNow").recordNow(world);
    const approvals = await approvalsOf(world, id);
    const unmerged = (await approvals.unmerged()).map(({ words }) => words);
    const warnings = [...approvals.behind.map(({ words }) => words), ...(unrecorded === undefined ? [] : [unrecorded])];
    const left = tasks.filter(({ status }) => !isFinished(status));
    const asked = listReviews(world, id, []).filter(({ status }) => status === "pending");
    const undone = [
      ...left.map(
        (task) =>
          `task ${shortOf(task.id)} '${task.title}' ${task.status}${task.assignee === undefined ? "" : `, of ${nameNow(world, task.assignee)}`}`,
      ),
      ...asked.map(({ name, reviewer }) => `review of ${name} with ${nameNow(world, reviewer)}`),
    ];
    const gaps = lacking(readSummary(world, id) ?? "", id, rules);
    const { store } = world.home();
    const { part } = caller;
    // What its caller was shown needs no further call.
    ackGiven(
      world,
      part,
      unreadIds(store, part).filter((each) => isShownWhole(world, part, each)),
    );
    const unread = unreadOf(world);
    // What was sent in the session that is over is owed by nobody.
    const own = unreadIds(store, part).filter((each) => !isOfEnded(store, messageOf(store, each))).length;
    const rest = [
      ...(unmerged.length === 0 ? [] : ["merge what is approved"]),
      ...(undone.length === 0 ? [] : ["what is open"]),
      ...(gaps.unfilled === undefined ? [] : ["the gaps of the summary"]),
      ...(warnings.length === 0 ? [] : ["what it warns of"]),
      ...(own === 0 ? [] : [`read ${many(own, "message")} (relay next)`]),
    ];
    return withFaults(
      {
        session_id: id,
        ended: true,
        ...(tasks.length === 0 ? {} : { tasks: doneWords(world, tasks) }),
        ...(left.length === 0 ? {} : { left: left.length }),
        ...(undone.length === 0 ? {} : { open: undone }),
        ...(unmerged.length === 0 ? {} : { unmerged }),
        ...(unread.size === 0 ? {} : { unread: [...unread].map(([part, count]) => `${part} (${count})`) }),
        ...(recorded === undefined ? {} : { recorded }),
        ...gaps,
        ...(warnings.length === 0 ? {} : { warning: warnings.join("; ") }),
        summary_path: summaryPath(id),
        next: rest.length === 0 ? "Nothing is left for you." : `Left for you: ${rest.join("; ")}. Nothing else.`,
      },
      problems,
    );
  },
});

/** How many of some tasks are done, and by whom. */
function doneWords(world: World, tasks: readonly Pick<Task, "status" | "assignee">[]): string {
  const done = tasks.filter(({ status }) => status === "done");
  const by = new Map<string, number>();
  for (const part of done.flatMap(({ assignee }) => (assignee === undefined ? [] : nameNow(world, assignee))))
    by.set(part, (by.get(part) ?? 0) + 1);
  const each = [...by].map(([part, count]) => `${part} ${count}`);
  return `${done.length} of ${many(tasks.length, "task")} done${each.length === 0 ? "" : ` (${each.join(", ")})`}`;
}

/** Counts the unread mail of each part that has some, but of people. */
function unreadOf(world: World): ReadonlyMap<string, number> {
  const { store, config } = world.home();
  const counts = [...config().parts.keys()].map((part): [string, number] => [part, part === HUMAN ? 0 : unreadIds(store, part).length]);
  return new Map(counts.filter(([, count]) => count > 0));
}

/** Why a session cannot end: a task is held; who ends it, else main, has mail that it was not shown; a review is open. Null where it can. */
function unfinishedOf(
  world: World,
  session: string,
  tasks: readonly TaskRow[],
  caller: string,
  saved: { summary_saved?: boolean },
): Refusal | null {
  const held = tasks.filter(({ status }) => status === "in_progress");
  if (held.length > 0)
    return refuse("tasks_in_progress", {
      sessionId: session,
      tasks: held.map((task) => ({ id: task.id, title: task.title, assignee: task.assignee ?? null })),
      ...saved,
    });
  const part = caller === "" || caller === HUMAN ? world.home().config().main : caller;
  const { store } = world.home();
  const unread = unreadIds(store, part).flatMap((id) => {
    const at = parseMessageId(id);
    const message = at === null || isSeen(world, part, id) ? null : readMessage(store, at, messagePath(at), []);
    return message === null
      ? []
      : [message.subject.startsWith(`${message.from} `) ? message.subject : `${message.from}: ${message.subject}`];
  });
  const reviews = listReviews(world, session, []).filter(({ status }) => status === "pending");
  if (unread.length + reviews.length === 0) return null;
  const asked = reviews.map(({ name, reviewer }) => `${name} at ${nameNow(world, reviewer)}`);
  return refuse("session_unfinished", { sessionId: session, part, unread, reviews: asked, ...saved });
}

/** What a summary lacks of what `relay.yml` asks for; nothing where it lacks nothing. */
function lacking(summary: string, session: string, rules: SummaryRules): { unfilled?: string[] } {
  const found = unfilled(summary, session, rules);
  return found.length === 0 ? {} : { unfilled: found };
}
