/** Claims that a remote decides: clones of a bare repository on this disk race for one task. SPEC.md, "Claims across machines". */
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { type Answer, act, cloneOf, shared, shop } from "../clones.ts";
import { count, TIMEOUT_MS } from "../counts.ts";
import { git } from "../rig.ts";

const ROUNDS = count(5, 200);
const CLONES = 8;

/** Clones that have the remote decide, and a session that all know. */
async function clones(many: number): Promise<{ hub: string; all: string[]; session: string }> {
  const { hub, code } = await shop("web", "api");
  fs.appendFileSync(path.join(code, ".relay/relay.yml"), "claims: remote\n");
  const { session_id } = await act(code, "main", "start_session");
  await act(code, undefined, "sync");
  const all = [code];
  while (all.length < many) all.push(await cloneOf(hub));
  return { hub, all, session: session_id };
}

async function newTask(code: string, session: string): Promise<string> {
  return (await act(code, "main", "create_task", { session_id: session, title: "One of us", description: "d" })).task_id;
}
const claim = (code: string, part: string, session_id: string, task_id: string): Promise<Answer> =>
  act(code, part, "claim_task", { session_id, task_id });
const get = (code: string, session_id: string, task_id: string): Promise<Answer> => act(code, "main", "get_task", { session_id, task_id });
/** Syncs each in turn until all have all. */
async function converge(all: readonly string[]): Promise<void> {
  for (let round = 0; round < 2; round += 1) for (const code of all) await act(code, undefined, "sync");
}
/** Takes the remote away, as a network that is down does; gives what brings it back. */
function unplug(hub: string): () => void {
  fs.renameSync(hub, `${hub}.away`);
  return () => fs.renameSync(`${hub}.away`, hub);
}

test("of eight clones that race for a task one wins, whatever the round", { timeout: TIMEOUT_MS }, async () => {
  const { all, session } = await clones(CLONES);
  const tasks: string[] = [];
  for (let round = 0; round < ROUNDS; round += 1) tasks.push(await newTask(all[0] as string, session));
  await converge(all);
  for (const task of tasks) {
    const answers = await Promise.all(all.map((code, at) => claim(code, at % 2 === 0 ? "web" : "api", session, task)));
    const won = answers.filter(({ claimed }) => claimed);
    expect(won).toHaveLength(1);
    expect(won[0]).toMatchObject({ claimed: true, fence: 1 });
    expect(answers.filter((answer) => answer.provisional)).toEqual([]);
    for (const { claimed, reason } of answers) if (!claimed) expect(reason).toMatch(/held by (web|api) \(fence 1\)/);
  }
  await converge(all);
  for (const code of all) expect(shared(code)).toEqual(shared(all[0] as string));
  expect(Object.keys(shared(all[0] as string)).filter((file) => file.includes(".kept-"))).toEqual([]);
});

describe("offline", () => {
  test("a claim is provisional, and confirmed by the next sync", async () => {
    const { hub, all, session } = await clones(2);
    const [one, two] = all as [string, string];
    const task = await newTask(one, session);
    await converge(all);
    const plug = unplug(hub);
    const answer = await claim(one, "web", session, task);
    expect(answer).toMatchObject({ claimed: true, provisional: true });
    plug();
    await converge(all);
    expect(git(hub, "for-each-ref", "refs/relay/claims")).toContain(task);
    const files = Object.keys(shared(two)).filter((file) => file.includes(`claims/${task}/`));
    expect(files.some((file) => /\/1\.\w+\.confirmed\.md$/.test(file))).toBe(true);
    expect(await claim(two, "api", session, task)).toMatchObject({ claimed: false });
    expect(shared(two)).toEqual(shared(one));
  });

  test("one that another clone was given meanwhile is lost, and whoever made it is told once", async () => {
    const { hub, all, session } = await clones(2);
    const [one, two] = all as [string, string];
    const task = await newTask(one, session);
    await converge(all);
    const plug = unplug(hub);
    expect(await claim(one, "web", session, task)).toMatchObject({ claimed: true, provisional: true });
    plug();
    expect(await claim(two, "api", session, task)).toMatchObject({ claimed: true });
    await act(one, undefined, "sync");
    // The other has not synced: the ref alone says who holds the task.
    expect(await get(one, session, task)).toMatchObject({ task: { assignee: "api", status: "in_progress" } });
    await converge(all);
    for (const code of all) {
      expect(await get(code, session, task)).toMatchObject({ task: { assignee: "api", status: "in_progress" } });
      const { messages } = await act(code, "web", "inbox", { unreadOnly: true });
      expect(messages.map(({ subject }: Answer) => subject)).toEqual(['Your claim of "One of us" was lost']);
    }
    expect(shared(two)).toEqual(shared(one));
    const files = Object.keys(shared(one)).filter((file) => file.includes(`claims/${task}/`));
    expect(files.some((file) => /\/1\.\w+\.lost\.md$/.test(file))).toBe(true);
    expect(await act(one, "web", "update_task", { session_id: session, task_id: task, status: "done" })).toMatchObject({ success: false });
  });

  test("what was finished offline is finished, if nobody claimed it meanwhile", async () => {
    const { hub, all, session } = await clones(2);
    const [one, two] = all as [string, string];
    const [task, other] = [await newTask(one, session), await newTask(one, session)];
    await converge(all);
    const plug = unplug(hub);
    for (const id of [task, other]) {
      await claim(one, "web", session, id);
      await act(one, "web", "update_task", { session_id: session, task_id: id, status: "done" });
    }
    plug();
    expect(await claim(two, "api", session, other)).toMatchObject({ claimed: true });
    await converge(all);
    for (const code of all) {
      expect(await get(code, session, task)).toMatchObject({ task: { status: "done" } });
      expect(await get(code, session, other)).toMatchObject({ task: { status: "in_progress", assignee: "api" } });
    }
    expect(shared(two)).toEqual(shared(one));
  });
});
