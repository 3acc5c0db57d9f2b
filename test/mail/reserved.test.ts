/** A key reserves the finished message: who retries after a kill sends what was to be sent then. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { operations, perform } from "../../protocol/index.ts";
import { homeWith, worldAt } from "../rig/home.ts";
import { relay } from "../rig/processes.ts";
import { tree } from "../rig/scratch.ts";
import { pointsOf, type Scene, whyNoStrace, withFault } from "../rig/strace.ts";

const unable = whyNoStrace();
if (unable !== null) console.warn(unable);

/** Every file of a folder. */
const filesIn = (home: string, folder: string): [string, string][] =>
  Object.entries(tree(home, /^\.git(\/|$)/)).filter(([name]) => name.startsWith(`${folder}/`));

test.skipIf(unable !== null).each(["send", "reply"])("%s, killed after it reserved its key and before its commit", async (verb) => {
  const folder = await homeWith("web", "api");
  const home = path.join(folder, ".relay");
  const asked = await perform(worldAt(folder, { part: "api" }), operations.send, { to: ["web"], subject: "Ready?", body: "Say so." });
  const before = filesIn(home, "threads").length;
  const to = verb === "send" ? ["*", "Plan", "The first."] : [asked.threadId as string, "The first."];
  const args = [verb, ...to, "--part", "web", "--idempotency-key", "one", "--json"];
  const scene: Scene = { args, cwd: folder, folder: home, threads: false };
  // Killed at its first links it reserved nothing yet; the first kill that leaves a reservation is before the commit.
  const links = (await pointsOf({ ...scene, args: [...args.slice(0, -2), "count", "--json"] })).filter(({ call }) => call === "link");
  const counted = filesIn(home, "threads").length;
  expect(counted).toBeGreaterThan(before);
  const used = filesIn(home, "local/keys").map(([name]) => name);
  let reserved: [string, string] | undefined;
  for (const point of links) {
    expect((await withFault(scene, point, "KILL")).code).not.toBe(0);
    expect(filesIn(home, "threads")).toHaveLength(counted);
    reserved = filesIn(home, "local/keys").find(([name]) => !used.includes(name));
    if (reserved !== undefined) break;
  }
  const [, text = ""] = reserved ?? [];
  const id = /^---\nid: "(.*)"$/m.exec(text)?.[1] as string;
  // Meanwhile there is somebody more, and who tries again says other words: what was to be sent is sent.
  await perform(worldAt(folder, { part: "main" }), operations.part_add, { part: "late" });
  const again = await relay(
    folder,
    args.map((word) => (word === "The first." ? "The second." : word)),
  );
  expect(again.json).toMatchObject({ messageId: id });
  expect(again.json.recipients.map(({ part }: { part: string }) => part)).not.toContain("late");
  const sent = filesIn(home, "threads").filter(([name]) => !name.endsWith("thread.md") && name.includes(id.slice(-25)));
  expect(sent.map(([, each]) => each)).toEqual([text]);
  expect((await relay(folder, args)).json).toMatchObject({ messageId: id });
  expect(filesIn(home, "threads").filter(([, each]) => each.includes("The second."))).toEqual([]);
  expect(await perform(worldAt(folder), operations.doctor, {})).toMatchObject({ ok: true });
});

test("a recipient who was removed meanwhile is named, and gets no inbox", async () => {
  const folder = await homeWith("web", "api");
  const home = path.join(folder, ".relay");
  const web = worldAt(folder, { part: "web" });
  const input = { to: ["api"], subject: "s", body: "b", idempotency_key: "k" };
  const sent = await perform(web, operations.send, input);
  // As if it had been killed before its commit.
  const thread = path.join(home, "threads", fs.readdirSync(path.join(home, "threads"))[0] as string, sent.threadId as string);
  fs.rmSync(thread, { recursive: true });
  fs.rmSync(path.join(home, `inbox/api/new/${sent.messageId}.md`));
  await perform(worldAt(folder, { part: "main" }), operations.part_remove, { part: "api", force: true });
  await expect(perform(web, operations.send, input)).rejects.toMatchObject({ code: "unknown_part", data: { given: ["api"] } });
  expect(fs.existsSync(thread)).toBe(false);
});
