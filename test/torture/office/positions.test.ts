/** One turn of a position at a time, whoever resumes it and whoever is killed. */

import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { seqOf } from "../../../protocol/mail/files/arrivals.ts";
import { localDispatches } from "../../../protocol/office/files/next-turn.ts";
import { RUNNER_PATH } from "../../../protocol/office/files/runner-hold.ts";
import { count, FULL } from "../../rig/counts.ts";
import { officeFolder } from "../../rig/home.ts";
import { hasEnded, isAlive, pause, randomInt } from "../../rig/hurt.ts";
import { OfficeStage } from "../../rig/office-stage.ts";
import { type Worker, work } from "../../rig/processes.ts";
import { begin as beginRound } from "../../rig/rounds.ts";
import { scratch, until } from "../../rig/scratch.ts";
import type { Act } from "../../workers/turn-ender.ts";

const home = (stage: OfficeStage): string => path.join(stage.folder, ".relay");
const textOf = (file: string): string => (fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "");
const runnerOf = (stage: OfficeStage): number => Number(textOf(path.join(home(stage), RUNNER_PATH)).split("-")[0]);
const isThere = (pid: number): boolean => pid > 1 && !hasEnded(pid);

/** An agent that looks whether it is alone, works for a moment, and notes when it began and ended. */
async function openStage(): Promise<OfficeStage> {
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
  const folder = path.join(officeFolder(stage.folder), "launches");
  const groups = (fs.existsSync(folder) ? fs.readdirSync(folder) : []).map((name) => Number(textOf(path.join(folder, name, "pid"))));
  const group = groups.find(isThere);
  if (group === undefined) return false;
  try {
    process.kill(-group, "SIGKILL");
  } catch {
    return false;
  }
  return true;
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
    const stage = await openStage();
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
