/** Very many dispatches at once, while runners, agents and their servers are killed: none is lost, none replies twice, and nothing is left. */

import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { localDispatches } from "../../../protocol/office/files/next-turn.ts";
import { RUNNER_PATH } from "../../../protocol/office/files/runner-hold.ts";
import { count, FULL } from "../../rig/counts.ts";
import { officeFolder } from "../../rig/home.ts";
import { hasEnded, isAlive, pause, randomInt } from "../../rig/hurt.ts";
import { bigOffice } from "../../rig/office.ts";
import { OfficeStage } from "../../rig/office-stage.ts";
import { until } from "../../rig/scratch.ts";

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
const kill = (pid: number): void => {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended by itself.
  }
};

/** Kills a runner, an agent with all that it started, or the server of a Send that waits. @returns which; null where there was none */
function killOne(stage: OfficeStage): string | null {
  const kinds: Record<string, () => number[]> = {
    runner: () => [runnerOf(stage)].filter((pid) => pid > 1 && !hasEnded(pid)),
    agent: () =>
      listed(path.join(officeFolder(stage.folder), "launches"))
        .map((name) => Number(textOf(path.join(officeFolder(stage.folder), "launches", name, "pid"))))
        .filter((pid) => pid > 1 && !hasEnded(pid))
        .map((pid) => -pid),
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
      if (isAtWork() && !(runnerOf(stage) > 1 && !hasEnded(runnerOf(stage)))) stage.run();
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
