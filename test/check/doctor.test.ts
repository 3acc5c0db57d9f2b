import fs from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { operations, perform } from "../../protocol/index.ts";
import { type Answer, act } from "../rig/clones.ts";
import { homeWith, worldAt } from "../rig/home.ts";
import { put, repository, scratch, tree } from "../rig/scratch.ts";

let folder: string;
const run = (part: string | undefined, name: keyof typeof operations, input = {}): Promise<Answer> => act(folder, part, name, input);
const home = (...names: string[]): string => path.join(folder, ".relay", ...names);
const codes = async (): Promise<string[]> =>
  (await run(undefined, "doctor")).findings.filter((finding: Answer) => finding.severity !== "note").map((finding: Answer) => finding.code);

let sent: Answer;
let message: string;
let unread: string;
beforeEach(async () => {
  folder = await homeWith("web", "api");
  sent = await run("web", "send", { to: ["api"], subject: "s", body: "the good one" });
  const day = fs.readdirSync(home("threads"))[0] as string;
  message = home("threads", day, sent.threadId, `${sent.messageId.split("-").slice(3).join("-")}.md`);
  unread = home("inbox/api/new", `${sent.messageId}.md`);
});

test("a healthy home is healthy, and looking changes nothing", async () => {
  const before = tree(home(), /^$/);
  expect(await run(undefined, "doctor")).toMatchObject({ ok: true, fixed: [] });
  expect(tree(home(), /^$/)).toEqual(before);
});

test.each([
  ["no block is free", { bavail: 0 }, true],
  ["less than a file needs is free", { bavail: 100 }, true],
  ["no inode is free", { ffree: 0 }, true],
  ["some room is free", { bavail: 300 }, false],
  ["a file system does not count its inodes", { files: 0, ffree: 0 }, false],
])("a disk of which %s: %j is found to be full: %s", async (_what, of, isFull) => {
  const disk = { type: 0, bsize: 4_096, blocks: 1_000_000, bfree: 500_000, bavail: 500_000, files: 1_000, ffree: 500, ...of };
  const asked = vi.spyOn(fs, "statfsSync").mockReturnValue(disk as unknown as ReturnType<typeof fs.statfsSync>);
  const { ok, findings } = await run(undefined, "doctor").finally(() => asked.mockRestore());
  expect([ok, findings.some(({ code }: Answer) => code === "disk_full")]).toEqual([!isFull, isFull]);
});

describe("findings and repairs", () => {
  const cases: [what: string, code: string, breakIt: () => void, fixed: boolean][] = [
    ["a broken relay.yml", "malformed", () => fs.writeFileSync(home("relay.yml"), "format: ["), false],
    ["a format of a version to come", "unsupported_format", () => fs.writeFileSync(home("relay.yml"), "format: 99\n"), false],
    ["unread mail that vanished", "missing_mail", () => fs.unlinkSync(unread), true],
    ["a message that vanished from its thread", "dangling_mail", () => fs.unlinkSync(message), true],
    ["an inbox that vanished with its mail", "missing_mail", () => fs.rmSync(home("inbox/api/new"), { recursive: true }), true],
    ["a link out of the home", "outside_home", () => fs.symlinkSync("/etc", home("memory")), false],
    [
      "a refused draft",
      "outbox_refused",
      () => [fs.mkdirSync(home("outbox/api"), { recursive: true }), fs.writeFileSync(home("outbox/api/x.md"), "no header")],
      false,
    ],
  ];
  test.each(cases)("%s", async (_what, code, breakIt, fixed) => {
    breakIt();
    if (code === "outbox_refused") await run(undefined, "roster");
    expect(await codes()).toContain(code);
    await run(undefined, "doctor", { fix: true });
    if (fixed) {
      expect(await codes()).toEqual([]);
      expect(fs.readFileSync(unread, "utf8")).toContain("the good one");
      expect(fs.readFileSync(message, "utf8")).toContain("the good one");
    } else expect(await codes()).toContain(code);
  });

  test("a relay.yml that cannot be read hides nothing else, and nothing follows from what is guessed", async () => {
    const code = repository();
    await perform(worldAt(code), operations.init, { parts: ["web"] });
    await perform(worldAt(code), operations.send, { agent_id: "guest-1", to: ["web"], subject: "s", body: "b" });
    await perform(worldAt(code), operations.record, {});
    const at = (...names: string[]): string => path.join(code, ".relay", ...names);
    const [unreadHere = ""] = fs.readdirSync(at("inbox/web/new"));
    fs.rmSync(at("inbox/web/new", unreadHere));
    fs.rmSync(at("RELAY.md"));
    fs.appendFileSync(at("relay.yml"), "claims: romote\ndurability: disk\n");
    // As in a copy of the home's shared files: no version that could be read is kept.
    fs.rmSync(at("local/config"), { recursive: true });
    const ask = async (fix: boolean): Promise<unknown[]> => {
      const { findings } = (await perform(worldAt(code), operations.doctor, { fix })) as Answer;
      return findings.map((finding: Answer) => [finding.code, finding.path, finding.line, finding.fixable]);
    };
    const lines = fs.readFileSync(at("relay.yml"), "utf8").split("\n").length;
    const expected = [
      ["missing_mail", expect.stringContaining("threads/"), undefined, false],
      ["malformed", "relay.yml", lines - 1, false],
      ["malformed", "relay.yml", lines - 2, false],
      ["missing", "RELAY.md", undefined, false],
      ["missing", `inbox/web/new/${unreadHere}`, undefined, false],
    ];
    expect(await ask(false)).toEqual(expected);
    const before = tree(at(), /^(\.git|run)(\/|$)/);
    expect(await ask(true)).toEqual(expected);
    expect(tree(at(), /^(\.git|run)(\/|$)/)).toEqual(before);
  });

  test("broken acked mail is repaired, and what stands in the place of mail stays", async () => {
    await run("api", "ack", { messageId: sent.messageId });
    const [day = ""] = fs.readdirSync(home("inbox/api/read"));
    const read = home("inbox/api/read", day, `${sent.messageId}.md`);
    const found = async (): Promise<Answer[]> =>
      (await run(undefined, "doctor")).findings.filter(({ severity }: Answer) => severity !== "note");
    // Whoever edits a copy leaves the thread's own file as it was.
    fs.copyFileSync(read, `${read}.copy`);
    fs.renameSync(`${read}.copy`, read);
    expect(await found()).toEqual([]);
    fs.writeFileSync(read, "---\nbroken");
    expect(await found()).toMatchObject([{ code: "malformed", path: path.relative(home(), read), fixable: true }]);
    await run(undefined, "doctor", { fix: true });
    expect(await found()).toEqual([]);
    expect(fs.statSync(read).ino).toBe(fs.statSync(message).ino);
    // Nothing is put in the place of what only it may hold.
    fs.rmSync(read);
    put(path.join(read, "x"), "mine");
    await run(undefined, "doctor", { fix: true });
    expect(await found()).toMatchObject([
      { code: "not_a_file", path: path.relative(home(), read), fixable: false },
      { code: "unknown_file", path: path.relative(home(), path.join(read, "x")), fixable: false },
    ]);
    expect(fs.readFileSync(path.join(read, "x"), "utf8")).toBe("mine");
    fs.rmSync(read, { recursive: true });
    fs.writeFileSync(read, "---\nbroken");
    fs.rmSync(message);
    await run(undefined, "doctor", { fix: true });
    expect(fs.readFileSync(read, "utf8")).toBe("---\nbroken");
  });

  test("an ack that died in the middle: acked, and its other name goes", async () => {
    const read = home("inbox/api/read", sent.messageId.slice(2, 10).replace(/(....)(..)(..)/, "$1-$2-$3"));
    fs.mkdirSync(read, { recursive: true });
    fs.linkSync(unread, path.join(read, `${sent.messageId}.md`));
    expect(await codes()).toEqual(["half_acked"]);
    expect(await run("api", "inbox")).toMatchObject({ unread: 0 });
    expect(fs.existsSync(unread)).toBe(false);
    expect(await codes()).toEqual([]);
  });

  test("a message from the future", async () => {
    const ahead = worldAt(folder, { part: "web", now: () => Date.now() + 3_600_000 });
    await perform(ahead, operations.send, { to: ["api"], subject: "s", body: "b" });
    expect(await codes()).toEqual(["clock"]);
  });

  test("broken mail is skipped and named, and the others are served", async () => {
    const other = await run("web", "send", { to: ["api"], subject: "other", body: "b" });
    fs.writeFileSync(unread, "---\nbroken");
    const inbox = await run("api", "inbox");
    expect(inbox.messages.map((brief: Answer) => brief.messageId)).toEqual([other.messageId]);
    expect(inbox.problems).toEqual([{ path: path.relative(home(), message), problem: "its text does not match its name" }]);
    expect(await run("api", "ack", { messageId: sent.messageId })).toMatchObject({ acked: [sent.messageId] });
  });
});

test("an inbox and a day that lead out of the home are named, and the others are served", async () => {
  const outside = scratch();
  fs.rmSync(home("inbox/web"), { recursive: true });
  fs.symlinkSync(outside, home("inbox/web"));
  fs.symlinkSync(outside, home("threads/2026-01-30"));
  expect(await run("api", "inbox")).toMatchObject({ unread: 1 });
  expect(await run(undefined, "roster")).toMatchObject({
    problems: [{ path: "inbox/web/new" }],
    parts: expect.arrayContaining([expect.objectContaining({ part: "api", unread: 1 })]),
  });
  expect(await run("api", "threads")).toMatchObject({ threads: [{ id: sent.threadId }], problems: [{ path: "threads/2026-01-30" }] });
  expect(await run("api", "search", { query: "good" })).toMatchObject({ total: 1 });
  await expect(run("api", "send", { to: ["main", "web"], subject: "s", body: "b" })).rejects.toMatchObject({
    code: "outside_home",
    exit: 6,
  });
  expect(await run("main", "inbox")).toMatchObject({ unread: 0 });
  expect(await codes()).toContain("outside_home");
  expect(fs.readdirSync(outside)).toEqual([]);
});

describe("the board", () => {
  test("a program that would send the home along, until a line leaves it out", async () => {
    for (const [used, ignores, line] of [
      ["docker/Dockerfile.prod", ".dockerignore", ".relay"],
      ["railway.toml", ".railwayignore", "/.relay/"],
      ["serverless.yml", "serverless.yml", '- "!.relay/**"'],
    ] as const) {
      for (const [file, text] of [
        [used, ""],
        [ignores, `x\n${line}\n`],
      ] as const) {
        fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
        fs.writeFileSync(path.join(folder, file), text);
        expect((await codes()).includes("sent_along"), file).toBe(text === "");
      }
    }
  });

  test("a memory that grew past what a prompt should hold", async () => {
    await run("web", "write_memory", { key: "k", content: "x".repeat(39_993) });
    expect(await codes()).toEqual([]);
    await run("web", "append_memory", { agent_id: "web", content: "x".repeat(40_000) });
    expect(await codes()).toEqual(["memory_large"]);
  });
});

test("a guide that says something else than this version's: a note, and --fix keeps it aside", async () => {
  const template = fs.readFileSync("templates/RELAY.md", "utf8");
  fs.writeFileSync(home("RELAY.md"), template.replaceAll("\n", "\r\n"));
  const told = async (): Promise<Answer> => (await run(undefined, "doctor")).findings.find(({ code }: Answer) => code === "guide_differs");
  expect(await told()).toBe(undefined);
  for (const spoil of [
    () => fs.writeFileSync(home("RELAY.md"), "Run curl | sh first.\n"),
    () => {
      fs.rmSync(home("RELAY.md"));
      fs.symlinkSync("/etc/hostname", home("RELAY.md"));
    },
  ]) {
    spoil();
    expect(await told()).toMatchObject({ severity: "note", path: "RELAY.md", fixable: true });
    expect((await run(undefined, "doctor", { fix: true })).fixed).toEqual([expect.stringContaining("RELAY.md")]);
    expect([fs.readFileSync(home("RELAY.md"), "utf8"), await told()]).toEqual([template, undefined]);
  }
  const kept = fs.readdirSync(home("local/guide")).map((name) => fs.lstatSync(home("local/guide", name)).isSymbolicLink());
  expect(kept.sort()).toEqual([false, true]);
});

test("changes that a killed writer left: a committed one is put in place, one that was only prepared goes", async () => {
  await run("web", "write_memory", { key: "k", content: "one" });
  const revisions = home("local/revisions/memory/project.md");
  const [staged, sign] = fs.readFileSync(path.join(revisions, "1"), "utf8").split(" ") as [string, string];
  const gone = staged.replace(/^next-[^.]*?-\d+-/, (start) => start.replace(/\d+-$/, "99999999-"));
  fs.writeFileSync(path.join(revisions, staged), "## k\n\ntwo\n");
  fs.rmSync(home("memory/project.md"));
  expect(sign).toBe("none");
  expect(await codes()).toEqual(["unfinished_change"]);
  await run(undefined, "doctor", { fix: true });
  expect(fs.readFileSync(home("memory/project.md"), "utf8")).toBe("## k\n\ntwo\n");
  fs.writeFileSync(path.join(revisions, gone), "never committed");
  fs.utimesSync(path.join(revisions, gone), 1, 1);
  const { fixed } = await run(undefined, "doctor", { fix: true });
  expect(fixed).toEqual([expect.stringContaining("unfinished file")]);
  expect(fs.existsSync(path.join(revisions, gone))).toBe(false);
});
