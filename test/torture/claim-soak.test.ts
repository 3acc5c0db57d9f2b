/** A soak of claims: 16 agents take the tasks of a board while some are killed and some suspended; then the history must hold. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { operations, perform } from "../../protocol/index.ts";
import { checkClaims } from "../history/claim-history.ts";
import { type ClaimEntry, type Killed, monotonic } from "../history/claim-log.ts";
import { surveyTasks } from "../history/claim-survey.ts";
import { count } from "../rig/counts.ts";
import { homeWith, settle, worldAt } from "../rig/home.ts";
import { pause, randomInt } from "../rig/hurt.ts";
import { relay, type Worker, work } from "../rig/processes.ts";
import { scratch, until } from "../rig/scratch.ts";
import type { ClaimPlan } from "../workers/claimer.ts";

const AGENTS = Array.from({ length: 16 }, (_, at) => `p${at}`);
const SESSION = "s-1";
/** The shortest that a claim can ask for: a record of it says whole seconds. */
const LEASE_S = 1;
/** Past this a lock counts its holder as dead. */
const LOCK_STALE_MS = 2_000;
const ITEMS = count(60, 600);
const WANTED = { stops: count(30, 400), kills: count(10, 120) };
const HURTS = WANTED.stops + WANTED.kills;
/** What somebody is told whose claim is over; of a task that is done, too. */
const OVER = ["stale_fence", "not_your_task"];

/** How long a process is suspended: a moment, or past its lease, or so long that its locks are taken from it, too. */
function sleepMs(): number {
  const fate = Math.random();
  if (fate < 0.6) return randomInt(150);
  return (fate < 0.9 ? LEASE_S * 1_000 : LOCK_STALE_MS) + randomInt(500);
}

test(`${ITEMS} tasks and 16 agents, suspended ${WANTED.stops} times and killed ${WANTED.kills} times: each task is done once`, async () => {
  const folder = await homeWith(...AGENTS);
  settle(folder, "durability: process\n");
  const world = worldAt(folder, { part: "main" });
  await perform(world, operations.start_session, { session_id: SESSION });
  const enough = path.join(scratch(), "enough");
  const all: Worker[] = [];
  const kills: Killed[] = [];
  const start = (agent: string): { name: string; worker: Worker } => {
    const name = `${agent}.${all.length}`;
    const lasting = all.length % 2 === 0;
    const plan: ClaimPlan = {
      folder,
      session: SESSION,
      agent,
      name,
      lasting,
      leaseS: LEASE_S,
      until: enough,
      lockStaleMs: LOCK_STALE_MS,
    };
    const worker = work("claimer", [JSON.stringify(plan)]);
    all.push(worker);
    return { name, worker };
  };
  const acting = new Map(AGENTS.map((agent) => [agent, start(agent)]));
  let made = 0;
  const make = async (upTo: number): Promise<void> => {
    for (; made < upTo; made += 1) await perform(world, operations.create_task, { title: `Item ${made}`, session_id: SESSION });
  };
  // Who starts late would find that the others have done all of it.
  await until("everyone is there", () => all.every(({ lines }) => lines.length > 0));
  await make(AGENTS.length);
  await until("somebody claims", () => all.some(({ lines }) => lines.length > 1));

  const asleep = new Set<string>();
  const sleeping: Promise<void>[] = [];
  for (let [stops, killed] = [0, 0]; stops < WANTED.stops || killed < WANTED.kills; ) {
    // So much is to be done at any time that whoever is hurt is hurt at work.
    await make(Math.ceil(((stops + killed) / HURTS) * (ITEMS - AGENTS.length)) + AGENTS.length);
    await pause(randomInt(60));
    const awake = AGENTS.filter((agent) => !asleep.has(agent));
    const inCall = awake.filter((each) => acting.get(each)?.worker.lines.at(-1)?.phase === "invoked");
    const victims = inCall.length > 0 && Math.random() < 0.7 ? inCall : awake;
    const agent = victims[randomInt(victims.length)];
    if (agent === undefined) continue;
    const { name, worker } = acting.get(agent) as { name: string; worker: Worker };
    if (killed < WANTED.kills && Math.random() < WANTED.kills / HURTS) {
      killed += 1;
      const from = monotonic();
      worker.child.kill("SIGKILL");
      expect(await worker.ended, worker.stderr()).toBe(null);
      kills.push({ phase: "killed", process: name, from, at: monotonic() });
      acting.set(agent, start(agent));
    } else if (stops < WANTED.stops) {
      stops += 1;
      worker.child.kill("SIGSTOP");
      asleep.add(agent);
      sleeping.push(
        pause(sleepMs()).then(() => {
          worker.child.kill("SIGCONT");
          asleep.delete(agent);
        }),
      );
    }
  }
  await make(ITEMS);
  await Promise.all(sleeping);
  const home = path.join(folder, ".relay");
  const isOver = (): boolean => surveyTasks(home, SESSION).every(({ chain }) => chain.at(-1)?.kind === "done");
  await until("every task is done", async () => {
    // A look at all of them takes the agents' time.
    await pause(200);
    return isOver();
  });
  fs.writeFileSync(enough, "");
  for (const { worker } of acting.values()) expect(await worker.ended, worker.stderr()).toBe(0);

  // Whoever was killed between a record and the task's file left an act that the next look finishes.
  for (const part of AGENTS) await perform(worldAt(folder, { part }), operations.inbox, {});
  const told = all.flatMap(({ lines }) => lines.filter((line) => "phase" in line) as ClaimEntry[]);
  const disk = surveyTasks(home, SESSION);
  expect(disk).toHaveLength(ITEMS);
  expect(disk.map(({ chain }) => chain.filter(({ kind }) => kind === "done").length)).toEqual(disk.map(() => 1));
  expect(checkClaims([...told, ...kills], disk)).toEqual([]);
  const refused = told.filter((entry) => entry.phase === "refused");
  expect(refused.filter(({ code }) => !OVER.includes(code))).toEqual([]);
  const doctor = await relay(folder, ["doctor", "--json"]);
  expect(doctor.json.findings.filter(({ severity }: { severity: string }) => severity !== "note")).toEqual([]);

  const pairs = disk.flatMap(({ chain }) => chain.slice(1).map((record, at) => [chain[at]?.kind, record.kind].join()));
  const sums = {
    calls: told.filter(({ phase }) => phase === "invoked").length,
    refused: refused.length,
    unanswered: told.filter(({ phase }) => phase === "invoked").length - told.filter(({ phase }) => phase !== "invoked").length,
    tookOver: pairs.filter((pair) => pair === "claim,claim").length,
    released: pairs.filter((pair) => pair === "claim,release").length,
  };
  console.info(`${ITEMS} tasks, ${WANTED.stops} stops, ${WANTED.kills} kills: ${JSON.stringify(sums)}`);
  expect(sums.tookOver, "somebody's claim was over, and taken").toBeGreaterThan(0);
});
