/** What is written while a sync asks the remote: it goes along where anything came, and else with the next sync. spec/git.md, "Syncing". */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { operations, perform } from "../../protocol/index.ts";
import { type Answer, act, board, cloneOf, shop } from "../rig/clones.ts";
import { worldAt } from "../rig/home.ts";
import { messageOf } from "../rig/many-threads.ts";
import { git, put } from "../rig/scratch.ts";

const MEANWHILE = messageOf(1, 1, 1, "Written meanwhile.");

/** Syncs; before it asks the remote for the branch, somebody writes a message and does something more. */
async function syncWhile(code: string, input: Record<string, unknown> = {}, more: () => void = () => {}): Promise<Answer> {
  let asked = 0;
  const progress = (doing: string): void => {
    if (!doing.startsWith("fetching")) return;
    asked += 1;
    if (asked > 1) return;
    put(path.join(code, ".relay", MEANWHILE.path), MEANWHILE.text);
    more();
  };
  const answer = await perform(worldAt(code, { progress }), operations.sync, input);
  expect(asked).toBeGreaterThan(0);
  return answer;
}
const sentTo = (hub: string): string[] => git(hub, "ls-tree", "-r", "--name-only", "relay").split("\n");
const send = (code: string, subject: string): Promise<Answer> => act(code, "web", "send", { to: ["api"], subject, body: "b" });

test("nothing came: what was recorded before is sent, and what was written or lost meanwhile is for the next sync", async () => {
  const { hub, code } = await shop("web", "api");
  const { messageId } = await send(code, "before");
  await act(code, undefined, "record");
  const [before] = git(path.join(code, ".relay"), "ls-files", `inbox/api/new/${messageId}.md`).split("\n") as [string];
  const lost = path.join(code, ".relay", before);
  expect(await syncWhile(code, {}, () => fs.rmSync(lost))).toMatchObject({ sent: true, rounds: 1, restored: [] });
  expect(sentTo(hub)).toContain(before);
  expect(sentTo(hub)).not.toContain(MEANWHILE.path);
  expect(await act(code, undefined, "sync")).toMatchObject({ sent: true, restored: [before] });
  expect(fs.existsSync(lost)).toBe(true);
  expect(sentTo(hub)).toContain(before);
  expect(sentTo(hub)).toContain(MEANWHILE.path);
});

test("the remote has something new: what was written meanwhile goes along", async () => {
  const { hub, code } = await shop("web", "api");
  const two = await cloneOf(hub);
  const { messageId } = await send(two, "news");
  await act(two, undefined, "sync");
  expect(await syncWhile(code)).toMatchObject({ sent: true, rounds: 1, arrived: { messages: 1 } });
  expect(sentTo(hub)).toContain(MEANWHILE.path);
  expect(sentTo(hub)).toContain(`inbox/api/new/${messageId}.md`);
});

test("the remote has a claim: what it decided, and what was written meanwhile, goes along", async () => {
  const { hub, code, session_id, task_id } = await board();
  await act(code, "web", "claim_task", { session_id, task_id });
  await act(code, undefined, "sync");
  expect(await syncWhile(code)).toMatchObject({ sent: true });
  expect(sentTo(hub)).toContain(MEANWHILE.path);
});

test("--accept: what was written meanwhile goes along", async () => {
  const { hub, code } = await shop("web", "api");
  await send(code, "kept");
  await act(code, undefined, "sync");
  git(hub, "update-ref", "refs/heads/relay", `${git(hub, "rev-parse", "relay").trim()}~1`);
  expect(await syncWhile(code, { accept: "both" })).toMatchObject({ sent: true });
  expect(sentTo(hub)).toContain(MEANWHILE.path);
});

test("a commit by hand during a sync is guarded before it is sent", async () => {
  const { hub, code } = await shop("web", "api");
  const home = path.join(code, ".relay");
  await act(code, "web", "write_memory", { key: "a", content: "kept" });
  await act(code, undefined, "sync");
  const drop = (): void => {
    git(home, "rm", "--quiet", "memory/project.md");
    git(home, "commit", "--quiet", "--message", "drop");
  };
  expect(await syncWhile(code, {}, drop)).toMatchObject({ sent: true, broughtBack: [{ deleted: 1 }] });
  expect(sentTo(hub)).toContain("memory/project.md");
  expect(sentTo(hub)).toContain(MEANWHILE.path);
});
