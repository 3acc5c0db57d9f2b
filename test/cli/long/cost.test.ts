/** What a command costs follows what is unread, and not what was: counted in calls of the disk, which no noise changes. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { operations, perform } from "../../../protocol/index.ts";
import { count } from "../../rig/counts.ts";
import { homeWith, settle, worldAt } from "../../rig/home.ts";
import { put } from "../../rig/scratch.ts";
import { costOf, whyNoStrace } from "../../rig/strace.ts";

const unable = whyNoStrace();
if (unable !== null) console.warn(unable);

test.skipIf(unable !== null)("inbox asks the disk no more in a home with a long history than in a new one", async () => {
  const folder = await homeWith("web", "api");
  const home = path.join(folder, ".relay");
  settle(folder, "durability: process\n");
  const send = async (): Promise<string> => {
    const input = { to: ["web"], subject: "s", body: "b" };
    return (await perform(worldAt(folder, { part: "api" }), operations.send, input)).messageId as string;
  };
  const unread = async (): Promise<number> => {
    for (let each = 0; each < 3; each += 1) await send();
    return costOf({ args: ["inbox", "--part", "web", "--json"], cwd: folder, folder: home, threads: false });
  };
  const asNew = await unread();
  for (let round = 0; round < count(3, 100); round += 1) {
    const messageIds: string[] = [];
    for (let each = 0; each < 100; each += 1) messageIds.push(await send());
    await perform(worldAt(folder, { part: "web" }), operations.ack, { messageIds });
  }
  const { messages } = await perform(worldAt(folder, { part: "web" }), operations.inbox, {});
  await perform(worldAt(folder, { part: "web" }), operations.ack, { messageIds: messages.map(({ messageId }) => messageId) });
  const withHistory = await unread();
  expect(asNew).toBeGreaterThan(10);
  expect(withHistory).toBeLessThanOrEqual(asNew * 1.5);
});

test.skipIf(unable !== null)("a part that never wrote or read costs a roster a few looks, however deep the home lies", async () => {
  const parts = 200;
  const folder = await homeWith("web");
  const home = path.join(folder, ".relay");
  const file = path.join(home, "relay.yml");
  const scene = { args: ["roster", "--json", "--part", "web"], cwd: folder, folder: home, threads: false };
  const alone = await costOf(scene);
  const more = Array.from({ length: parts }, (_, n) => `  p${n}: { formerly: [f${n}] }\n`).join("");
  fs.writeFileSync(file, `${fs.readFileSync(file, "utf8").trimEnd()}\n${more}`);
  expect(((await costOf(scene)) - alone) / parts).toBeLessThan(30);
});

test.skipIf(unable !== null)(
  "a session that has ended costs a look whether it has, and is not read: on the board, and where a part is silent",
  async () => {
    const sessions = 300;
    const folder = await homeWith("web");
    const home = path.join(folder, ".relay");
    await perform(worldAt(folder, { part: "web" }), operations.create_task, { title: "work", priority: "low" });
    const anHourAgo = new Date(Date.now() - 3_600_000);
    fs.utimesSync(path.join(home, "run/life/web"), anHourAgo, anHourAgo);
    const asked = [["roster"], ["task", "list"]].map((words) => ({
      args: [...words, "--json"],
      cwd: folder,
      folder: home,
      threads: false,
    }));
    const alone: number[] = [];
    for (const scene of asked) alone.push(await costOf(scene));
    for (let n = 0; n < sessions; n += 1) {
      const at = path.join(home, `sessions/2020-01-01-${String(n).padStart(3, "0")}-AAAA`);
      put(path.join(at, "session.md"), "---\nstarted_by: main\nstarted_at: 2020-01-01T00:00:00.000Z\n---\n");
      fs.writeFileSync(path.join(at, "ended.md"), "---\nended_by: main\nended_at: 2020-01-02T00:00:00.000Z\n---\n");
    }
    for (const [at, scene] of asked.entries()) expect(((await costOf(scene)) - (alone[at] as number)) / sessions).toBeLessThan(3);
  },
);

/** One thread of so many messages, all of them unread by web, as a flood by a push leaves it. */
async function flood(messages: number): Promise<{ folder: string; thread: string }> {
  const folder = await homeWith("web", "api");
  const home = path.join(folder, ".relay");
  const thread = "t-20260131-f100d000";
  const at = path.join(home, "threads/2026-01-31", thread);
  fs.mkdirSync(at, { recursive: true });
  for (let n = 1; n <= messages; n += 1) {
    const token = `1kg9p6je0${n.toString().padStart(5, "0")}`;
    const id = `m-20260131-f100d000-${n}-${token}`;
    const header = [`id: "${id}"`, `thread: "${thread}"`, 'from: "api"', 'to: ["web"]', 'at: "2026-01-31T12:00:00.000Z"', 'subject: "s"'];
    fs.writeFileSync(path.join(at, `${n}-${token}.md`), `---\n${header.join("\n")}\n---\nbody\n`);
    fs.linkSync(path.join(at, `${n}-${token}.md`), path.join(home, "inbox/web/new", `${id}.md`));
  }
  return { folder, thread };
}

test.skipIf(unable !== null)("showing a flood reads the messages that are shown, and not all that came", async () => {
  const cost = async (messages: number): Promise<Record<string, number>> => {
    const { folder, thread } = await flood(messages);
    const world = worldAt(folder, { part: "web" });
    const shown = await perform(world, operations.show, { threadId: thread });
    expect(shown.thread).toMatchObject({ messages, unread: messages });
    const counted: Record<string, number> = {};
    for (const args of [
      ["show", thread, "--json"],
      ["threads", "--json"],
      ["status", "--json"],
      ["hook", "prompt"],
    ]) {
      const scene = { args: [...args, "--part", "web"], cwd: folder, folder: path.join(folder, ".relay"), threads: false };
      counted[args[0] as string] = await costOf(scene);
    }
    return counted;
  };
  const [some, many] = [await cost(1_200), await cost(6_000)];
  for (const [name, calls] of Object.entries(many)) expect(calls, name).toBeLessThanOrEqual((some[name] as number) * 1.3);
});
