import * as z from "zod/mini";
import { tell } from "../../home/feed.ts";
import { sessionThreads } from "../../home/message/session-messages.ts";
import { enter } from "../../home/part/parts.ts";
import {
  currentSession,
  endSession,
  findSession,
  listSessions,
  openSession,
  readSession,
  reopenSession,
  startSession,
} from "../../home/session/sessions.ts";
import { hasSummary, readState, readSummary, saveState, saveSummary } from "../../home/session/summaries.ts";
import { listTasks } from "../../home/task/tasks.ts";
import type { Faults as FaultList } from "../../home/thread/threads.ts";
import type { SummaryRules } from "../../objects/config/config.ts";
import { flag, LIMITS, text, verbatim } from "../../objects/format/schema.ts";
import { isSessionId, type Session } from "../../objects/session/session.ts";
import { summaryTemplate, unfilled } from "../../objects/summary/summary-template.ts";
import { defineOperation } from "../../operation.ts";
import { refuse } from "../../refusal.ts";
import type { World } from "../../world.ts";
import { Faults, SessionId, withFaults } from "../shapes.ts";

const shared = { effect: "write", idempotent: true, home: true } as const;

/** Whoever says who it is joins by what it writes; a person at a terminal need not say so. */
function joinSession(world: World, session: string, part: string): void {
  if (part !== "") enter(world, session, part);
}

/** Begins a session, or opens an old one, for this connection. */
export const startSessionOperation = defineOperation({
  ...shared,
  name: "start_session",
  tool: { name: "start_session", group: "board" },
  command: "session start",
  summary: "Begin a session, or open an earlier one by its id",
  when: "Begin joint work, or go on with an earlier session by its id.",
  identity: "optional",
  positionals: ["session_id"],
  input: () => z.object({ session_id: z.optional(z.string().check(z.describe("an earlier one; default: a new one"))) }),
  output: () => z.object({ session_id: z.string(), warning: z.optional(z.string()) }),
  example: {},
  async run(world, input, caller) {
    const id = startSession(world, input.session_id, caller.part || "human");
    joinSession(world, id, caller.part);
    const { endedAt } = required(world, id);
    world.connection.session = id;
    world.connection.resumed = endedAt === undefined ? undefined : id;
    tell(world, { type: "session:started", part: caller.part || null, sessionId: id });
    if (endedAt === undefined) return { session_id: id };
    return {
      session_id: id,
      warning: `session ${id} ended at ${endedAt}: others look into a newer one, and begin nothing in it until it is open again: relay session reopen ${id}`,
    };
  },
});

/** Lists every session. */
export const listSessionsOperation = defineOperation({
  ...shared,
  name: "list_sessions",
  tool: { name: "list_sessions", group: "board" },
  command: "session list",
  summary: "List sessions, newest first",
  when: "List the ids of sessions, newest first.",
  effect: "read",
  identity: "optional",
  positionals: [],
  input: () => z.object({}),
  output: () =>
    z.object({
      sessions: z.array(z.string()),
      details: z.array(
        z.object({
          id: z.string(),
          started_at: z.string(),
          ended_at: z.nullable(z.string()),
          current: z.boolean(),
          has_summary: z.boolean(),
        }),
      ),
      problems: Faults,
    }),
  example: {},
  async run(world) {
    const problems: FaultList = [];
    const sessions = listSessions(world.home().store, problems);
    const current = findSession(world, undefined);
    const details = sessions.map(({ id, startedAt, endedAt = null }) => ({
      id,
      started_at: startedAt,
      ended_at: endedAt,
      current: id === current,
      has_summary: hasSummary(world, id),
    }));
    return withFaults({ sessions: sessions.map(({ id }) => id), details }, problems);
  },
});

/** Saves the summary of a session, whole. */
export const saveSessionSummary = defineOperation({
  ...shared,
  name: "save_session_summary",
  tool: { name: "save_session_summary", group: "board" },
  command: "session save",
  summary: "Save a session's summary; an earlier one is kept as a version",
  when: "Save what a session came to, as Markdown.",
  identity: "optional",
  positionals: ["session_id", "summary"],
  input: () => z.object({ session_id: z.string(), summary: text(LIMITS.summary, "Markdown") }),
  output: () => z.object({ session_id: z.string(), version: z.optional(z.number()) }),
  example: { session_id: "2026-01-31-001-K3F9", summary: "# What was done" },
  async run(world, input, caller) {
    const id = startSession(world, input.session_id, caller.part || "human");
    joinSession(world, id, caller.part);
    const version = await saveSummary(world, id, input.summary);
    return { session_id: id, ...(version === null ? {} : { version }) };
  },
});

/** Gives the summary of a session. */
export const getSessionSummary = defineOperation({
  ...shared,
  name: "get_session_summary",
  tool: { name: "get_session_summary", group: "board" },
  command: "session summary",
  summary: "Print a session's summary",
  when: "Read what an earlier session came to.",
  effect: "read",
  identity: "optional",
  positionals: ["session_id"],
  input: () => z.object({ session_id: z.string() }),
  output: () => z.object({ summary: z.string() }),
  example: { session_id: "2026-01-31-001-K3F9" },
  async run(world, input) {
    const summary = readSummary(world, required(world, findSession(world, input.session_id) ?? "").id);
    if (summary === null) throw refuse("unknown_session", { given: input.session_id });
    return { summary };
  },
});

/** Ends a session. */
export const endSessionOperation = defineOperation({
  ...shared,
  name: "end_session",
  tool: { name: "end_session", group: "board" },
  command: "session end",
  summary: "End a session, with a summary of its own or from the board; refused while tasks are in progress, unless --force",
  when: "End a session. template: true gives a summary to fill in, from the board, and ends nothing.",
  identity: "optional",
  positionals: ["session_id"],
  input: () =>
    z.object({
      session_id: SessionId,
      summary: z.optional(text(LIMITS.summary, "saved first")),
      force: flag("also with tasks in progress"),
      template: flag("only give a summary to fill in"),
    }),
  output: () =>
    z.object({
      session_id: z.string(),
      ended: z.boolean(),
      left: z.optional(z.int().check(z.describe("tasks that are not done"))),
      template: z.optional(z.string()),
      unfilled: z.optional(z.array(z.string())),
      problems: Faults,
    }),
  example: { session_id: "2026-01-31-001-K3F9" },
  async run(world, input, caller) {
    const id = findSession(world, input.session_id);
    if (id === null) throw refuse("unknown_session", { given: input.session_id ?? "" });
    const session = required(world, id);
    const problems: FaultList = [];
    const tasks = listTasks(world, id, false, problems);
    const rules = world.home().config().summaries;
    const at = new Date(world.now()).toISOString();
    const by = caller.part || "human";
    const template = summaryTemplate({ session, tasks, threads: sessionThreads(world, session), by, at }, rules);
    if (input.template === true) return withFaults({ session_id: id, ended: false, template, ...lacking(template, id, rules) }, problems);
    const open = tasks.filter(({ status }) => status === "in_progress");
    if (open.length > 0 && input.force !== true) {
      throw refuse("tasks_in_progress", {
        sessionId: id,
        tasks: open.map((task) => ({ id: task.id, title: task.title, assignee: task.assignee ?? null })),
      });
    }
    if (input.summary !== undefined) await saveSummary(world, id, input.summary);
    else if (readSummary(world, id) === null) await saveSummary(world, id, template);
    endSession(world, id, by);
    if (world.connection.session === id) world.connection.session = null;
    if (world.connection.resumed === id) world.connection.resumed = undefined;
    const left = tasks.filter(({ status }) => status !== "done").length;
    return withFaults(
      { session_id: id, ended: true, ...(left === 0 ? {} : { left }), ...lacking(readSummary(world, id) ?? "", id, rules) },
      problems,
    );
  },
});

/** Opens a session again. */
export const reopenSessionOperation = defineOperation({
  ...shared,
  name: "reopen_session",
  tool: null,
  command: "session reopen",
  summary: "Open a session again that has ended: its tasks are on the board again",
  when: "Open a session again.",
  identity: "optional",
  positionals: ["session_id"],
  input: () => z.object({ session_id: z.string() }),
  output: () => z.object({ session_id: z.string(), reopened: z.boolean() }),
  example: { session_id: "2026-01-31-001-K3F9" },
  async run(world, input, caller) {
    const id = findSession(world, input.session_id) ?? input.session_id;
    required(world, id);
    return { session_id: id, reopened: reopenSession(world, id, caller.part || "human") };
  },
});

/** What a summary lacks of what `relay.yml` asks for; nothing where it lacks nothing. */
function lacking(summary: string, session: string, rules: SummaryRules): { unfilled?: string[] } {
  const found = unfilled(summary, session, rules);
  return found.length === 0 ? {} : { unfilled: found };
}

function required(world: World, id: string): Session {
  if (!isSessionId(id)) throw refuse("bad_session", { given: id });
  const session = readSession(world.home().store, id);
  if (session === null) throw refuse("unknown_session", { given: id });
  return session;
}

/** Keeps the state of whoever leads the session. */
export const saveOrchestratorState = defineOperation({
  ...shared,
  name: "save_orchestrator_state",
  tool: { name: "save_orchestrator_state", group: "board" },
  command: "state save",
  summary: "Keep the state of whoever leads the session",
  when: "Keep your state while you lead a session, so that you can go on after a restart.",
  identity: "optional",
  positionals: ["state"],
  input: () => z.object({ state: verbatim(LIMITS.state, "any text"), session_id: SessionId }),
  output: () => z.object({ session_id: z.string() }),
  example: { state: '{"step": "plan"}' },
  async run(world, input, caller) {
    const id = currentSession(world, input.session_id);
    openSession(world, id, caller.part || "human");
    joinSession(world, id, caller.part);
    await saveState(world, id, input.state);
    return { session_id: id };
  },
});

/** Gives the state that was kept last. */
export const getOrchestratorState = defineOperation({
  ...shared,
  name: "get_orchestrator_state",
  tool: { name: "get_orchestrator_state", group: "board" },
  command: "state show",
  summary: "Print the state that was kept last",
  when: "Read back the state you kept; do it first when you lead a session.",
  effect: "read",
  identity: "optional",
  positionals: [],
  input: () => z.object({ session_id: SessionId }),
  output: () => z.object({ state: z.nullable(z.string()) }),
  example: {},
  async run(world, input) {
    const id = findSession(world, input.session_id);
    return { state: id === null ? null : readState(world, id) };
  },
});
