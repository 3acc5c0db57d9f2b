/** What a command costs follows what is unread, and not what was: counted in calls of the disk, which no noise changes. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { operations, perform } from "../../protocol/index.ts";
import { count } from "../counts.ts";
import { homeWith, worldAt } from "../rig.ts";
import { costOf, whyNoStrace } from "../strace.ts";

const unable = whyNoStrace();
if (unable !== null) console.warn(unable);

test.skipIf(unable !== null)("inbox asks the disk no more in a home with a long history than in a new one", async () => {
  const folder = await homeWith("web", "api");
  const home = path.join(folder, ".relay");
  fs.appendFileSync(path.join(home, "relay.yml"), "durability: process\n");
  const send = async (): Promise<string> => {
    const input = { to: ["web"], subject: "s", body: "b" };
    return (await perform(worldAt(folder, { part: "api" }), operations.send, input)).messageId as string;
  };
  const unread = async (): Promise<number> => {
    for (let each = 0; each < 3; each += 1) await send();
    return costOf({ args: ["inbox", "--part", "web", "--json"], cwd: folder, folder: home, threads: false });
  };
  const asNew = await unread();
  for (let round = 0; round < count(10, 100); round += 1) {
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
