/**
 * What writes: each command with its arguments, how it is done again by the library, and how to see what became of it.
 * Shared by the tests that hurt the disk under the commands.
 */
import fs from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { orElse } from "../../../protocol/core/format/file-error.ts";
import { operations } from "../../../protocol/index.ts";
import { survey } from "../../history/survey.ts";
import { type Answer, ask, type Fixture, home, isHome, outOf, posted, text, type Verdict, type Writing } from "../../history/verdict.ts";
import { FULL } from "../../rig/counts.ts";
import { BOARD, BOARD_ALIKE, layBoard } from "./board-writing.ts";
import { MACHINE } from "./machine-writing.ts";

const partsOf = async (folder: string): Promise<string[]> =>
  (await ask(folder, operations.part_list)).parts.map(({ part }: Answer) => part);
/** Every writing command by its name. */
export const WRITING: Record<string, Writing> = {
  send: {
    args: () => ["send", "web,api", "A subject", "the new one", "--part", "main", "--idempotency-key", "k"],
    retry: () => [operations.send, { to: ["web", "api"], subject: "A subject", body: "the new one", idempotency_key: "k" }],
    verdict: async (folder) => posted(folder, "the new one"),
  },
  reply: {
    args: ({ threadId }) => ["reply", threadId, "the new one", "--part", "main", "--idempotency-key", "k"],
    retry: ({ threadId }) => [operations.reply, { threadId, body: "the new one", idempotency_key: "k" }],
    verdict: async (folder) => posted(folder, "the new one"),
  },
  ack: {
    args: ({ messageId }) => ["ack", messageId, "--part", "web"],
    retry: ({ messageId }) => [operations.ack, { messageId, agent_id: "web" }],
    verdict: async (folder, { messageId }) => {
      const { unread } = await ask(folder, operations.inbox, {}, "web");
      const acked = (survey(home(folder)).acked.get("web") ?? []).includes(messageId);
      expect(unread, "unread, or acked").toBe(acked ? 0 : 1);
      return acked ? "whole" : "absent";
    },
  },
  close: {
    args: ({ threadId }) => ["close", threadId, "--lesson", "what was learnt", "--part", "main"],
    retry: ({ threadId }) => [operations.close, { threadId, lesson: "what was learnt" }],
    inSteps: true,
    verdict: async (folder, { threadId, messageId }) => {
      const { thread, messages } = await ask(folder, operations.show, { threadId });
      const { acked } = survey(home(folder));
      const cleared = ["web", "api"].map((part) => (acked.get(part) ?? []).includes(messageId));
      const states = messages[0].receipts.map(({ state }: Answer) => state === "closed-unread");
      const lesson = text(home(folder, "memory/project.md"));
      if (lesson !== "") expect(lesson).toMatch(/^\n---\n_[-\d]+_\n\nwhat was learnt \([-\w]+\)\n$/);
      const done = [thread.status === "closed", ...states, ...cleared, lesson !== ""];
      // Never unseen: what was cleared is listed, and nothing happens to a thread that is not closed.
      if (!done[0] || states.includes(false)) expect(outOf(done)).toBe("absent");
      return outOf(done);
    },
  },
  event: {
    args: () => ["event", "limited", "words", "--reset-at", "2099-01-01T00:00:00Z", "--part", "web"],
    retry: () => [operations.event, { type: "limited", detail: "words", resetAt: "2099-01-01T00:00:00Z", agent_id: "web" }],
    inSteps: true,
    verdict: async (folder) => {
      const days = fs.existsSync(home(folder, "events")) ? fs.readdirSync(home(folder, "events")) : [];
      const lines = days.flatMap((day) =>
        fs.readdirSync(home(folder, "events", day)).flatMap((name) =>
          text(home(folder, "events", day, name))
            .split("\n")
            .slice(0, -1),
        ),
      );
      // Half a line is what a loss of power leaves of a writer that had not answered; the next one begins a line of its own.
      const whole = lines.flatMap((line) => orElse([], () => [JSON.parse(line)]));
      for (const event of whole) expect(event).toMatchObject({ part: "web", detail: "words" });
      return outOf([whole.length > 0, !Number.isNaN(Date.parse(text(home(folder, "run/limited/web/until.txt")).trim()))]);
    },
  },
  "part add": {
    args: () => ["part", "add", "shop/front", "--about", "words"],
    retry: () => [operations.part_add, { part: "shop/front", about: "words" }],
    verdict: async (folder) => outOf([(await partsOf(folder)).includes("shop/front")]),
  },
  "part rename": {
    args: () => ["part", "rename", "web", "front"],
    retry: () => [operations.part_rename, { from: "web", to: "front" }],
    verdict: async (folder, { messageId }) => {
      const renamed = (await partsOf(folder)).includes("front");
      const { unread } = survey(home(folder));
      if (!renamed) expect(unread.get("web")).toEqual([messageId]);
      return outOf([renamed, unread.get("front")?.includes(messageId) === true]);
    },
  },
  init: {
    args: () => ["init", "web"],
    retry: () => [operations.init, { parts: ["web"] }],
    verdict: async (folder) => outOf([isHome(folder)]),
  },
};

/** Commands that write as one of the others does, so that they are hurt only in full. */
const ALIKE: Record<string, Writing> = {
  reopen: {
    args: ({ threadId }) => ["reopen", threadId, "--part", "main"],
    retry: ({ threadId }) => [operations.reopen, { threadId }],
    verdict: async (folder, { threadId }) => {
      await ask(folder, operations.show, { threadId });
      const [day] = fs.readdirSync(home(folder, "threads"));
      return outOf([text(home(folder, "threads", day as string, threadId, "thread.md")).includes("\nstatus: ")]);
    },
  },
  "part remove": {
    args: () => ["part", "remove", "api", "--force"],
    retry: () => [operations.part_remove, { part: "api", force: true }],
    verdict: async (folder) => outOf([!(await partsOf(folder)).includes("api")]),
  },
  forget: {
    args: ({ about = "" }) => ["forget", about, "--reason", "a secret", "--part", "main"],
    retry: ({ about }) => [operations.forget, { messageId: about, reason: "a secret" }],
    before: async (folder) =>
      (await ask(folder, operations.send, { to: ["web"], subject: "A secret", body: "the secret" }, "main")).messageId,
    inSteps: true,
    verdict: async (folder, { about = "" }) => {
      const { messages, unread } = survey(home(folder));
      const isAsked = fs.existsSync(home(folder, "forgotten", `${about}.md`));
      const isThere = messages.some(({ id }) => id === about);
      if (!isThere) expect(isAsked, "what is gone was asked to go").toBe(true);
      return outOf([isAsked, !isThere, unread.get("web")?.includes(about) !== true]);
    },
  },
  "part set-main": {
    args: () => ["part", "set-main", "web"],
    retry: () => [operations.part_set_main, { part: "web" }],
    verdict: async (folder) => outOf([(await ask(folder, operations.part_list)).main === "web"]),
  },
};

/** The commands to be hurt in this run. */
export const hurtCommands = (): [name: string, writing: Writing][] =>
  Object.entries(FULL ? { ...WRITING, ...BOARD, ...ALIKE, ...BOARD_ALIKE } : { ...WRITING, ...BOARD });

/** As `hurtCommands`, with those that write beside the home or into its history; fewer of them, but in full. */
export const hurtEverywhere = (): [name: string, writing: Writing][] => [
  ...hurtCommands(),
  ...Object.entries(MACHINE).filter(([name]) => FULL || OFTEN.includes(name)),
];
const OFTEN = ["archive", "part deliver", "config accept", "config restore", "setup"];

/** Every command there is that is hurt. */
export const ALL: Readonly<Record<string, Writing>> = { ...WRITING, ...BOARD, ...ALIKE, ...BOARD_ALIKE, ...MACHINE };

/** Makes what a writing command works on in an empty folder; for `init` that is nothing. */
export async function layFixture(name: string, folder: string, before = ALL[name]?.before): Promise<Fixture> {
  if (name === "init") return { folder, threadId: "", messageId: "" };
  await ask(folder, operations.init, { parts: ["web", "api"] });
  const sent = await ask(folder, operations.send, { to: ["web", "api"], subject: "An older one", body: "the older one" }, "main");
  const board = name in BOARD || name in BOARD_ALIKE ? { board: await layBoard(folder) } : {};
  const about = before === undefined ? {} : { about: await before(folder) };
  return { folder, threadId: sent.threadId, messageId: sent.messageId, ...board, ...about };
}

/** What became of it; no home at all is nothing. */
export async function verdictOf(writing: Writing, folder: string, at: Fixture): Promise<Verdict> {
  if (!isHome(folder)) return "absent";
  // What was there before is there.
  if (at.messageId !== "") expect(survey(home(folder)).messages.map(({ id }) => id)).toContain(at.messageId);
  return writing.verdict(folder, at);
}

/** Does it again by the library; a part that was made or renamed already is told as such. */
export async function doAgain(writing: Writing, folder: string, at: Fixture): Promise<void> {
  if (writing.once && (await verdictOf(writing, folder, at)) === "whole") return;
  const [operation, input] = writing.retry(at);
  await ask(folder, operation, { ...(operation.identity === "writer" ? { agent_id: "main" } : {}), ...input }).catch((error) => {
    if (!["part_exists", "unknown_part"].includes(error.code)) throw error;
  });
}

/** Healthy, or made healthy; and nothing is left of what died. */
export async function expectHealthy(folder: string): Promise<void> {
  await ask(folder, operations.doctor, { fix: true });
  const { ok, findings } = await ask(folder, operations.doctor);
  expect({ ok, fixable: findings.filter(({ fixable }: Answer) => fixable) }).toEqual({ ok: true, fixable: [] });
}

/** Words after `--` are for another program. */
export function withJson(args: readonly string[]): string[] {
  const end = args.includes("--") ? args.indexOf("--") : args.length;
  return [...args.slice(0, end), "--json", ...args.slice(end)];
}

/** Time passes: whoever died with a lock has been silent for an hour. */
export function age(folder: string): void {
  const hourAgo = Date.now() / 1000 - 3600;
  const locks = home(folder, "run/locks");
  for (const name of fs.existsSync(locks) ? fs.readdirSync(locks) : []) fs.utimesSync(path.join(locks, name), hourAgo, hourAgo);
}
