/** Claims, contested by many processes, some of them suspended past every lease: one winner for each fence, and no other. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { taskPath } from "../../protocol/board/nouns/task.ts";
import { operations, perform, type World } from "../../protocol/index.ts";
import { checkClaims } from "../history/claim-history.ts";
import { type ClaimEntry, endOf } from "../history/claim-log.ts";
import { surveyChain, surveyTasks } from "../history/claim-survey.ts";
import type { Answer } from "../rig/clones.ts";
import { count } from "../rig/counts.ts";
import { homeWith, settle, worldAt } from "../rig/home.ts";
import { isStopped, randomInt } from "../rig/hurt.ts";
import { type Agent, connect, sweep, type Worker, work } from "../rig/processes.ts";
import { begin } from "../rig/rounds.ts";
import { scratch, until } from "../rig/scratch.ts";

const SESSION = "s-1";
const PROCESSES = 4;
const AGENTS = Array.from({ length: 20 }, (_, at) => `a${at}`);
const ROUNDS = count(150, 10_000);
const STOPS = count(5, 200);
/** Calls of the disk from the beginning of a claim to the end of its task. */
const CALLS = 290;
const LEASE_MS = 1_000;

/** A home whose answers do not wait for the disk: nothing here loses power. */
async function quickHome(...parts: string[]): Promise<string> {
  const folder = await homeWith(...parts);
  settle(folder, "durability: process\n");
  await perform(worldAt(folder), operations.start_session, { session_id: SESSION });
  return folder;
}

const newTask = async (world: World, agent: string): Promise<string> =>
  (await perform(world, operations.create_task, { title: "Contested", agent_id: agent, session_id: SESSION })).task_id as string;

/** The records of a task as they lie on the disk; their numbers have no gap. */
function chainOf(folder: string, task: string): { kind: string; agent: string }[] {
  const chain = surveyChain(path.join(folder, ".relay"), SESSION, task);
  const numbers = chain.map(({ fence }) => fence);
  expect(numbers, "one record for each fence").toEqual(numbers.map((_, index) => index + 1));
  return chain.map(({ kind, agent }) => ({ kind, agent }));
}

/** What claimers of a round were told, as the history has it. Nobody takes over from them: their leases are long. */
function historyOf(round: number, task: string, told: Answer[]): ClaimEntry[] {
  return told.flatMap(({ agent, from, to, ...answer }): ClaimEntry[] => {
    const call = `${agent}-${round}`;
    return [{ phase: "invoked", call, at: from, kind: "claim", task, agent, leaseMs: 3_600_000 }, endOf(call, to, answer)];
  });
}

/** What 20 claimers were told in a round. */
async function contend(contenders: Worker[], rounds: string, round: number, task: string): Promise<Answer[]> {
  begin(rounds, round, JSON.stringify({ task_id: task, session_id: SESSION }));
  const last = (worker: Worker): Answer => worker.lines.at(-1);
  await until(`round ${round} ends`, () => contenders.every((worker) => last(worker)?.round === round));
  const told = contenders.flatMap((worker) => last(worker).told);
  expect(told.filter(({ success }: Answer) => success !== true)).toEqual([]);
  return told;
}

test(`${ROUNDS} claims, each contested by 20 agents in 4 processes; ${STOPS} with a holder suspended past its lease`, async () => {
  const folder = await quickHome(...AGENTS, "sleeper");
  const [rounds, sleeps] = [scratch(), scratch()];
  const per = AGENTS.length / PROCESSES;
  const contenders = Array.from({ length: PROCESSES }, (_, at) =>
    work("contender", [folder, rounds, JSON.stringify(AGENTS.slice(at * per, (at + 1) * per))]),
  );
  const sleeper = work("sleeper", [folder, sleeps, "sleeper"]);
  const world = worldAt(folder);
  const sums = { stops: 0, refused: 0 };
  const history: ClaimEntry[] = [];
  let slept = 0;
  let round = 0;

  const check = async (task: string, told: Answer[]): Promise<Answer> => {
    const winners = told.filter(({ claimed }) => claimed === true);
    expect(winners.length, JSON.stringify(winners)).toBeLessThanOrEqual(1);
    history.push(...historyOf(round, task, told));
    const chain = chainOf(folder, task);
    for (const { agent, fence } of winners) expect(chain[fence - 1]).toEqual({ kind: "claim", agent });
    return winners[0];
  };
  /** One agent is suspended in the middle of its work; then everybody else wants the task; then it wakes. */
  const stopRound = async (): Promise<void> => {
    const task = await newTask(world, "sleeper");
    const mine = slept;
    slept += 1;
    begin(sleeps, mine, JSON.stringify({ task_id: task, session_id: SESSION, call: 1 + randomInt(CALLS) }));
    const told = (): Answer => sleeper.lines.find((line) => line.round === mine);
    await until("it is suspended, or done", () => isStopped(sleeper.child) || told());
    if (told()?.early === true) {
      history.push(...told().log);
      expect(told().done).toMatchObject({ success: true });
      return;
    }
    sums.stops += 1;
    const past = Date.now() + LEASE_MS + 20;
    await until("its lease is over", () => Date.now() > past);
    const winner = await check(task, await contend(contenders, rounds, round, task));
    round += 1;
    sleeper.child.kill("SIGCONT");
    const { claim, done, log } = await until("it tells how it went", told);
    history.push(...log);
    const chain = chainOf(folder, task);
    if (winner === undefined) {
      // It had come to the record that finishes the task.
      expect(done).toMatchObject({ success: true });
      expect(chain.at(-1)).toEqual({ kind: "done", agent: "sleeper" });
      return;
    }
    if (claim.claimed === true) expect(done, "a fence that is over").toMatchObject({ success: false, code: "stale_fence" });
    else expect(claim, "somebody else was quicker").toMatchObject({ success: true, claimed: false });
    expect(chain.at(-1), "the winner holds it still").toEqual({ kind: "claim", agent: winner.agent });
    const shown = await perform(world, operations.show_task, { task_id: task, session_id: SESSION });
    expect(shown).toMatchObject({ task: { assignee: winner.agent }, claim: { agent: winner.agent, fence: winner.fence } });
    sums.refused += 1;
  };

  const every = Math.floor(ROUNDS / STOPS);
  for (let contested = 0; contested < ROUNDS; contested += 1) {
    if (sums.stops < STOPS && contested % every === 0) for (const before = sums.stops; sums.stops === before; ) await stopRound();
    const task = await newTask(world, "main");
    const winner = await check(task, await contend(contenders, rounds, round, task));
    round += 1;
    expect(winner, "somebody wins").toMatchObject({ fence: 1 });
    expect(chainOf(folder, task)).toHaveLength(1);
  }
  begin(rounds, round, "");
  begin(sleeps, slept, "");
  for (const worker of [...contenders, sleeper]) expect(await worker.ended, worker.stderr()).toBe(0);
  expect(checkClaims(history, surveyTasks(path.join(folder, ".relay"), SESSION))).toEqual([]);
  expect(sums.stops).toBe(STOPS);
  expect(sums.refused).toBeGreaterThan(0);
});

test("a claimer is suspended before each call of the disk while another claims: one of them has the task", async () => {
  const folder = await quickHome("web", "api");
  const main = worldAt(folder);
  const api = worldAt(folder, { part: "api" });
  const lay = async () => ({ task_id: await newTask(main, "main"), session_id: SESSION });
  const won = { mine: 0, theirs: 0 };
  const check = (mine: Answer, theirs: Answer, call: number): void => {
    expect([mine.claimed, theirs.claimed].filter(Boolean), `suspended before call ${call}`).toHaveLength(1);
    expect(chainOf(folder, theirs.task_id)).toEqual([{ kind: "claim", agent: mine.claimed ? "web" : "api" }]);
    won[mine.claimed ? "mine" : "theirs"] += 1;
  };
  await sweep(folder, "claim_task", lay, (input) => perform(api, operations.claim_task, input), check);
  expect(Math.min(won.mine, won.theirs), JSON.stringify(won)).toBeGreaterThan(5);
});

test("a holder is suspended before each call of finishing its task while another takes it over: one of the two counts", async () => {
  const folder = await quickHome("web", "api");
  // A lease that is over is seen by whoever looks later, here by a clock that is ahead.
  const api = worldAt(folder, { part: "api", now: () => Date.now() + 5_000 });
  const lay = async () => {
    const task_id = await newTask(worldAt(folder), "web");
    const { fence } = await perform(worldAt(folder, { part: "web" }), operations.claim_task, {
      task_id,
      session_id: SESSION,
      lease_s: 1,
    });
    return { task_id, session_id: SESSION, status: "done", fence };
  };
  const won = { mine: 0, theirs: 0 };
  const rival = ({ task_id }: Answer): Promise<Answer> => perform(api, operations.claim_task, { task_id, session_id: SESSION });
  const check = (mine: Answer, theirs: Answer, call: number): void => {
    expect([mine.success, theirs.claimed].filter(Boolean), `suspended before call ${call}`).toHaveLength(1);
    if (!mine.success) expect(mine).toMatchObject({ code: "stale_fence", fence: 2, holder: "api" });
    expect(chainOf(folder, theirs.task_id)[1]).toEqual(mine.success ? { kind: "done", agent: "web" } : { kind: "claim", agent: "api" });
    won[mine.success ? "mine" : "theirs"] += 1;
    // Whoever finishes a task looks which others waited for it: each round has as many.
    fs.rmSync(path.join(folder, ".relay", taskPath(SESSION, theirs.task_id)));
  };
  await sweep(folder, "update_task", lay, rival, check);
  expect(Math.min(won.mine, won.theirs), JSON.stringify(won)).toBeGreaterThan(5);
});

const bound = (folder: string, part: string): Promise<Agent> => connect(folder, { args: ["--part", part] });

test("a claim over a connection is renewed while it lives, and free once its process is dead", async () => {
  const folder = await homeWith("web", "api");
  const [web, api] = await Promise.all([bound(folder, "web"), bound(folder, "api")]);
  const { session_id } = await api.call("start_session");
  const { task_id } = await api.call("create_task", { title: "Long", priority: "low" });
  await web.call("start_session", { session_id });
  expect(await web.call("claim_task", { task_id, lease_s: 1 })).toMatchObject({ claimed: true, fence: 1 });
  const leases = path.join(folder, ".relay/run/leases", session_id);
  const claimed = Date.now();
  await until("it was renewed well past its first lease", () =>
    (fs.existsSync(leases) ? fs.readdirSync(leases) : []).some(
      (name) => name.endsWith(".1") && fs.statSync(path.join(leases, name)).mtimeMs > claimed + 3_000,
    ),
  );
  expect(await api.call("claim_task", { task_id })).toMatchObject({ claimed: false, fence: 1 });
  await web.kill();
  expect(await api.call("get_all_tasks", { ready: true })).toMatchObject({ tasks: [{ id: task_id }] });
  expect(await api.call("claim_task", { task_id })).toMatchObject({ claimed: true, fence: 2 });
  expect(await api.call("update_task", { task_id, status: "done", fence: 1 })).toMatchObject({ code: "stale_fence" });
  await api.close();
});
