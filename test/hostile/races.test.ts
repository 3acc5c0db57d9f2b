/** A second push that lands while a sync runs: between what it fetched and what it sends. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { operations, perform } from "../../protocol/index.ts";
import { act, cloneOf, shop } from "../rig/clones.ts";
import { worldAt } from "../rig/home.ts";
import { git } from "../rig/scratch.ts";
import { remoteAt } from "./rig/remote.ts";
import { lawfulMail } from "./rig/stage.ts";

/** Syncs, and lets somebody push once a step of it begins. */
async function syncWhile(code: string, step: string, push: () => void): Promise<ReturnType<typeof perform>> {
  let pushes = 0;
  const progress = (at: string): void => {
    if (at.startsWith(step) && pushes === 0) {
      pushes += 1;
      push();
    }
  };
  const answered = await perform(worldAt(code, { progress }), operations.sync, {});
  expect(pushes, `"${step}" began`).toBe(1);
  return answered as never;
}

test.each(["merging", "checking out", "pushing to"])(
  "a message is removed by a push that lands when a sync is %s: it is back everywhere",
  async (step) => {
    const { hub, code } = await shop("web");
    const sent = await act(code, "main", "send", { to: ["web"], subject: "one", body: "words" });
    await act(code, undefined, "sync");
    const other = await cloneOf(hub);
    const remote = remoteAt(hub);
    const before = lawfulMail(remote);
    await act(code, "main", "send", { to: ["web"], subject: "own", body: "of this clone" });
    const paths = remote.paths(/^(threads|inbox)\//).filter((at) => at.includes(sent.messageId.slice(11, 19)));
    let commit = "";
    const answered = await syncWhile(code, step, () => {
      remote.remove(...paths);
      commit = remote.commit();
    });
    expect(paths.length).toBeGreaterThan(1);
    expect(answered).toMatchObject({
      sent: true,
      rounds: 2,
      broughtBack: [{ by: [commit], deleted: paths.length }],
    });
    for (const met of [code, other]) {
      await act(met, undefined, "sync");
      for (const at of [...paths, `inbox/web/new/${before}.md`]) expect(fs.existsSync(path.join(met, ".relay", at)), at).toBe(true);
      expect((await act(met, "web", "inbox")).messages).toHaveLength(3);
    }
    expect(git(hub, "ls-tree", "-r", "--name-only", "relay").split("\n")).toEqual(expect.arrayContaining(paths));
  },
);

test("a sync ends, and has all, though pushes land again and again while it sends", async () => {
  const { hub, code } = await shop("web");
  const remote = remoteAt(hub);
  await act(code, "main", "send", { to: ["web"], subject: "own", body: "of this clone" });
  let pushes = 0;
  const progress = (at: string): void => {
    if (at.startsWith("pushing to") && pushes < 5) {
      pushes += 1;
      lawfulMail(remote);
    }
  };
  expect(await perform(worldAt(code, { progress }), operations.sync, {})).toMatchObject({
    sent: true,
    rounds: 6,
    arrived: { messages: 5, commitCount: 5 },
  });
  expect((await act(code, "web", "inbox")).messages).toHaveLength(6);
});
