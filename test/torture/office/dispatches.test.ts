/** Dispatches, while runners, agents and their servers are killed: none is lost, none replies twice, a position has one turn at a time. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { seqOf } from "../../../protocol/mail/files/arrivals.ts";
import { localDispatches } from "../../../protocol/office/files/next-turn.ts";
import { RUNNER_PATH } from "../../../protocol/office/files/runner-hold.ts";
import { count, FULL } from "../../rig/counts.ts";
import { officeFolder } from "../../rig/home.ts";
import { hasEnded, isAlive, pause, randomInt } from "../../rig/hurt.ts";
import { bigOffice } from "../../rig/office.ts";
import { OfficeStage } from "../../rig/office-stage.ts";
import { type Worker, work } from "../../rig/processes.ts";
import { begin as beginRound } from "../../rig/rounds.ts";
import { scratch, until } from "../../rig/scratch.ts";
import type { Act } from "../../workers/turn-ender.ts";

const PROJECTS = count(2, 8);
const JOBS = count(2, 36);
/** Jobs of the office's lead, each of which goes down four levels. */
const DEEP = count(1, 4);
const KILLS = count(3, 40);
const ROUNDS = count(1, 10);
const WORKERS = ["one", "two", "three"];

const projects = Array.from({ length: PROJECTS }, (_, n) => `p${n}`);

async function openStage(): Promise<OfficeStage> {
  const stage = await OfficeStage.open(bigOffice(projects, WORKERS));
  const { notes } = stage;
  const worker = [
    `name=$(printf %s "$RELAY_PART" | tr / _); alive="${notes}/alive.$name"`,
    `[ -e "$alive" ] && ${isAlive('$(cat "$alive")')} && echo "$name" >>"${notes}/overlap"`,
    `echo $$ >"$alive"; cat >"${notes}/told.$name.$$"; sleep 0.$(($$ % 8))`,
    `printf 'done in %s.' "$RELAY_CONTEXT"; rm "$alive"`,
  ].join("\n");
  await stage.workers(worker);
  stage.limits({ turns_at_once: 20, idle_s: 0.2 });
  const wait = (n: number): object => (n % 2 === 0 ? {} : { wait: false });
  const plan = projects.flatMap((name, n): [string, object[][]][] => [
    [`${name}/lead`, [[{ send: { member: `${name}-coder`, message: "Go.", ...wait(n) } }, { echo: true }], [{ echo: true }]]],
    [
      `${name}/coding/lead`,
      [
        n % 2 === 0
          ? WORKERS.map((each) => ({ send: { member: `${name}-${each}`, message: "Go.", wait: false } }))
          : [{ all: WORKERS.map((each) => ({ member: `${name}-${each}`, message: "Go." })) }, { echo: true }],
        [{ echo: true }],
      ],
    ],
  ]);
  stage.plan(Object.fromEntries(plan));
  return stage;
}

const home = (stage: OfficeStage): string => path.join(stage.folder, ".relay");
const listed = (folder: string): string[] => (fs.existsSync(folder) ? fs.readdirSync(folder) : []);
const textOf = (file: string): string => {
  try {
    return fs.readFileSync(file, "utf8");
  } catch {
    return "";
  }
};

/** The processes of a home that match: by their environment, or what they were started with. */
const processesOf = (stage: OfficeStage, wanted: (words: string) => boolean = () => true): number[] =>
  fs.readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return [];
    const words = textOf(`/proc/${name}/cmdline`);
    const isOurs = words.includes(stage.folder) || textOf(`/proc/${name}/environ`).includes(`RELAY_HOME=${home(stage)}`);
    return isOurs && wanted(words) && !hasEnded(Number(name)) ? [Number(name)] : [];
  });

const runnerOf = (stage: OfficeStage): number => Number(textOf(path.join(home(stage), RUNNER_PATH)).split("-")[0]);
const isThere = (pid: number): boolean => pid > 1 && !hasEnded(pid);
/** Kills a process, or a group of them. @returns whether it was there: else it ended by itself */
const kill = (pid: number): boolean => {
  try {
    return process.kill(pid, "SIGKILL");
  } catch {
    return false;
  }
};

/** The agents that run, each the first of its group of processes. */
function agentsOf(stage: OfficeStage): number[] {
  const folder = path.join(officeFolder(stage.folder), "launches");
  return listed(folder)
    .map((name) => Number(textOf(path.join(folder, name, "pid"))))
    .filter(isThere);
}

/** Kills a runner, an agent with all that it started, or the server of a Send that waits. @returns which; null where there was none */
function killOne(stage: OfficeStage): string | null {
  const kinds: Record<string, () => number[]> = {
    runner: () => [runnerOf(stage)].filter(isThere),
    agent: () => agentsOf(stage).map((pid) => -pid),
    server: () => processesOf(stage, (words) => words.includes("mcp")),
  };
  const [kind, find] = Object.entries(kinds)[randomInt(3)] as [string, () => number[]];
  const found = find();
  const victim = found[randomInt(found.length)];
  if (victim === undefined) return null;
  kill(victim);
  return kind;
}

/** What must be so at the end, by the files of the home and by what the agents wrote down. @returns how many dispatches there were */
function expectAll(stage: OfficeStage, jobs: readonly string[]): number {
  const ids = listed(officeFolder(stage.folder)).filter((name) => name.startsWith("t-"));
  const given = ids.filter(
    (id) => fs.existsSync(path.join(officeFolder(stage.folder), id, "own/dispatch.md")) && stage.messages(id).length > 0,
  );
  for (const id of jobs) expect(given).toContain(id);
  const begins = stage.noted("begin");
  const answers = stage.noted("answer");
  for (const id of given) {
    const { dispatch, state, turns, ends } = stage.state(id);
    const where = `${dispatch.recipient} ${id}`;
    const outcomes = ends.map(({ outcome }) => outcome).filter((outcome) => outcome !== "interrupted");
    expect([where, state]).toEqual([where, outcomes.at(-1) === "failed" ? "failed" : "idle"]);
    expect([where, ends.length]).toEqual([where, turns.length]);
    // One text was given, and one reply came back.
    const messages = stage.messages(id);
    expect([where, messages.map(({ from }) => from)]).toEqual([where, [dispatch.initiator, dispatch.recipient]]);
    // Resumed once, where it waited, and never otherwise.
    expect([
      [where, "ok"],
      [where, "failed"],
      [where, "waiting", "ok"],
      [where, "waiting", "failed"],
    ]).toContainEqual([where, ...outcomes]);
    if (dispatch.parent === undefined) continue;
    const reply = messages[1]?.id as string;
    const parent = stage.state(dispatch.parent);
    const taker = textOf(path.join(officeFolder(stage.folder), dispatch.parent, "taken", reply)).trim();
    const [, turn] = /^(?:turn|call) (\d+)$/.exec(taker) ?? [];
    const ended = parent.ends.find((end) => end.turn === Number(turn))?.outcome;
    if (turn === undefined) expect([where, parent.state]).toEqual([where, "failed"]);
    // Heard once: by the turn that was begun with it, or by the Send that waited. A program that was killed may not have come to hear it.
    const ofParent = (each: { context: string }): boolean => each.context === parent.dispatch.context;
    const replied = (text: string): boolean => text.includes(`context_id: ${dispatch.context}\n`) && text.includes("## Reply from");
    const byTurns = begins.filter((each) => ofParent(each) && replied(each["envelope"])).length;
    const byCalls = answers.filter(
      (each) => ofParent(each) && each["answer"].context_id === dispatch.context && each["answer"].status !== "queued",
    );
    const heard = byTurns + byCalls.length;
    expect([where, taker, heard]).toEqual([where, taker, ended === "ok" || ended === "waiting" ? 1 : Math.min(heard, 1)]);
  }
  expect(stage.noted("overlap")).toEqual([]);
  expect(fs.existsSync(path.join(stage.notes, "overlap"))).toBe(false);
  const office = officeFolder(stage.folder);
  expect(["launches", "tokens", "sends"].flatMap((name) => listed(path.join(office, name)))).toEqual([]);
  expect(listed(path.join(officeFolder(stage.folder), "ring"))).toEqual([]);
  expect(processesOf(stage)).toEqual([]);
  return given.length;
}

test("very many dispatches reply once each, through kills, and leave nothing", async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const stage = await openStage();
    const jobs = Array.from({ length: JOBS }, (_, n) => stage.give(`p${n % PROJECTS}/lead`, `Job ${n}.`));
    for (let n = 0; n < DEEP; n += 1) {
      const steps = [{ send: { member: `p${n % PROJECTS}-lead`, message: "Go." } }, { echo: true }];
      jobs.push(stage.give("om", `Deep job ${n}.\n\ndo: ${JSON.stringify(steps)}`));
    }
    stage.run();
    const isAtWork = (): boolean => localDispatches(stage.world).length > 0;
    const killed: string[] = [];
    while (killed.length < KILLS && isAtWork()) {
      await pause(randomInt(count(1_000, 4_000)));
      const kind = killOne(stage);
      if (kind !== null) killed.push(kind);
      // Whoever looks next starts one; where nobody does, a person or a pager.
      if (hasEnded(runnerOf(stage))) stage.run();
    }
    await until("all is done", () => {
      if (isAtWork() && !isThere(runnerOf(stage))) stage.run();
      return !isAtWork();
    });
    await until("nobody is left", () => processesOf(stage).length === 0);
    // What killed runners left is removed by the next one.
    const last = stage.run();
    await until("the last runner ended", () => last.exitCode !== null);
    const dispatches = expectAll(stage, jobs);
    if (FULL) console.info(`${dispatches} dispatches; killed: ${killed.sort().join(" ")}`);
  }
});

/** An agent that looks whether it is alone, works for a moment, and notes when it began and ended. */
async function openPosition(): Promise<OfficeStage> {
  const stage = await OfficeStage.open();
  const alive = `${stage.notes}/alive`;
  const lines = [
    `[ -e "${alive}" ] && ${isAlive(`$(cat "${alive}")`)} && echo $$ >>"${stage.notes}/overlap"`,
    `echo $$ >"${alive}"; date +%s%3N >"${stage.notes}/began.$$"; cat >"${stage.notes}/told.om.$$"`,
    `sleep 0.1; printf 'done'; rm "${alive}"`,
  ];
  await stage.program("command", lines.join("\n"));
  stage.limits({ idle_s: 0.2 });
  return stage;
}

/** Kills the agent that runs, and what it started. @returns whether there was one */
function killAgent(stage: OfficeStage): boolean {
  const [group] = agentsOf(stage);
  return group !== undefined && kill(-group);
}

/** How long after the death of the holder the next one of its position began, in milliseconds; null where none was waiting. */
function takenOverMs(stage: OfficeStage, diedMs: number): number | null {
  const began = fs
    .readdirSync(stage.notes)
    .flatMap((name) => (name.startsWith("began.") ? [Number(textOf(path.join(stage.notes, name)))] : []));
  const next = began.filter((ms) => ms > diedMs).sort((a, b) => a - b)[0];
  return next === undefined ? null : next - diedMs;
}

test("five resumes of one position by three processes, with kills: never two at once, none is lost, and the first to come is the first to be served", async () => {
  const figures: number[] = [];
  for (let round = 0; round < count(1, 50); round += 1) {
    const stage = await openPosition();
    const ids = ["a", "b", "c"].map((name) => stage.give("om", `Begin ${name}.`));
    await stage.runHere();
    const rounds = scratch();
    const workers: Worker[] = ids.map((_, n) => work("turn-ender", [stage.folder, rounds, String(n)]));
    for (const worker of workers) await until("it is ready", () => worker.lines.length > 0);
    const more = (n: number, text: string): Act => ({ act: "more", id: ids[n] as string, to: "om", text });
    beginRound(rounds, 0, JSON.stringify([more(0, "text 0"), more(1, "text 1"), more(2, "text 2")]));
    beginRound(rounds, 1, JSON.stringify([more(1, "text 3"), more(2, "text 4")]));
    beginRound(rounds, 2, "");
    await Promise.all(workers.map(({ ended }) => ended));
    const runners = [stage.run(), stage.run(), stage.run()];
    const died: number[] = [];
    for (const kind of ["agent", "runner", "both"]) {
      await pause(randomInt(200));
      if (kind !== "runner")
        await until("one is at work, or all is done", () => killAgent(stage) || localDispatches(stage.world).length === 0);
      if (kind !== "runner") died.push(Date.now());
      if (kind !== "agent" && isThere(runnerOf(stage))) process.kill(runnerOf(stage), "SIGKILL");
      runners.push(stage.run());
    }
    await until("all is done", () => {
      if (localDispatches(stage.world).length > 0 && !isThere(runnerOf(stage))) runners.push(stage.run());
      return localDispatches(stage.world).length === 0;
    });
    await until("all runners ended", () => runners.every(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null));
    figures.push(...died.flatMap((diedMs) => takenOverMs(stage, diedMs) ?? []));
    expect(fs.existsSync(path.join(stage.notes, "overlap"))).toBe(false);
    const turns = ids.flatMap((id) => stage.state(id).turns.map((turn) => ({ ...turn, id })));
    const texts = ids.map((id) => stage.messages(id));
    const given = turns.filter(({ reason }) => reason !== "interrupted").flatMap(({ inputs }) => inputs);
    const asked = texts.flat().filter(({ from }) => from === "human");
    // Each text is the input of one turn, and each turn has one answer.
    expect([...given].sort()).toEqual(asked.map(({ id }) => id).sort());
    for (const id of ids) {
      const { ends, state } = stage.state(id);
      const answers = stage.messages(id).filter(({ from }) => from === "om");
      expect(answers).toHaveLength(ends.filter(({ outcome }) => outcome !== "interrupted").length);
      expect(["idle", "failed"]).toContain(state);
    }
    // In the order in which the texts arrived.
    const order = turns.filter(({ reason, turn }) => reason !== "interrupted" && turn > 1).sort((a, b) => (a.at < b.at ? -1 : 1));
    const arrived = order.map(({ inputs }) => seqOf(stage.world, inputs[0] as string));
    expect(arrived).toEqual([...arrived].sort((one, other) => one - other));
  }
  figures.sort((a, b) => a - b);
  if (FULL) console.info(`a dead holder was taken over after ${figures[0]} to ${figures.at(-1)} ms, ${figures.length} times`);
});
