/** Claims that a remote decides: clones of a bare repository on this disk race for one task. spec/git.md, "Claims across machines". */
import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { operations, perform } from "../../protocol/index.ts";
import { type Answer, act, cloneOf, shared, shop, unplug } from "../rig/clones.ts";
import { count, TIMEOUT_MS } from "../rig/counts.ts";
import { settle, worldAt } from "../rig/home.ts";
import { git } from "../rig/scratch.ts";

const ROUNDS = count(3, 200);
/** So long a claim waits for the remote. */
const CLAIM_MS = 20_000;
/** A remote that took as long did not answer, and is left alone. */
const HUNG_MS = 4_000;

/** What becomes of that limit: a slow machine never reaches it, and one that hangs is given up soon. */
let patienceMs = TIMEOUT_MS;
beforeEach(() => {
  patienceMs = TIMEOUT_MS;
  const later = globalThis.setTimeout;
  vi.stubGlobal("setTimeout", (call: () => void, ms?: number) => later(call, ms === CLAIM_MS ? patienceMs : ms));
});
afterEach(() => vi.unstubAllGlobals());
const CLONES = count(4, 8);

/** Clones that have the remote decide, and a session that all know. */
async function clones(many: number): Promise<{ hub: string; all: string[]; session: string }> {
  const { hub, code } = await shop("web", "api");
  settle(code, "claims: remote\n");
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
async function get(code: string, session_id: string, task_id: string): Promise<Answer> {
  const { tasks } = await act(code, "main", "get_all_tasks", { session_id });
  return tasks.find(({ id }: Answer) => id === task_id);
}
/** Syncs each in turn until all have all. */
async function converge(all: readonly string[]): Promise<void> {
  for (let round = 0; round < 2; round += 1) for (const code of all) await act(code, undefined, "sync");
}
/** What the first alone did reaches all. */
async function spread(all: readonly string[]): Promise<void> {
  for (const code of all) await act(code, undefined, "sync");
}

test("of several clones that race for a task one wins, whatever the round", async () => {
  const { all, session } = await clones(CLONES);
  const tasks: string[] = [];
  for (let round = 0; round < ROUNDS; round += 1) tasks.push(await newTask(all[0] as string, session));
  await spread(all);
  for (const task of tasks) {
    const answers = await Promise.all(all.map((code, at) => claim(code, at % 2 === 0 ? "web" : "api", session, task)));
    const won = answers.filter(({ claimed }) => claimed);
    expect(won).toHaveLength(1);
    expect(won[0]).toMatchObject({ claimed: true, fence: 1 });
    expect(answers.filter((answer) => answer.provisional)).toEqual([]);
    for (const { claimed, reason } of answers) if (!claimed) expect(reason).toMatch(/held by (web|api|you) \(fence 1\)/);
  }
  await converge(all);
  for (const code of all) expect(shared(code)).toEqual(shared(all[0] as string));
  expect(Object.keys(shared(all[0] as string)).filter((file) => file.includes(".kept-"))).toEqual([]);
});

describe("offline", () => {
  test("claims are provisional; the next sync confirms those that no other clone was given meanwhile, and a part that lost one has mail once", async () => {
    const { hub, all, session } = await clones(2);
    const [one, two] = all as [string, string];
    const tasks: string[] = [];
    while (tasks.length < 4) tasks.push(await newTask(one, session));
    const [kept, lost, finished, taken] = tasks as [string, string, string, string];
    await spread(all);
    const plug = unplug(hub);
    for (const task of tasks) expect(await claim(one, "web", session, task)).toMatchObject({ claimed: true, provisional: true });
    for (const task of [finished, taken]) await act(one, "web", "update_task", { session_id: session, task_id: task, status: "done" });
    plug();
    for (const task of [lost, taken]) expect(await claim(two, "api", session, task)).toMatchObject({ claimed: true });
    const notes = path.join(one, ".relay/local/provisional");
    const note = fs.readdirSync(notes).find((name) => name.includes(lost)) as string;
    fs.cpSync(path.join(notes, note), `${notes}.before`);
    await act(one, undefined, "sync");
    // As if it had been killed before it noted that all is decided: it is decided again, and comes to the same.
    fs.cpSync(`${notes}.before`, path.join(notes, note));
    const decided = shared(one);
    await act(one, undefined, "sync");
    expect(shared(one)).toEqual(decided);
    // The other has not synced: the ref alone says who holds the task.
    expect(await get(one, session, lost)).toMatchObject({ assignee: "api", status: "in_progress" });
    await converge(all);
    for (const code of all) {
      expect(await get(code, session, kept)).toMatchObject({ assignee: "web", status: "in_progress" });
      for (const task of [lost, taken]) expect(await get(code, session, task)).toMatchObject({ assignee: "api", status: "in_progress" });
      expect(await get(code, session, finished)).toMatchObject({ status: "done" });
      const { messages } = await act(code, "web", "inbox", { unreadOnly: true });
      expect(messages.map(({ subject }: Answer) => subject)).toEqual(Array(2).fill('Your claim of "One of us" was lost'));
    }
    expect(shared(two)).toEqual(shared(one));
    expect(git(hub, "for-each-ref", "refs/relay/claims")).toContain(kept);
    const files = Object.keys(shared(two));
    const decisions = (task: string): string[] =>
      files.flatMap((file) => new RegExp(`claims/${task}/1\\.\\w+\\.(confirmed|lost)\\.md$`).exec(file)?.[1] ?? []);
    expect([kept, lost].map(decisions)).toEqual([["confirmed"], ["lost"]]);
    expect(await claim(two, "api", session, kept)).toMatchObject({ claimed: false });
    const { findings } = await act(two, undefined, "check");
    expect(findings.filter((finding: Answer) => finding.path.includes("/claims/") || finding.path.includes("/tasks/"))).toEqual([]);
    const late = act(one, "web", "update_task", { session_id: session, task_id: lost, status: "done" });
    await expect(late).rejects.toMatchObject({ code: "not_your_task" });
  });
});

test("back online, a change has the remote decide the claim before any sync, and is refused where another clone was given it", async () => {
  const { hub, all, session } = await clones(2);
  const [one, two] = all as [string, string];
  const changes: [status: string, isLost: boolean, task: string][] = [];
  for (const isLost of [false, true])
    for (const status of ["in_review", "done", ...(isLost ? ["todo"] : [])]) changes.push([status, isLost, await newTask(one, session)]);
  await spread(all);
  const plug = unplug(hub);
  for (const [, , task] of changes) expect(await claim(one, "web", session, task)).toMatchObject({ claimed: true, provisional: true });
  plug();
  const decisions = (task: string): string[] =>
    Object.keys(shared(one)).flatMap((file) => new RegExp(`claims/${task}/\\d+\\.\\w+\\.(confirmed|lost)\\.md$`).exec(file)?.[1] ?? []);
  for (const [status, isLost, task] of changes) {
    if (isLost) expect(await claim(two, "api", session, task)).toMatchObject({ claimed: true });
    expect(decisions(task)).toEqual([]);
    const change = act(one, "web", "update_task", { session_id: session, task_id: task, status });
    if (isLost) await expect(change, status).rejects.toMatchObject({ code: "not_your_task" });
    else await change;
    expect(decisions(task)).toEqual([isLost ? "lost" : "confirmed"]);
    expect(git(hub, "for-each-ref", "refs/relay/claims")).toContain(task);
    if (isLost) expect(await get(one, session, task)).toMatchObject({ status: "in_progress", assignee: "api" });
    else expect(await claim(two, "api", session, task)).toMatchObject({ claimed: false });
  }
  expect(fs.readdirSync(path.join(one, ".relay/local/provisional"))).toEqual([]);
  const { messages } = await act(one, "web", "inbox", { unreadOnly: true });
  expect(messages.map(({ subject }: Answer) => subject)).toEqual(Array(3).fill('Your claim of "One of us" was lost'));
  await converge(all);
  for (const code of all)
    for (const [status, isLost, task] of changes) {
      const expected = isLost ? { status: "in_progress", assignee: "api" } : { status, assignee: "web" };
      expect(await get(code, session, task)).toMatchObject(expected);
    }
  expect(shared(two)).toEqual(shared(one));
});

describe("a remote that does not answer", () => {
  /** Every call of git to the remote goes through a program that notes the call, and hangs while it is told to. */
  async function through(code: string, hub: string): Promise<{ calls: () => number; hang: (isHung: boolean) => void }> {
    const folder = path.join(path.dirname(hub), "ssh");
    fs.mkdirSync(folder);
    const ssh = path.join(folder, "ssh");
    const script = `#!/bin/sh\necho x >> "${folder}/calls"\nif [ -e "${folder}/hung" ]; then sleep 1000; fi\nfor last; do :; done\nexec sh -c "$last"\n`;
    fs.writeFileSync(ssh, script, { mode: 0o755 });
    git(code, "config", "core.sshCommand", ssh);
    git(code, "remote", "set-url", "origin", `git@host:${hub}`);
    const calls = path.join(folder, "calls");
    return {
      calls: () => (fs.existsSync(calls) ? fs.readFileSync(calls, "utf8").length / 2 : 0),
      hang: (isHung) => (isHung ? fs.writeFileSync(path.join(folder, "hung"), "") : fs.rmSync(path.join(folder, "hung"))),
    };
  }

  test("keeps one claim waiting, and no other for a minute; a sync asks it again", async () => {
    const { hub, all, session } = await clones(1);
    const [one] = all as [string];
    const tasks: string[] = [];
    for (let n = 0; n < 4; n += 1) tasks.push(await newTask(one, session));
    const { calls, hang } = await through(one, hub);
    await act(one, undefined, "sync", { remote: "origin" });
    hang(true);
    patienceMs = HUNG_MS;
    const start = Date.now();
    const claimAt = (task: string | undefined, ms: number): Promise<Answer> =>
      at(one, "web", start + ms, "claim_task", { session_id: session, task_id: task });
    const first = await claimAt(tasks[0], 0);
    expect(first).toMatchObject({ claimed: true, provisional: true, reason: expect.stringMatching(/did not answer.*not asked again/) });
    const before = calls();
    expect(await claimAt(tasks[1], 30_000)).toMatchObject({ provisional: true, reason: expect.stringContaining("asked 30 s ago") });
    await at(one, "web", start + 31_000, "update_task", { session_id: session, task_id: tasks[1], status: "in_review" });
    expect(calls()).toBe(before);
    hang(false);
    patienceMs = TIMEOUT_MS;
    // A clock that was set back, and a minute that is over, say nothing of it.
    expect(await claimAt(tasks[2], -1_000)).not.toHaveProperty("provisional");
    await act(one, undefined, "sync");
    expect(calls()).toBeGreaterThan(before);
    expect(await claimAt(tasks[3], 40_000)).not.toHaveProperty("provisional");
    expect(fs.readdirSync(path.join(one, ".relay/local/provisional"))).toEqual([]);
  });
});

describe("refs of finished tasks", () => {
  const DAY = 86_400_000;
  const refs = (hub: string): string[] =>
    git(hub, "for-each-ref", "--format=%(refname)", "refs/relay/claims")
      .trim()
      .split("\n")
      .filter((ref) => ref !== "");
  /** Three tasks, claimed by the first of two clones: one is finished, one reopened, one in progress. */
  async function finished(): Promise<{ hub: string; one: string; two: string; session: string; tasks: [string, string, string] }> {
    const { hub, all, session } = await clones(2);
    const [one, two] = all as [string, string];
    const tasks = [await newTask(one, session), await newTask(one, session), await newTask(one, session)] as [string, string, string];
    await spread(all);
    for (const task of tasks) await claim(one, "web", session, task);
    for (const task of tasks.slice(0, 2)) await act(one, "web", "update_task", { session_id: session, task_id: task, status: "done" });
    await act(one, "web", "update_task", { session_id: session, task_id: tasks[1], status: "todo" });
    return { hub, one, two, session, tasks };
  }
  const syncAt = (code: string, now: number): Promise<Answer> => perform(worldAt(code, { now: () => now }), operations.sync, {});

  test("are pruned after 30 days, and no others; a task that is opened again then can be claimed, by one", async () => {
    const { hub, one, two, session, tasks } = await finished();
    await converge([one, two]);
    await syncAt(one, Date.now() + 29 * DAY);
    expect(refs(hub)).toHaveLength(3);
    await syncAt(one, Date.now() + 31 * DAY);
    expect(refs(hub).map((ref) => ref.split("/").at(-1))).toEqual(tasks.slice(1).sort());
    await converge([two, one]);
    expect(git(path.join(two, ".relay"), "for-each-ref", "refs/relay/claims").trim().split("\n")).toHaveLength(2);
    expect(shared(two)).toEqual(shared(one));
    await act(one, "web", "update_task", { session_id: session, task_id: tasks[0], status: "todo" });
    await converge([one, two]);
    const answers = await Promise.all([claim(one, "web", session, tasks[0]), claim(two, "web", session, tasks[0])]);
    expect(answers.filter(({ claimed }) => claimed)).toHaveLength(1);
    expect(refs(hub)).toHaveLength(3);
  });

  test("a clone that was away for so long learns from the branch that the task is done, and does not get it", async () => {
    for (const how of ["online", "offline"]) {
      const { hub, one, two, session, tasks } = await finished();
      await act(one, undefined, "sync");
      await syncAt(one, Date.now() + 31 * DAY);
      expect(refs(hub)).toHaveLength(2);
      const later = Date.now() + 32 * DAY;
      const input = { session_id: session, task_id: tasks[0] };
      const plug = how === "offline" ? unplug(hub) : () => {};
      const answer = await at(two, "api", later, "claim_task", input);
      plug();
      if (how === "online") expect(answer).toMatchObject({ claimed: false, reason: expect.stringContaining("it is done") });
      else expect(answer).toMatchObject({ claimed: true, provisional: true });
      await syncAt(two, later + 1_000);
      for (const code of [one, two]) await act(code, undefined, "sync");
      await act(two, undefined, "sync");
      for (const code of [one, two]) expect(await get(code, session, tasks[0]), how).toMatchObject({ status: "done", assignee: "web" });
      expect(shared(two)).toEqual(shared(one));
      expect(refs(hub)).toHaveLength(2);
    }
  });
});

describe("a claimer that dies, or is silent", () => {
  test("a claim that was sent, and never written down, is written by the next sync", async () => {
    const { hub, all, session } = await clones(2);
    const [one, two] = all as [string, string];
    const task = await newTask(one, session);
    await spread(all);
    expect(await claim(one, "web", session, task)).toMatchObject({ claimed: true, fence: 1 });
    // As if it had been killed between the push and the first write.
    const before = path.join(one, ".relay/sessions", session);
    git(path.join(one, ".relay"), "checkout", "--quiet", "--", ".");
    for (const gone of [`claims/${task}`]) fs.rmSync(path.join(before, gone), { recursive: true });
    fs.rmSync(path.join(one, ".relay/run/remote-claims"), { recursive: true });
    expect(await get(one, session, task)).toMatchObject({ status: "todo" });
    expect(await claim(two, "api", session, task)).toMatchObject({ claimed: false });
    await converge(all);
    for (const code of all) expect(await get(code, session, task)).toMatchObject({ status: "in_progress", assignee: "web" });
    expect(shared(two)).toEqual(shared(one));
    expect(git(hub, "for-each-ref", "refs/relay/claims").trim().split("\n")).toHaveLength(1);
  });

  test("a claim sent before the crash of one that thought to be offline is confirmed, not lost", async () => {
    const { hub, all, session } = await clones(2);
    const [one] = all as [string, string];
    const task = await newTask(one, session);
    await spread(all);
    const plug = unplug(hub);
    await claim(one, "web", session, task);
    plug();
    const folder = path.join(one, ".relay/sessions", session, "claims", task);
    const home = path.join(one, ".relay");
    const id = git(home, "hash-object", "-w", path.join(folder, "1.md")).trim();
    git(
      home,
      "push",
      "--quiet",
      hub,
      `${id}:refs/relay/claims/${session.replace(/[A-Z]/g, (c) => `_${c.charCodeAt(0).toString(16)}`)}/${task}`,
    );
    await converge(all);
    expect(fs.readdirSync(folder).filter((name) => name.endsWith(".confirmed.md"))).toHaveLength(1);
    expect(fs.readdirSync(folder).filter((name) => name.endsWith(".lost.md"))).toEqual([]);
  });

  test("a claim of another machine is taken over after its lease of silence here, whatever its clock says", async () => {
    const { all, session } = await clones(2);
    const [one, two] = all as [string, string];
    const task = await newTask(one, session);
    await spread(all);
    const start = Date.now();
    const ahead = start + 86_400_000 * 30;
    expect(await at(one, "web", ahead, "claim_task", { session_id: session, task_id: task, lease_s: 1 })).toMatchObject({ claimed: true });
    await converge(all);
    const input = { session_id: session, task_id: task };
    // Heard of since the start: ten minutes at least, however long that took.
    expect(await at(two, "api", start + 590_000, "claim_task", input)).toMatchObject({ claimed: false });
    const late = Date.now() + 620_000;
    // The holder shows that it lives, which counts from when it is heard of.
    expect(await at(one, "web", ahead + 400_000, "update_task", { ...input, status: "in_review" })).toMatchObject({ status: "in_review" });
    expect(await at(one, "web", ahead + 401_000, "update_task", { ...input, status: "in_progress" })).toMatchObject({ fence: 1 });
    expect(await at(two, "api", late, "claim_task", input)).toMatchObject({ claimed: false });
    expect(await at(two, "api", late + 620_000, "claim_task", input)).toMatchObject({ claimed: true, fence: 2 });
    const stale = at(one, "web", ahead + 700_000, "update_task", { ...input, status: "done" });
    await expect(stale).rejects.toMatchObject({ code: "not_your_task" });
    await converge(all);
    for (const code of all) expect(await get(code, session, task)).toMatchObject({ status: "in_progress", assignee: "api" });
    expect(shared(two)).toEqual(shared(one));
  });
});

/** Calls an operation by a clock of its own. */
const at = (cwd: string, part: string, now: number, name: keyof typeof operations, input: Record<string, unknown>): Promise<Answer> =>
  perform(worldAt(cwd, { part, now: () => now }), operations[name], input);
