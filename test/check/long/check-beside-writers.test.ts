/** A home that another process writes to between the listing of a check and its reading of a file. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { act } from "../../rig/clones.ts";
import { homeWith } from "../../rig/home.ts";

/** A home with a task that is claimed the moment its file is read for the first time, after the folder of its claims was listed. */
async function claimedMeanwhile(): Promise<{ home: string; claimNow: () => void; task: string }> {
  const home = await homeWith("web");
  await act(home, "web", "start_session", { session_id: "s-1" });
  const { task_id } = await act(home, "web", "create_task", { title: "Parse" });
  const session = path.join(home, ".relay/sessions/s-1");
  const task = path.join(session, `tasks/${task_id}.md`);
  const before = fs.readFileSync(task);
  await act(home, "web", "claim_task", { task_id });
  const after = fs.readFileSync(task);
  const aside = path.join(home, "claims-aside");
  fs.renameSync(path.join(session, "claims"), aside);
  fs.writeFileSync(task, before);
  const claimNow = (): void => {
    fs.renameSync(aside, path.join(session, "claims"));
    fs.writeFileSync(task, after);
  };
  return { home, claimNow, task };
}

/** Does something the first time that a file is opened. */
async function whenOpened<T>(file: string, once: () => void, run: () => Promise<T>): Promise<T> {
  const real = fs.openSync;
  let isDone = false;
  fs.openSync = (...args: Parameters<typeof fs.openSync>) => {
    if (!isDone && args[0] === file) {
      isDone = true;
      once();
    }
    return real(...args);
  };
  try {
    return await run();
  } finally {
    fs.openSync = real;
    expect(isDone).toBe(true);
  }
}

test("a claim that is made while check reads is no finding", async () => {
  const { home, claimNow, task } = await claimedMeanwhile();
  expect(await whenOpened(task, claimNow, () => act(home, undefined, "check"))).toMatchObject({ ok: true, findings: [] });
});
