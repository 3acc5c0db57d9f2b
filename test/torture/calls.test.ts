/**
 * Every system call with which a writing command touches the home: killed just before it, and failing with EIO and with
 * ENOSPC. What the command was to do is there afterwards or it is not; the next look completes it; a retry makes it whole.
 */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { type AnyOperation, operations, perform } from "../../protocol/index.ts";
import { FULL, TIMEOUT_MS } from "../counts.ts";
import { type Fault, type Hurt, hurt, type Point, pointsOf, whyNoFaults } from "../faults.ts";
import { homeWith, scratch, worldAt } from "../rig.ts";
import { survey } from "../survey.ts";

// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever was answered.
type Answer = any;
/** What became of what the command was to do. `begun`: some of the steps that SPEC.md, "Failures" names for it. */
type Verdict = "absent" | "begun" | "whole";

interface Case {
  args: (at: Fixture) => string[];
  retry: (at: Fixture) => [operation: AnyOperation, input: Record<string, unknown>];
  verdict: (folder: string, at: Fixture) => Promise<Verdict>;
  /** Whether a failure, or a death, may leave some of its steps done. */
  inSteps?: true;
}

/** A home with a thread from main to web and api, which both have unread. */
interface Fixture {
  folder: string;
  threadId: string;
  messageId: string;
}

const FAULTS: readonly Fault[] = ["SIGKILL", "EIO", "ENOSPC"];
/** In every run of the tests only each so manieth point, another one for each fault. */
const EACH = FULL ? 1 : 16;
const why = whyNoFaults();

const home = (folder: string, ...names: string[]): string => path.join(folder, ".relay", ...names);
const isHome = (folder: string): boolean => fs.existsSync(home(folder, "relay.yml"));
const ask = (folder: string, operation: AnyOperation, input: Record<string, unknown> = {}, part?: string): Promise<Answer> =>
  perform(worldAt(folder, { part }), operation, input);
const partsOf = async (folder: string): Promise<string[]> =>
  (await ask(folder, operations.part_list)).parts.map(({ part }: Answer) => part);
const text = (file: string): string => (fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "");
const outOf = (done: readonly boolean[]): Verdict => (done.every(Boolean) ? "whole" : done.some(Boolean) ? "begun" : "absent");

/** Once in its thread and once in each inbox, or nowhere. */
function posted(folder: string, body: string): Verdict {
  const { messages, unread } = survey(home(folder));
  const found = messages.filter((message) => message.body === body);
  expect(found.length, "messages of one key").toBeLessThanOrEqual(1);
  const ids = [...unread.values()].flat().filter((id) => !messages.some((message) => message.id === id));
  expect(ids, "unread, but in no thread").toEqual([]);
  if (found[0] === undefined) return "absent";
  const { id, to } = found[0];
  expect(to.toSorted(), "recipients").toEqual(["api", "web"]);
  for (const part of to) expect(unread.get(part), `unread of ${part}`).toContain(id);
  return "whole";
}

const CASES: Record<string, Case> = {
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
      if (lesson !== "") expect(lesson).toMatch(/^(\n---\n_[-\d]+_\n\nwhat was learnt \([-\w]+\)\n)+$/);
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
      for (const line of lines) expect(JSON.parse(line)).toMatchObject({ part: "web", detail: "words" });
      return outOf([lines.length > 0, !Number.isNaN(Date.parse(text(home(folder, "run/limited/web/until")).trim()))]);
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
    inSteps: true,
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

async function fixture(name: string): Promise<Fixture> {
  if (name === "init") return { folder: scratch(), threadId: "", messageId: "" };
  const folder = await homeWith("web", "api");
  const sent = await ask(folder, operations.send, { to: ["web", "api"], subject: "An older one", body: "the older one" }, "main");
  return { folder, threadId: sent.threadId, messageId: sent.messageId };
}

/** A copy whose second names of a file are second names of its copy. */
function copyOf(folder: string): string {
  const copy = path.join(scratch(), "project");
  execFileSync("cp", ["-a", folder, copy]);
  return copy;
}

/** A command that failed says so in one JSON object; one that says it is done, did it. */
function expectSaid({ code, stdout, stderr }: Hurt, fault: Fault, now: Verdict, inSteps: boolean): void {
  expect(stderr).not.toMatch(/^\s+at .*[:(]\d+/m);
  const said = JSON.parse(stdout);
  if (code === 0) {
    expect(said).toMatchObject({ success: true });
    expect(now).toBe("whole");
  } else {
    expect(said).toMatchObject({ success: false, code: fault === "EIO" ? "disk_error" : "disk_full", error: expect.any(String) });
    expect(code).toBe(6);
    if (!inSteps) expect(now, "told as a failure").toBe("absent");
  }
}

/** Healthy, or made healthy; and nothing is left of what died. */
async function expectHealthy(folder: string): Promise<void> {
  await ask(folder, operations.doctor, { fix: true });
  const { ok, findings } = await ask(folder, operations.doctor);
  expect({ ok, fixable: findings.filter(({ fixable }: Answer) => fixable) }).toEqual({ ok: true, fixable: [] });
}

/** Who died with a lock has been silent for an hour, as the lock sees it. */
function silenceLocks(folder: string): void {
  const locks = home(folder, "run/locks");
  const hourAgo = Date.now() / 1000 - 3600;
  for (const name of fs.existsSync(locks) ? fs.readdirSync(locks) : []) fs.utimesSync(path.join(locks, name), hourAgo, hourAgo);
}

async function sweep(each: Case, at: Fixture, point: Point, fault: Fault): Promise<void> {
  const args = [...each.args(at), "--json"];
  const ended = await hurt(() => copyOf(at.folder), args, fault, point);
  const { folder } = ended;
  if (isHome(folder)) await ask(folder, operations.roster);
  expect(survey(home(folder)).pending, "pending after a look").toEqual([]);
  if (at.messageId !== "") expect(survey(home(folder)).messages.map(({ id }) => id)).toContain(at.messageId);
  const now = isHome(folder) || at.messageId !== "" ? await each.verdict(folder, at) : "absent";
  if (fault === "SIGKILL") expect(now).toBeOneOf(each.inSteps ? ["absent", "begun", "whole"] : ["absent", "whole"]);
  else expectSaid(ended, fault, now, each.inSteps === true);
  if (isHome(folder)) await expectHealthy(folder);
  silenceLocks(folder);
  const [operation, input] = each.retry(at);
  await ask(folder, operation, { ...(operation.identity === "writer" ? { agent_id: "main" } : {}), ...input }).catch((error) => {
    // A part that was made or renamed already is told as such.
    if (!["part_exists", "unknown_part"].includes(error.code)) throw error;
  });
  expect(await each.verdict(folder, at), "after a retry").toBe("whole");
  await expectHealthy(folder);
}

describe.skipIf(why !== null)(`faults at every system call${why === null ? "" : ` (skipped: ${why})`}`, () => {
  test.each(Object.entries(CASES))(
    "%s",
    async (name, each) => {
      const at = await fixture(name);
      const points = await pointsOf(copyOf(at.folder), [...each.args(at), "--json"]);
      expect(points.length).toBeGreaterThan(10);
      const all = FAULTS.flatMap((fault, shift) => points.map((point, nth) => ({ fault, point, due: (nth + shift * 5) % EACH === 0 })));
      const wrong: string[] = [];
      for (const { fault, point } of all.filter(({ due }) => due)) {
        await sweep(each, at, point, fault).catch((error) =>
          wrong.push(`${fault} at ${point.call} ${point.nth} (${point.about}): ${error.message}`),
        );
      }
      expect(wrong).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
