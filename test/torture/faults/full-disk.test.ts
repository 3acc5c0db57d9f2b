/**
 * A disk without room, without inodes, and one that is read-only: what writes says so clearly and leaves nothing half
 * done, and goes on when there is room; what reads works all the while.
 */
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { orElse } from "../../../protocol/core/format/file-error.ts";
import { operations } from "../../../protocol/index.ts";
import { survey } from "../../history/survey.ts";
import { ask, home, isHome, type Writing } from "../../history/verdict.ts";
import { drivenClock } from "../../rig/clock/driven.ts";
import { act, shared, shop } from "../../rig/clones.ts";
import { FULL } from "../../rig/counts.ts";
import { messageOf } from "../../rig/many-threads.ts";
import { type Ran, relay } from "../../rig/processes.ts";
import { git, put, scratch, tree, until } from "../../rig/scratch.ts";

import { doAgain, expectHealthy, hurtCommands, layFixture, verdictOf, WRITING } from "./writing.ts";

/** So much room is left to a command, in pages of 4,096 bytes or in inodes. Not in full: none of one, and a little of the other. */
const roomsOf = (what: "pages" | "inodes", command: number): number[] =>
  FULL ? Array.from({ length: 21 }, (_, room) => room) : [(command % 2 === 0) === (what === "pages") ? 0 : 3];
const why = whyNoMount();

function mount(...args: string[]): void {
  execFileSync("mount", args, { stdio: ["ignore", "pipe", "pipe"] });
}

function whyNoMount(): string | null {
  const folder = fs.mkdtempSync("/tmp/relay-mount-");
  try {
    mount("-t", "tmpfs", "-o", "size=64k", "tmpfs", folder);
    execFileSync("umount", [folder]);
    return null;
  } catch {
    return "mounting is not allowed here";
  } finally {
    fs.rmdirSync(folder);
  }
}

/** Runs a step on a small file system, which is gone afterwards whatever happened. */
async function onDisk(options: string, step: (folder: string, remount: (options: string) => void) => Promise<void>): Promise<void> {
  const folder = scratch();
  mount("-t", "tmpfs", "-o", options, "tmpfs", folder);
  try {
    await step(folder, (changed) => mount("-o", `remount,${changed}`, folder));
  } finally {
    execFileSync("umount", ["-l", folder]);
  }
}

/** Whether this process has a file open that has no name any more: its room comes back when that is closed. */
const holdsRemoved = (folder: string): boolean =>
  fs.readdirSync("/proc/self/fd").some((fd) => {
    const at = orElse("", () => fs.readlinkSync(`/proc/self/fd/${fd}`));
    return at.startsWith(`${folder}/`) && at.endsWith(" (deleted)");
  });

/** Takes all pages, or all inodes, but some. Gives what makes room again. */
async function fill(folder: string, what: "pages" | "inodes", room: number): Promise<() => void> {
  await until("what was replaced is closed", () => !holdsRemoved(folder));
  const filler = path.join(folder, "filler");
  fs.mkdirSync(filler);
  const left = (): number => fs.statfsSync(folder)[what === "pages" ? "bfree" : "ffree"];
  for (let at = 0; left() > room; at += 1) fs.writeFileSync(path.join(filler, `${at}`), what === "pages" ? Buffer.alloc(4_096) : "");
  return () => fs.rmSync(filler, { recursive: true });
}

/** Runs a command for which the clock stands: one that waits for somebody else's lock until its patience ends never ends. */
async function quickly(folder: string, args: readonly string[]): Promise<Ran> {
  const ran = await relay(folder, [...args, "--json"], { env: drivenClock({ stands: true }).env });
  expect(ran.stderr).not.toMatch(/^\s+at .*[:(]\d+/m);
  return ran;
}

function expectRefused(ran: Ran, code: "disk_full" | "not_writable"): void {
  expect(ran.json).toMatchObject({ success: false, code, error: expect.any(String), path: expect.any(String) });
  expect(ran.code).toBe(6);
}

/** Each of the messages is in the inbox of everyone it is to. */
function expectDelivered(folder: string): void {
  const { messages, unread, acked } = survey(home(folder));
  for (const { id, to } of messages) {
    for (const part of to) expect([...(unread.get(part) ?? []), ...(acked.get(part) ?? [])]).toContain(id);
  }
}

async function expectReadable(folder: string, threadId: string, healthy: boolean): Promise<void> {
  const read = [["inbox", "--part", "web"], ["show", threadId], ["threads"], ["roster"], ["search", "older"], ["status"]];
  for (const args of read) expect((await quickly(folder, args)).json, args.join(" ")).toMatchObject({ success: true });
  expect((await quickly(folder, ["inbox", "--part", "web"])).json).toMatchObject({ unread: 1, messages: [{ preview: "the older one" }] });
  const { json } = await quickly(folder, ["doctor"]);
  expect(json).toMatchObject({ success: true, ok: healthy });
  if (!healthy) expect(json.findings).toContainEqual(expect.objectContaining({ severity: "error", code: "not_writable" }));
}

async function squeeze(name: string, each: Writing, what: "pages" | "inodes", room: number): Promise<void> {
  await onDisk(what === "pages" ? "size=160k" : "nr_inodes=120", async (folder) => {
    const at = await layFixture(name, folder);
    const free = await fill(folder, what, room);
    const ran = await quickly(folder, each.args(at));
    const now = await verdictOf(each, folder, at);
    if (ran.code !== 0) expectRefused(ran, "disk_full");
    if (ran.code !== 0 && !each.inSteps) expect(now, "told as a failure").toBe("absent");
    // Nothing of it is to be seen without room, and reading goes on.
    if (isHome(folder)) expect((await ask(folder, operations.threads)).threads.length).toBeLessThanOrEqual(at.board === undefined ? 2 : 3);
    // An ack is made of names alone.
    if (room === 0 && !(name === "ack" && what === "pages")) expect(ran.code).toBe(6);
    free();
    if (isHome(folder)) await ask(folder, operations.roster);
    if (isHome(folder) && !name.startsWith("part re")) expectDelivered(folder);
    expect(survey(home(folder)).pending).toEqual([]);
    if (ran.code === 0) expect(await verdictOf(each, folder, at)).toBe("whole");
    if (isHome(folder)) await expectHealthy(folder);
    await doAgain(each, folder, at);
    expect(await verdictOf(each, folder, at), "with room again").toBe("whole");
    await expectHealthy(folder);
  });
}

describe.skipIf(why !== null)(`small and read-only disks${why === null ? "" : ` (skipped: ${why})`}`, () => {
  describe.each(["pages", "inodes"] as const)("no more %s", (what) => {
    test.each(hurtCommands().map(([name, each], at) => [name, each, at] as const))("%s", async (name, each, at) => {
      for (const room of roomsOf(what, at)) {
        await squeeze(name, each, what, room).catch((error) => {
          error.message = `${room} left: ${error.message}`;
          throw error;
        });
      }
    });
  });

  test.each([
    ["64 KB", "size=64k", "size=1m"],
    ["28 inodes", "nr_inodes=28", "nr_inodes=400"],
  ])(
    "sending until %s are used up: every message answered as sent is whole, no other is there, and sending goes on with room",
    async (_what, small, large) => {
      await onDisk(small, async (folder, remount) => {
        expect((await quickly(folder, ["init", "web"])).code).toBe(0);
        const send = (): Promise<Ran> => quickly(folder, ["send", "web", "A subject", "x".repeat(3_000), "--part", "main"]);
        const sent: string[] = [];
        let last = await send();
        for (; last.code === 0 && sent.length < 50; last = await send()) sent.push(last.json.messageId);
        expectRefused(last, "disk_full");
        expectRefused(await send(), "disk_full");
        const there = (): string[] => survey(home(folder)).messages.map(({ id }) => id);
        expect(there().toSorted()).toEqual(sent.toSorted());
        expect((await quickly(folder, ["inbox", "--part", "web"])).code).toBe(0);
        remount(large);
        expect((await quickly(folder, ["inbox", "--part", "web"])).json.unread).toBe(sent.length);
        expect(await send()).toMatchObject({ code: 0 });
        expect(there().length).toBe(sent.length + 1);
        expectDelivered(folder);
        await expectHealthy(folder);
      });
    },
  );

  test("read-only: every writing command is refused and changes nothing, reading works and is quick", async () => {
    await onDisk("size=1m", async (folder, remount) => {
      const at = await layFixture("task claim", folder);
      const before = tree(folder, /^$/);
      remount("ro");
      for (const [name, each] of hurtCommands()) {
        const ran = await quickly(folder, each.args(at));
        // All that `init` would make is there.
        if (name !== "init") expectRefused(ran, "not_writable");
      }
      await expectReadable(folder, at.threadId, false);
      expect(tree(folder, /^$/)).toEqual(before);
      remount("rw");
      await expectReadable(folder, at.threadId, true);
      await doAgain(WRITING["send"] as Writing, folder, at);
      expect(await verdictOf(WRITING["send"] as Writing, folder, at)).toBe("whole");
    });
    await onDisk("size=1m", async (folder, remount) => {
      remount("ro");
      expectRefused(await quickly(folder, ["init", "web"]), "not_writable");
    });
  });

  test("get_messages gives what arrived where nothing can be written, and says that it stays unread", async () => {
    await onDisk("size=1m", async (folder, remount) => {
      await quickly(folder, ["init", "web", "api"]);
      await quickly(folder, ["session", "start"]);
      const texts = ["One.", "Two."];
      for (const text of texts) await quickly(folder, ["message", "send", text, "--to", "api", "--part", "web"]);
      const given = async () => {
        const { json } = await quickly(folder, ["message", "list", "--part", "api"]);
        return { ...json, texts: json.messages.map(({ content }: { content: string }) => content) };
      };
      const before = tree(folder, /^$/);
      remount("ro");
      expect(await given()).toMatchObject({
        success: true,
        texts,
        warning: expect.stringMatching(/^these messages could not be marked read, so they stay unread: .*read-only/),
      });
      expect(tree(folder, /^$/)).toEqual(before);
      // A message that no line was written for is named, and not passed over.
      remount("rw");
      const arrivals = home(folder, "local/arrivals");
      const lines = fs.readFileSync(arrivals);
      fs.writeFileSync(arrivals, lines.subarray(0, lines.indexOf("\n") + 1));
      remount("ro");
      const told = await given();
      expect(told.texts).toEqual(["One."]);
      expect(told.warning).toContain("Relay could not number 1 unread message here, so this list lacks them; inbox shows them");
      remount("rw");
      expect(await given()).toMatchObject({ texts });
      expect(await given()).not.toHaveProperty("warning");
      expect((await quickly(folder, ["inbox", "--part", "api"])).json.unread).toBe(0);
    });
    // No more names: an ack needs one, reading none.
    await onDisk("nr_inodes=120", async (folder) => {
      await quickly(folder, ["init", "web", "api"]);
      await quickly(folder, ["session", "start"]);
      await quickly(folder, ["message", "send", "One.", "--to", "api", "--part", "web"]);
      const free = await fill(folder, "inodes", 0);
      const { json } = await quickly(folder, ["message", "list", "--part", "api"]);
      expect(json).toMatchObject({ success: true, messages: [{ content: "One." }], warning: expect.stringContaining("stay unread") });
      free();
      expect((await quickly(folder, ["inbox", "--part", "api"])).json.unread).toBe(1);
    });
  });

  test("a record and a sync: refused, nothing lost and nothing in the way, and done once there is room", async () => {
    const { hub, code: other } = await shop("web");
    const sent: string[] = [];
    await onDisk("size=32m", async (folder, remount) => {
      const code = path.join(folder, "code");
      git(folder, "clone", "--quiet", hub, code);
      await act(code, undefined, "init");
      // Somewhere between: what was fetched, merged or laid out before there was no room is completed.
      const rooms = FULL ? Array.from({ length: 15 }, (_, n) => n * 24) : [4, 60, 150];
      for (const [at, room] of [...rooms, null].entries()) {
        sent.push((await act(code, "web", "send", { to: ["main"], subject: `${at}`, body: "x".repeat(2_000) })).messageId);
        for (let n = 0; n < 20; n += 1)
          sent.push((await act(other, "web", "send", { to: ["main"], subject: `${at}.${n}`, body: `${n}`.repeat(1_000) })).messageId);
        await act(other, undefined, "sync");
        // The name of the clone is made once, by whoever has room for it first.
        const rest = /^(\.git|run|local\/clone)(\/|$)/;
        const before = tree(path.join(code, ".relay"), rest);
        const free = room === null ? () => remount("rw") : await fill(folder, "pages", room);
        if (room === null) remount("ro");
        for (const args of [["record"], ["sync"]]) {
          const ran = await relay(code, [...args, "--json"]);
          expect(ran.stderr).not.toMatch(/^\s+at .*[:(]\d+/m);
          if (room !== null && ran.json.success && room > 4) continue;
          expect(ran.json, `${args} ${room}`).toMatchObject({ success: false, code: room === null ? "not_writable" : "disk_full" });
        }
        if (room === null || room <= 4) expect(tree(path.join(code, ".relay"), rest)).toEqual(before);
        free();
        const again = await relay(code, ["sync", "--json"]);
        expect(again.json, `${room}: ${again.stdout}`).toMatchObject({ success: true });
        await act(other, undefined, "sync");
        expect(shared(code)).toEqual(shared(other));
      }
      const ids = fs.readdirSync(path.join(code, ".relay/inbox/main/new")).map((name) => name.slice(0, -3));
      expect(ids.sort()).toEqual(sent.sort());
      expect(git(path.join(code, ".relay"), "fsck", "--no-dangling")).toBe("");
    });
  });

  test("a record of many messages that does not fit leaves the room to others", async () => {
    await onDisk("size=3m", async (folder) => {
      const code = path.join(folder, "code");
      git(folder, "init", "--quiet", code);
      await act(code, undefined, "init", { parts: ["web", "api"] });
      await act(code, undefined, "record");
      for (let n = 1; n <= 90; n += 1) {
        const { path: at, text } = messageOf(1, n, n, randomBytes(4_500).toString("hex"));
        put(path.join(code, ".relay", at), text);
      }
      const free = await fill(folder, "pages", 100);
      for (let tried = 0; tried < 3; tried += 1) expectRefused(await quickly(code, ["record"]), "disk_full");
      const gitDir = path.join(code, ".git/relay");
      const names = [gitDir, path.join(gitDir, "objects/pack")].flatMap((each) => fs.readdirSync(each));
      expect(names.filter((name) => /^(relay-|fast_import|tmp_)/.test(name))).toEqual([]);
      expect(await quickly(code, ["send", "api", "Room", "There is some.", "--part", "web"])).toMatchObject({ code: 0 });
      free();
      expect((await quickly(code, ["record"])).json).toMatchObject({ success: true, commit: expect.any(String) });
      expect(git(path.join(code, ".relay"), "fsck", "--no-dangling")).toBe("");
    });
  });

  test("a send that died after its commit is still read on a read-only disk, and completed when it can be written", async () => {
    await onDisk("size=1m", async (folder, remount) => {
      const at = await layFixture("send", folder);
      const key = survey(home(folder)).messages[0]?.id as string;
      fs.renameSync(home(folder, "inbox/web/new", `${key}.md`), home(folder, "local/pending", `1-1-00000000-1.${key}.md`));
      remount("ro");
      expect((await quickly(folder, ["show", at.threadId])).json).toMatchObject({ success: true });
      expect((await quickly(folder, ["inbox", "--part", "api"])).json).toMatchObject({ unread: 1 });
      remount("rw");
      expect((await quickly(folder, ["inbox", "--part", "web"])).json).toMatchObject({ unread: 1 });
      expect(survey(home(folder)).pending).toEqual([]);
    });
  });
});
