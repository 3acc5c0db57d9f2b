/** A home with at least one of each kind of file, made by nothing but operations. */

import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll } from "vitest";
import { POOL_PATH } from "../../protocol/agents/nouns/team.ts";
import { claimPath, decisionPath, parseClaim } from "../../protocol/board/nouns/claim.ts";
import { teamPath } from "../../protocol/board/nouns/session.ts";
import { operations, perform } from "../../protocol/index.ts";
import { closeDispatch } from "../../protocol/office/files/close-dispatch.ts";
import { createDispatch } from "../../protocol/office/files/create-dispatch.ts";
import { endTurn } from "../../protocol/office/files/end-turn.ts";
import { nextTurn } from "../../protocol/office/files/next-turn.ts";
import type { Answer } from "./clones.ts";
import { settle, worldAt } from "./home.ts";
import { commitAll, git, put, putAll } from "./scratch.ts";
import { layThreadFile } from "./thread-file.ts";

/** What the home's files are called. */
export interface GoodHome {
  /** The code repository. */
  folder: string;
  /** Absolute path of a file of the home. */
  at: (...names: string[]) => string;
  /** Every file of the home that a check may read, relative to it. */
  files: () => string[];
  /** The session with tasks, and one that ended. */
  session: string;
  ended: string;
  /** Tasks of `session`: done; in progress; to do, which depends on the first; derived from the first. */
  done: string;
  held: string;
  waiting: string;
  derived: string;
  /** A thread of three messages, the last of which is unread, by their paths. */
  messages: string[];
  /** The names of the last message in the inbox of `web`. */
  unread: string;
  artifact: string;
  review: string;
}

/** A project of the office, which no operation makes. */
const OFFICE_PROJECT = {
  "org/projects/shop/project.yml": "name: Shop\nlead: developer\nworkgroups: [checkout]\nmembers: { workgroups: [checkout] }\n",
  "org/projects/shop/workgroups/checkout.yml": "name: Checkout\nlead: reviewer\n",
};

/** Makes the home in a code repository; in the tree, as files of the code, where that is asked for. */
export async function makeGoodHome(folder: string, inTree = false): Promise<GoodHome> {
  const at = (...names: string[]): string => path.join(folder, ".relay", ...names);
  const run = (part: string, name: keyof typeof operations, input: Record<string, unknown> = {}): Promise<Answer> =>
    perform(worldAt(folder), operations[name], part === "" ? input : { agent_id: part, ...input });
  await run("", "init", { parts: ["web", "api", "old"], inTree });
  await run("", "part_rename", { from: "old", to: "shop/api" });
  const asked = await run("web", "send", { to: ["api", "shop/api"], subject: "Price?", body: "Which field?", tags: ["cart"] });
  await run("api", "reply", { threadId: asked.threadId, body: "It is `price`." });
  await run("web", "inbox");
  await run("web", "ack", { threadId: asked.threadId });
  const last = await run("api", "reply", { threadId: asked.threadId, body: "Since yesterday.", to: ["web"] });
  const closed = await run("main", "send", { to: ["*"], subject: "Begin", body: "Now." });
  await run("main", "close", { threadId: closed.threadId, lesson: "Begin early" });
  await run("guest-1", "send", { to: ["main"], subject: "Hello", body: "From outside." });
  await run("web", "event", { type: "composing" });
  await run("web", "event", { type: "error", detail: "words" });
  const { session_id: ended } = await run("main", "start_session", {});
  await run("main", "save_session_summary", { session_id: ended, summary: "draft" });
  await run("main", "save_session_summary", { session_id: ended, summary: SUMMARY("[]") });
  await run("main", "end_session", { session_id: ended, force: true });
  const { session_id: session } = await run("main", "start_session", {});
  const made = async (title: string, more: Record<string, unknown> = {}): Promise<string> =>
    (await run("main", "create_task", { title, session_id: session, ...more })).task_id;
  const done = await made("First");
  const held = await made("Second");
  const waiting = await made("Third", { depends_on: [done] });
  const derived = await made("Fourth", { parent_task_id: done, derived_reason: "found on the way" });
  for (const task of [done, held]) await run("web", "claim_task", { task_id: task, session_id: session });
  await run("web", "update_task", { task_id: done, status: "done", session_id: session });
  await run("api", "claim_task", { task_id: derived, session_id: session });
  await run("api", "release_task", { task_id: derived, session_id: session });
  const posted = { name: "login-design", type: "design", session_id: session };
  await run("web", "post_artifact", { ...posted, content: "# One" });
  const { artifact_id } = await run("web", "post_artifact", { ...posted, content: "# Two", task_id: done });
  const { review_id: review } = await run("web", "request_review", { artifact_id, reviewer: "api", session_id: session });
  await run("api", "submit_review", { review_id: review, status: "approved", comments: "Good.", session_id: session });
  await run("web", "send_message", { content: "Hello all", thread_id: "standup", session_id: session });
  await run("main", "save_orchestrator_state", { state: "{}", session_id: session });
  await run("main", "save_session_summary", { session_id: session, summary: SUMMARY(JSON.stringify([done])) });
  await run("web", "write_memory", { key: "style", content: "Two spaces." });
  put(at("memory/agents/web.md"), "## style\n\nTwo spaces.\n");
  await run("main", "team_write", { pool: true });
  await run("", "office_init");
  putAll(at(), OFFICE_PROJECT);
  settle(folder, "summaries:\n  headings: [What was done]\n  min_length: 20\n  fields: [tasks]\n");
  const [day = ""] = fs.readdirSync(at("threads"));
  layThreadFile(at(), asked.threadId);
  const messages = fs
    .readdirSync(at("threads", day, asked.threadId))
    .filter((name) => name !== "thread.md")
    .sort()
    .map((name) => `threads/${day}/${asked.threadId}/${name}`);
  const record = fs.readdirSync(at("sessions", session, "artifacts"))[0] as string;
  return {
    folder,
    at,
    files: () => filesOf(at()),
    session,
    ended,
    done,
    held,
    waiting,
    derived,
    messages,
    unread: `inbox/web/new/${last.messageId}.md`,
    artifact: `sessions/${session}/artifacts/${record}`,
    review: `sessions/${session}/reviews/${review}.md`,
  };
}

/**
 * The good home of a file of tests, in a repository of one commit: there before its first test, gone after its last.
 * @param finish what is done to it besides
 */
export function goodHomeOfFile(finish: (good: GoodHome) => unknown = () => {}): GoodHome {
  const good = {} as GoodHome;
  beforeAll(async () => {
    const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "relay-good-")));
    git(folder, "init", "--quiet", "--initial-branch=main");
    git(folder, "commit", "--quiet", "--allow-empty", "--message", "begin");
    Object.assign(good, await makeGoodHome(folder));
    await finish(good);
  });
  afterAll(() => fs.rmSync(good.folder, { recursive: true }));
  return good;
}

/** Makes files of the nouns of which the good home has none. */
export async function makeTheRest({ folder, at, session, ended, held }: GoodHome): Promise<void> {
  const run = (name: keyof typeof operations, input: Record<string, unknown>): Promise<{ messageId: string; threadId: string }> =>
    perform(worldAt(folder), operations[name], { agent_id: "main", ...input }) as Promise<{ messageId: string; threadId: string }>;
  await run("reopen_session", { session_id: ended });
  const begin = (subject: string) => run("send", { to: ["human"], subject, body: "1" });
  const [forgotten, kept, archived] = [await begin("Forgotten"), await begin("Answered"), await begin("Archived")];
  const refused = await run("reply", { threadId: kept.threadId, body: "2" });
  for (const { messageId } of [forgotten, refused]) await run("forget", { messageId, agent_id: "human" });
  await run("forget", { messageId: refused.messageId, refuse: true, agent_id: "human" });
  await run("inbox", { agent_id: "human" });
  await run("ack", { threadId: archived.threadId, agent_id: "human" });
  await run("close", { threadId: archived.threadId });
  await run("archive", { threadIds: [archived.threadId] });
  const world = worldAt(folder);
  await perform(world, operations.trust_office, {});
  const { dispatch } = createDispatch(world, { initiator: "main", recipient: "om", text: "Build it.", parent: null });
  nextTurn(world, dispatch.id);
  endTurn(world, dispatch.id, 1, { outcome: "ok", exit: "0", usage: { outputTokens: 9, costUsd: 0.0213 }, text: "long ".repeat(13_000) });
  closeDispatch(world, dispatch.id, "main");
  const claim = fs.readFileSync(at(claimPath(session, held, 1)), "utf8");
  putAll(at(), {
    [decisionPath(session, parseClaim(claim, held, 1), "confirmed")]: claim,
    [teamPath(session)]: fs.readFileSync(at(POOL_PATH), "utf8"),
    "usage/2026-01/abcdefgh.jsonl": '{"id":"event:1","at":"2026-01-31T09:30:00.000Z","agent":"event"}\n',
  });
}

/** The same home in a copy of its repository; hard links stay. */
export function copyOf(good: GoodHome, folder: string): GoodHome {
  execFileSync("cp", ["-a", `${good.folder}/.`, folder]);
  const at = (...names: string[]): string => path.join(folder, ".relay", ...names);
  return { ...good, folder, at, files: () => filesOf(at()) };
}

/** A summary that says which tasks are done. */
export const SUMMARY = (tasks: string): string =>
  `---\ntasks: ${tasks}\n---\n# What happened\n\n## What was done\n\nThe first task, and more words.\n\n\`\`\`\n## no heading\n\`\`\`\n`;

/** Records everything in the home's own repository. */
export function recordAll(home: string): void {
  commitAll(home, "all");
}

function filesOf(home: string): string[] {
  const names = fs.readdirSync(home, { recursive: true, withFileTypes: true });
  return names
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(home, path.join(entry.parentPath, entry.name)))
    .filter((name) => !/^(\.git|run|local|outbox)(\/|$)/.test(name))
    .sort();
}
