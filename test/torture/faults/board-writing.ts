/** The commands of the board that write, for the tests that hurt the disk under them. */
import fs from "node:fs";
import { expect } from "vitest";
import { operations } from "../../../protocol/index.ts";
import { survey } from "../../history/survey.ts";
import { type Answer, ask, type Board, type Fixture, home, outOf, text, type Verdict, type Writing } from "../../history/verdict.ts";

const SESSION = "s-1";

/** Lays what the commands work on: a session with two tasks, an artifact that api is to review, a memory and a summary. */
export async function layBoard(folder: string): Promise<Board> {
  await ask(folder, operations.start_session, { session_id: SESSION });
  const make = async (title: string): Promise<string> => (await ask(folder, operations.create_task, { title }, "main")).task_id;
  const [free, held] = [await make("The free one"), await make("The held one")];
  await ask(folder, operations.claim_task, { task_id: held }, "main");
  const { artifact_id } = await ask(folder, operations.post_artifact, { name: "plan", type: "report", content: "the older one" }, "main");
  const { review_id } = await ask(folder, operations.request_review, { artifact_id, reviewer: "api" }, "main");
  await ask(folder, operations.write_memory, { key: "older", content: "the older one" });
  await ask(folder, operations.save_session_summary, { session_id: SESSION, summary: "the older one" });
  return { session: SESSION, free, held, review: review_id };
}

const boardOf = ({ board }: Fixture): Board => board ?? { session: SESSION, free: "task-0", held: "task-0", review: "review-0" };
const inSession = (...names: string[]): string[] => ["sessions", SESSION, ...names];
const list = (folder: string, ...names: string[]): string[] => {
  const at = home(folder, ...inSession(...names));
  return fs.existsSync(at) ? fs.readdirSync(at).sort() : [];
};

/** A task as the list and the task's own page tell it, which agree with its claims. */
async function taskOf(folder: string, id: string): Promise<{ status: string; assignee: string | null; records: number }> {
  const { task, claim } = await ask(folder, operations.show_task, { task_id: id });
  // Without bytes it is a name that a writer reserved on a disk without hard links.
  const records = list(folder, "claims", id).filter((name) => fs.statSync(home(folder, ...inSession("claims", id, name))).size > 0).length;
  expect(claim?.fence ?? records, "the last record says who holds it").toBe(records);
  expect(claim === null, "a claim goes with work in progress").toBe(task.status !== "in_progress");
  return { status: task.status, assignee: task.assignee, records };
}

/** One of two: how the task was, or how it is to be. */
async function taskVerdict(folder: string, id: string, before: object, after: object): Promise<Verdict> {
  const now = await taskOf(folder, id);
  const whole = JSON.stringify(now) === JSON.stringify(after);
  if (!whole) expect(now).toEqual(before);
  return whole ? "whole" : "absent";
}

const HELD = { status: "in_progress", assignee: "main", records: 1 };

/** Those that each write in a way of their own. */
export const BOARD: Record<string, Writing> = {
  "task create": {
    args: (at) => ["task", "create", "The new one", "--parent-task-id", boardOf(at).free, "--part", "main", "--idempotency-key", "k"],
    retry: (at) => [operations.create_task, { title: "The new one", parent_task_id: boardOf(at).free, idempotency_key: "k" }],
    verdict: async (folder) => {
      const { tasks, problems } = await ask(folder, operations.get_all_tasks);
      expect(problems).toBeUndefined();
      const made = tasks.filter(({ title }: Answer) => title === "The new one");
      expect(made.length).toBeLessThanOrEqual(1);
      return outOf([made.length === 1]);
    },
  },
  "task claim": {
    args: (at) => ["task", "claim", boardOf(at).free, "--part", "web"],
    retry: (at) => [operations.claim_task, { task_id: boardOf(at).free, agent_id: "web" }],
    verdict: (folder, at) =>
      taskVerdict(
        folder,
        boardOf(at).free,
        { status: "todo", assignee: null, records: 0 },
        { status: "in_progress", assignee: "web", records: 1 },
      ),
  },
  "task update": {
    args: (at) => ["task", "update", boardOf(at).held, "done", "--part", "main"],
    retry: (at) => [operations.update_task, { task_id: boardOf(at).held, status: "done" }],
    verdict: (folder, at) => taskVerdict(folder, boardOf(at).held, HELD, { status: "done", assignee: "main", records: 2 }),
  },
  "artifact post": {
    args: () => ["artifact", "post", "plan", "the new one", "--type", "report", "--part", "web"],
    retry: () => [operations.post_artifact, { name: "plan", type: "report", content: "the new one", agent_id: "web" }],
    once: true,
    verdict: async (folder) => {
      const { artifact } = await ask(folder, operations.get_artifact, { name: "plan" });
      const { artifacts } = await ask(folder, operations.list_artifacts);
      expect(artifacts).toMatchObject([{ name: "plan", version: artifact.version }]);
      expect(artifact.content).toBe(artifact.version === 1 ? "the older one" : "the new one");
      expect(artifact.version).toBeLessThanOrEqual(2);
      return outOf([artifact.version === 2]);
    },
  },
  "review submit": {
    args: (at) => ["review", "submit", boardOf(at).review, "approved", "Well done.", "--part", "api"],
    retry: (at) => [
      operations.submit_review,
      { review_id: boardOf(at).review, status: "approved", comments: "Well done.", agent_id: "api" },
    ],
    once: true,
    tells: true,
    verdict: async (folder, at) => {
      const { reviews } = await ask(folder, operations.list_reviews);
      expect(reviews).toMatchObject([{ id: boardOf(at).review }]);
      const told = survey(home(folder)).messages.filter(({ from, body }) => from === "api" && body === "Well done.");
      expect(told.length, "the requester is told once").toBeLessThanOrEqual(1);
      return outOf([reviews[0].status === "approved", told.length === 1]);
    },
  },
  "memory append": {
    args: () => ["memory", "append", "the new one", "--part", "web"],
    retry: () => [operations.append_memory, { content: "the new one", agent_id: "web" }],
    once: true,
    verdict: async (folder) => {
      const { content } = await ask(folder, operations.read_memory, { agent_id: "web" });
      if (content !== null) expect(content).toMatch(/^\n---\n_[-\d]+_\n\nthe new one\n$/);
      return outOf([content !== null]);
    },
  },
  "session save": {
    args: () => ["session", "save", SESSION, "the new one"],
    retry: () => [operations.save_session_summary, { session_id: SESSION, summary: "the new one" }],
    verdict: async (folder) => {
      const { summary } = await ask(folder, operations.get_session_summary, { session_id: SESSION });
      expect(["the older one", "the new one"]).toContain(summary);
      const versions = list(folder, "summaries").map((name) => text(home(folder, ...inSession("summaries", name))));
      // The earlier one is kept before it is replaced, and once.
      expect(versions.length).toBeLessThanOrEqual(1);
      if (summary === "the new one" || versions.length > 0) expect(versions).toEqual(["the older one"]);
      return outOf([summary === "the new one"]);
    },
  },
  "session end": {
    args: () => ["session", "end", SESSION, "--force", "--summary", "the new one"],
    retry: () => [operations.end_session, { session_id: SESSION, force: true, summary: "the new one" }],
    inSteps: true,
    verdict: async (folder) => {
      const { details } = await ask(folder, operations.list_sessions);
      const { summary } = await ask(folder, operations.get_session_summary, { session_id: SESSION });
      const [saved, ended] = [summary?.startsWith("the new one") === true, details[0].ended_at !== null];
      if (ended) expect(saved, "it ends with its summary").toBe(true);
      return outOf([saved, ended]);
    },
  },
};

/** Those that write as one of the others does. */
export const BOARD_ALIKE: Record<string, Writing> = {
  "session start": {
    args: () => ["session", "start", "s-2"],
    retry: () => [operations.start_session, { session_id: "s-2" }],
    verdict: async (folder) => outOf([(await ask(folder, operations.list_sessions)).sessions.includes("s-2")]),
  },
  "session reopen": {
    args: () => ["session", "reopen", SESSION],
    retry: () => [operations.reopen_session, { session_id: SESSION }],
    before: async (folder) => {
      await ask(folder, operations.end_session, { session_id: SESSION, force: true, summary: "the older one" });
      return SESSION;
    },
    once: true,
    verdict: async (folder) => outOf([(await ask(folder, operations.list_sessions)).details[0].ended_at === null]),
  },
};
