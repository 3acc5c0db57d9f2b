/** Something hostile in the place of each kind of file of a home in turn: `check` and `doctor` both name it, and the rest is served. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { AnyNoun } from "../../../protocol/core/noun/noun.ts";
import { plainText, verbatim } from "../../../protocol/core/noun/noun.ts";
import { nounOf } from "../../../protocol/core/noun/noun-list.ts";
import { nounAt } from "../../../protocol/core/tree/layout.ts";
import { operations, perform, Refusal } from "../../../protocol/index.ts";
import { type NounKind, nouns } from "../../../protocol/nouns.ts";
import type { Answer } from "../../rig/clones.ts";
import { FULL } from "../../rig/counts.ts";
import { goodHomeOfFile, makeTheRest } from "../../rig/good-home.ts";
import { homeWith, worldAt } from "../../rig/home.ts";
import { scratch } from "../../rig/scratch.ts";

/** Every kind of file that is read; what is under `run/`, `local/` and `outbox/`, is dotted, or is to come, is none. */
const KINDS: NounKind[] = (nouns as readonly AnyNoun[]).filter(({ limit }) => limit !== undefined).map(({ kind }) => kind as NounKind);
/** Kept as they are, whatever they hold. */
const VERBATIM = KINDS.filter((kind) => nounOf(kind).parse === verbatim);
/** Text, in which a line `---js` is words. */
const PLAIN = KINDS.filter((kind) => VERBATIM.includes(kind) || nounOf(kind).parse === plainText || kind === "summary");

type Make = (target: string, good: Buffer) => unknown;
const HOSTILE: [what: string, make: Make, harmless: readonly NounKind[]][] = [
  ["code in the header", (target) => fs.writeFileSync(target, "---js\nprocess.exit(99)\n---\nx\n"), PLAIN],
  ["a NUL in good text", (target, good) => fs.writeFileSync(target, Buffer.concat([good, Buffer.from("# a\0b\n")])), VERBATIM],
  ["invalid UTF-8", (target, good) => fs.writeFileSync(target, Buffer.concat([good, Buffer.from([0x23, 0xff, 0xfe, 0x0a])])), []],
  ["an empty folder", (target) => fs.mkdirSync(target), []],
  ["a folder with a file", (target) => [fs.mkdirSync(target), fs.writeFileSync(path.join(target, "x.md"), "x")], []],
  ["a FIFO", (target) => execFileSync("mkfifo", [target]), []],
  ["a gigabyte, sparse", (target) => [fs.writeFileSync(target, ""), fs.truncateSync(target, 2 ** 30)], []],
  ["a link out of the home", (target) => fs.symlinkSync("/etc/passwd", target), []],
  ["a link to itself", (target) => fs.symlinkSync(target, target), []],
];

const places = new Map<NounKind, string>();
const good = goodHomeOfFile(async (made) => {
  await makeTheRest(made);
  for (const file of made.files()) {
    const kind = nounAt(file)?.place.kind;
    if (kind !== undefined && KINDS.includes(kind)) places.set(kind, file);
  }
});

const run = (name: keyof typeof operations, input: Record<string, unknown> = {}, part?: string): Promise<Answer> =>
  perform(worldAt(good.folder, { part }), operations[name], input);
const named = async (name: "check" | "doctor"): Promise<string[]> =>
  (await run(name)).findings.filter(({ severity = "error" }: Answer) => severity === "error").map((finding: Answer) => finding.path);

/** Everything that lists still answers, whatever one file is. */
async function stillServed(): Promise<void> {
  const session = { session_id: good.session };
  await run("inbox", {}, "web");
  await run("roster");
  await run("list_reviews", session);
  await run("list_artifacts", session);
  // Not as who has the mail that is hurt: what a part is given is read.
  await run("get_messages", session, "api");
  expect((await run("threads")).threads.length).toBeGreaterThan(0);
  expect((await run("search", { query: "e" })).total).toBeGreaterThan(0);
  expect((await run("get_all_tasks", session)).tasks.length).toBeGreaterThan(0);
  expect((await run("list_sessions")).sessions).toContain(good.session);
}

test("the home has each kind of file, and nothing is wrong with it", async () => {
  expect([...places.keys()].sort()).toEqual([...KINDS].sort());
  expect([await named("check"), await named("doctor")]).toEqual([[], []]);
});

/** The kinds of which something lies in the place of a file at once: by default of all but the configuration, on which the others depend; in full of one. */
const ALONE: NounKind[] = FULL ? KINDS : ["config"];
const TOGETHER = [...ALONE.map((kind) => [kind]), ...(FULL ? [] : [KINDS.filter((kind) => !ALONE.includes(kind))])];

describe.each(TOGETHER.map((kinds) => [kinds.length === 1 ? kinds[0] : "each other file", kinds] as const))(
  "in the place of %s",
  (_, all) => {
    test.each(HOSTILE)("%s", async (_what, make, harmless) => {
      const kinds = all.filter((kind) => !harmless.includes(kind));
      const files = kinds.map((kind) => places.get(kind) as string);
      const aside = scratch();
      for (const [at, file] of files.entries()) fs.renameSync(good.at(file), path.join(aside, `${at}`));
      try {
        for (const [at, file] of files.entries()) make(good.at(file), fs.readFileSync(path.join(aside, `${at}`)));
        expect(await named("check"), "check").toEqual(expect.arrayContaining(files));
        expect(await named("doctor"), "doctor").toEqual(expect.arrayContaining(files));
        if (!kinds.includes("config")) await stillServed();
      } finally {
        for (const [at, file] of files.entries()) {
          fs.rmSync(good.at(file), { recursive: true });
          fs.renameSync(path.join(aside, `${at}`), good.at(file));
        }
      }
    });
  },
);

test("in an outbox, all at once: no draft becomes more than one message", async () => {
  const outbox = good.at("outbox/web");
  fs.mkdirSync(outbox, { recursive: true });
  const draft = Buffer.from("---\nto: [api]\nsubject: s\n---\nx\n");
  const threads = async (): Promise<number> => (await run("threads", { limit: 200 })).threads.length;
  const before = await threads();
  for (const [at, [, make]] of HOSTILE.entries()) make(path.join(outbox, `draft-${at}.md`), draft);
  await stillServed();
  expect(await threads()).toBeLessThanOrEqual(before + 1);
});

const OUTWARD = ["threads", "inbox/api", "local", "run", "events", "memory", "outbox", "local/keys", "local/pending"];
test.each(OUTWARD)("a link in the place of the folder %s: nothing outside is read or written", async (name) => {
  const folder = await homeWith("web", "api");
  const { threadId } = await perform(worldAt(folder, { part: "web" }), operations.send, { to: ["api"], subject: "s", body: "b" });
  const outside = scratch();
  fs.writeFileSync(path.join(outside, "secret.md"), "secret");
  const at = path.join(folder, ".relay", name);
  fs.rmSync(at, { recursive: true, force: true });
  fs.symlinkSync(outside, at);
  const calls: [string, keyof typeof operations, Record<string, unknown>][] = [
    ["web", "send", { to: ["api"], subject: "s", body: "b", idempotency_key: "k" }],
    ["api", "event", { type: "limited", resetAt: new Date(Date.now() + 1_000).toISOString() }],
    ["api", "close", { threadId, lesson: "l" }],
    ["api", "inbox", {}],
    ["api", "ack", { threadId }],
    ["api", "part_add", { part: "docs" }],
    ["api", "search", { query: "secret" }],
  ];
  for (const [part, operation, input] of calls) {
    const answer: Answer = await perform(worldAt(folder, { part }), operations[operation], input).catch((error) => error);
    if (answer instanceof Error) expect(answer, operation).toBeInstanceOf(Refusal);
    if (answer instanceof Refusal) expect(answer.code, `${operation}: ${answer.message}`).not.toBe("internal");
    if (operation === "search" && !(answer instanceof Error)) expect(answer.total).toBe(0);
  }
  expect(fs.readdirSync(outside)).toEqual(["secret.md"]);
  expect(await perform(worldAt(folder), operations.doctor, {})).toMatchObject({ ok: false });
});
