/** Files that somebody made to hurt: never run, never hang, never leave the home; named by `doctor` and `check`; the others are served. */

import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { operations, perform, Refusal, type World } from "../../../protocol/index.ts";
import { parseFrontmatter } from "../../../protocol/objects/format/frontmatter.ts";
import type { Answer } from "../../rig/clones.ts";
import { count } from "../../rig/counts.ts";
import { homeWith, worldAt } from "../../rig/home.ts";
import { character, fc, runs } from "../../rig/properties.ts";
import { scratch } from "../../rig/scratch.ts";

const OWNED = path.join(process.cwd(), "owned-by-a-hostile-file");
const CODE = `require("fs").writeFileSync(${JSON.stringify(OWNED)}, "")`;

interface Scene {
  folder: string;
  home: string;
  world(part?: string): World;
  good: { threadId: string; messageId: string };
  /** The files of other messages, which are to be replaced by something hostile; the first of them. */
  victims: Victim[];
  victim: Victim;
}

interface Victim {
  threadId: string;
  messageId: string;
  file: string;
  unread: string;
}

async function scene(many = 1): Promise<Scene> {
  const folder = await homeWith("web", "api");
  const home = path.join(folder, ".relay");
  const world = (part?: string): World => worldAt(folder, { part });
  const send = async (subject: string): Promise<Answer> =>
    perform(world("web"), operations.send, { to: ["api"], subject, body: "readable" });
  const good = await send("good");
  const day = fs.readdirSync(path.join(home, "threads"))[0] as string;
  const victims: Victim[] = [];
  while (victims.length < many) {
    const bad = await send(`victim ${victims.length}`);
    const file = path.join(home, "threads", day, bad.threadId, `${bad.messageId.split("-").slice(3).join("-")}.md`);
    victims.push({ ...bad, file, unread: path.join(home, "inbox/api/new", `${bad.messageId}.md`) });
  }
  return { folder, home, world, good, victims, victim: victims[0] as Victim };
}

/** Everything still answers, the good message is served, and nothing ran. */
async function stillServed({ world, good, home }: Scene): Promise<void> {
  const inbox = (await perform(world("api"), operations.inbox, {})) as Answer;
  expect(inbox.messages.map((message: Answer) => message.messageId)).toContain(good.messageId);
  expect(((await perform(world(), operations.threads, {})) as Answer).threads.map((thread: Answer) => thread.id)).toContain(good.threadId);
  expect(await perform(world(), operations.search, { query: "readable" })).toMatchObject({
    hits: expect.arrayContaining([expect.objectContaining({ messageId: good.messageId })]),
  });
  expect(((await perform(world(), operations.show, { threadId: good.threadId })) as Answer).messages[0].messageId).toBe(good.messageId);
  await perform(world("api"), operations.reply, { threadId: good.threadId, body: "still here" });
  await perform(world(), operations.roster, {});
  expect(fs.existsSync(OWNED)).toBe(false);
  expect(fs.readdirSync(path.join(home, "local/pending"))).toEqual([]);
}

const valid = (victim: Victim, extra = "", body = "x"): string =>
  `---\nid: "${victim.messageId}"\nthread: "${victim.threadId}"\nfrom: "web"\nto: ["api"]\nat: "2026-01-31T09:30:00.000Z"\nsubject: "s"\n${extra}---\n${body}\n`;
const bomb = `a: &a ["x","x"]\n${["b", "c", "d", "e", "f", "g", "h"]
  .map(
    (name, at) =>
      `${name}: &${name} [${Array(9)
        .fill(`*${"abcdefgh".charAt(at)}`)
        .join(",")}]`,
  )
  .join("\n")}\n`;

type Make = (target: string, victim: Victim) => unknown;
const text =
  (make: (victim: Victim) => string | Buffer): Make =>
  (target, victim) =>
    fs.writeFileSync(target, make(victim));
const HOSTILE: [what: string, make: Make][] = [
  ["code in the header", text(() => `---js\n${CODE}\n---\nx`)],
  ["code, in capitals", text(() => `---JS\n${CODE}\n---\nx`)],
  ["code, after a space", text(() => `--- javascript\n${CODE}\n---\nx`)],
  ["coffee", text(() => `---coffee\n${CODE}\n---\nx`)],
  ["a YAML tag that runs", text((victim) => valid(victim, `x: !!js/function >\n  ${CODE}\n`))],
  ["an alias bomb", text((victim) => valid(victim, bomb))],
  ["__proto__", text((victim) => valid(victim, '__proto__: { admin: true }\nz: { "constructor": 1 }\n'))],
  ["another message's id", text((victim) => valid({ ...victim, messageId: victim.messageId.replace(/.$/, "0") }))],
  ["a sender that is a path", text((victim) => valid(victim).replace('"web"', '"../../etc"'))],
  ["invalid UTF-8", text((victim) => Buffer.concat([Buffer.from(valid(victim)), Buffer.from([0xff, 0xfe, 0xc3])]))],
  ["UTF-16", text((victim) => Buffer.from(valid(victim), "utf16le"))],
  ["nothing at all", text(() => "")],
  ["only NUL", text(() => Buffer.alloc(100))],
  ["a NUL in good text", text((victim) => valid(victim, "", "read\0able"))],
  ["a header without end", text(() => `---\n${"a: b\n".repeat(50_000)}`)],
  ["a gigabyte, sparse", (target) => [fs.writeFileSync(target, ""), fs.truncateSync(target, 2 ** 30)]],
  ["a FIFO", (target) => void execFileSync("mkfifo", [target])],
  ["an empty folder of that name", (target) => void fs.mkdirSync(target)],
  ["a folder of that name", (target) => [fs.mkdirSync(target), fs.writeFileSync(path.join(target, "x.md"), "x")]],
  ["a link out of the home", (target) => fs.symlinkSync("/etc/passwd", target)],
  ["a link to itself", (target) => fs.symlinkSync(target, target)],
  ["a link to /dev/zero", (target) => fs.symlinkSync("/dev/zero", target)],
];

test("in place of messages, all at once: each is named by doctor and check, and the good one is served", async () => {
  const stage = await scene(HOSTILE.length);
  for (const [at, [, make]] of HOSTILE.entries()) {
    const victim = stage.victims[at] as Victim;
    for (const target of [victim.file, victim.unread]) {
      fs.rmSync(target);
      make(target, victim);
    }
  }
  await stillServed(stage);
  const { findings } = (await perform(stage.world(), operations.doctor, {})) as Answer;
  const named = findings.filter((finding: Answer) => finding.severity === "error").map((finding: Answer) => finding.path);
  const checked = ((await perform(stage.world(), operations.check, {})) as Answer).findings.map((finding: Answer) => finding.path);
  for (const [at, [what]] of HOSTILE.entries()) {
    const { file, unread } = stage.victims[at] as Victim;
    const places = [file, unread].map((each) => path.relative(stage.home, each));
    expect(named, what).toEqual(expect.arrayContaining(places));
    expect(checked, what).toEqual(expect.arrayContaining(places));
  }
  await perform(stage.world(), operations.doctor, { fix: true });
  await stillServed(stage);
});

test("in an outbox, all at once: none becomes more than one message", async () => {
  const stage = await scene();
  const outbox = path.join(stage.home, "outbox/web");
  fs.mkdirSync(outbox, { recursive: true });
  for (const [at, [, make]] of HOSTILE.entries()) make(path.join(outbox, `draft-${at}.md`), stage.victim);
  await stillServed(stage);
  const { threads } = (await perform(stage.world(), operations.threads, { limit: 200 })) as Answer;
  expect(threads.length).toBeLessThanOrEqual(2 + HOSTILE.length);
});

test("code and headers in bodies, subjects and lessons are data", async () => {
  const stage = await scene();
  const bodies = [`---js\n${CODE}\n---\n`, "---\nfrom: eve\nid: other\n---\nforged", `---\n---\n---js\n${CODE}\n---`, "\ufeff---\nx\n---"];
  for (const body of bodies) {
    const sent = (await perform(stage.world("web"), operations.send, { to: ["api"], subject: body.replace(/\s+/g, " "), body })) as Answer;
    const answered = (await perform(stage.world("api"), operations.reply, { threadId: sent.threadId, body })) as Answer;
    const shown = (await perform(stage.world(), operations.show, { threadId: sent.threadId })) as Answer;
    expect(shown.messages.map((message: Answer) => [message.messageId, message.from, message.body])).toEqual([
      [sent.messageId, "web", body],
      [answered.messageId, "api", body],
    ]);
    await perform(stage.world("web"), operations.close, { threadId: sent.threadId, lesson: body });
  }
  await stillServed(stage);
  expect(await perform(stage.world(), operations.doctor, {})).toMatchObject({ ok: true });
});

test("a message cut at every byte is a whole message or a named fault", async () => {
  const stage = await scene();
  const whole = fs.readFileSync(stage.victim.file);
  fs.rmSync(stage.victim.unread);
  for (let length = 0; length < whole.length; length += count(7, 1)) {
    fs.writeFileSync(stage.victim.file, whole.subarray(0, length));
    const shown = (await perform(stage.world(), operations.show, { threadId: stage.victim.threadId })) as Answer;
    if (shown.messages.length === 0) expect(shown.problems[0].path, `cut at ${length}`).toBe(path.relative(stage.home, stage.victim.file));
    else expect("readable".startsWith(shown.messages[0].body), `cut at ${length}`).toBe(true);
  }
  await stillServed(stage);
});

test("links that lead folders out of the home: nothing outside is read or written", async () => {
  for (const name of ["threads", "inbox/api", "local", "run", "events", "memory", "outbox", "local/keys", "local/pending"]) {
    const stage = await scene();
    const outside = scratch();
    fs.writeFileSync(path.join(outside, "secret.md"), "secret");
    fs.rmSync(path.join(stage.home, name), { recursive: true, force: true });
    fs.symlinkSync(outside, path.join(stage.home, name));
    const input: Record<string, Record<string, unknown>> = {
      send: { to: ["api"], subject: "s", body: "b", idempotency_key: "k" },
      event: { type: "limited", resetAt: new Date(Date.now() + 1_000).toISOString() },
      close: { threadId: stage.good.threadId, lesson: "l" },
      inbox: {},
      ack: { threadId: stage.good.threadId },
      part_add: { part: "docs" },
      search: { query: "secret" },
    };
    for (const [operation, given] of Object.entries(input)) {
      const answer = await perform(
        stage.world(operation === "send" ? "web" : "api"),
        operations[operation as keyof typeof operations],
        given,
      ).catch((error) => error);
      if (answer instanceof Error) expect(answer, `${name}: ${operation}`).toMatchObject({ name: "Refusal" });
      if (answer instanceof Refusal) expect(answer.code, `${name}: ${operation}: ${answer.message}`).not.toBe("internal");
      if (operation === "search" && !(answer instanceof Error)) expect(answer.total).toBe(0);
    }
    expect(fs.readdirSync(outside), name).toEqual(["secret.md"]);
    expect(await perform(stage.world(), operations.doctor, {}), name).toMatchObject({ ok: false });
  }
});

test("no text is read as a header that runs, pollutes, or hangs", () => {
  const piece = fc.constantFrom(
    ...["---", "---js", "\n", "a: ", "b: [", "]", "{", "}", "&x ", "*x", "!!js/function ", "__proto__: ", '"', "'"],
    ...["\\", "|", ">", "%", "@", "`", "\t", "\0", "\ufeff", "012", "~", "? ", "- ", "# ", "<<: "],
  );
  const source = fc.oneof(
    fc.array(fc.oneof(piece, fc.string({ maxLength: 5 })), { maxLength: 40 }).map((pieces) => `---\n${pieces.join("")}\n---\nbody`),
    fc.string({ unit: character, maxLength: 200 }),
  );
  fc.assert(
    fc.property(source, (given) => {
      try {
        const { header } = parseFrontmatter(given);
        expect(Object.getPrototypeOf(header)).toBe(Object.prototype);
        expect(Object.keys(header)).not.toContain("__proto__");
      } catch (error) {
        expect((error as Error).name).toBe("FileError");
      }
      expect(fs.existsSync(OWNED)).toBe(false);
    }),
    { numRuns: runs(10_000) },
  );
});
