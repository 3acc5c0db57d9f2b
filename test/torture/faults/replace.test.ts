/** Replacing a file: no update is lost, each revision has one owner, and who slept through a takeover overwrites nothing. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { openStore } from "../../../protocol/store/root.ts";
import { replaceFile } from "../../../protocol/store/write/replace.ts";
import { count } from "../../rig/counts.ts";
import { isStopped } from "../../rig/hurt.ts";
import { type Worker, work } from "../../rig/processes.ts";
import { scratch, until } from "../../rig/scratch.ts";
import type { Plan } from "../../workers/replacer.ts";

const FILE = "memory/counter.md";
const LOCK = `run/locks/${FILE.replaceAll("/", "!")}.lock`;

const start = (plan: Plan): Worker => work("replacer", [JSON.stringify(plan)]);
const numbersOf = (workers: readonly Worker[]): number[] =>
  workers.flatMap(({ lines }) => lines.flatMap(({ wrote }) => (typeof wrote === "number" ? [wrote] : [])));
const value = (home: string): number => Number(fs.readFileSync(path.join(home, FILE), "utf8"));
const twice = (numbers: readonly number[]): number[] => {
  const seen = new Set<number>();
  return numbers.filter((number) => seen.size === seen.add(number).size);
};

/** Increments in this process. */
async function increment(home: string, times: number): Promise<number[]> {
  const store = openStore(home);
  const numbers: number[] = [];
  for (let round = 0; round < times; round += 1) {
    numbers.push(Number(await replaceFile(store, FILE, 64, (content) => `${Number(content ?? 0) + 1}\n`)));
  }
  return numbers;
}

/** The lock's holder has been silent for an hour, as the lock sees it. */
function age(home: string): void {
  const hourAgo = Date.now() / 1000 - 3600;
  try {
    fs.utimesSync(path.join(home, LOCK), hourAgo, hourAgo);
  } catch (error) {
    // Nobody holds it just now.
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

test.each([
  [2, count(900, 50_000)],
  [8, count(700, 30_000)],
  [32, count(400, 20_000)],
])("%i processes make %i changes to one file: every one is there, each revision has one owner", async (processes, all) => {
  const home = scratch();
  const rounds = Math.ceil(all / processes);
  const workers = Array.from({ length: processes }, () => start({ home, file: FILE, rounds }));
  for (const worker of workers) expect(await worker.ended, worker.stderr()).toBe(0);
  expect(numbersOf(workers).sort((a, b) => a - b)).toEqual(Array.from({ length: rounds * processes }, (_, at) => at + 1));
  expect(value(home)).toBe(rounds * processes);
});

test.each([1, 12])(
  "a writer suspended before each call of the disk, while others take over and make %i change(s): all are there",
  async (others) => {
    const home = scratch();
    const numbers = await increment(home, 1);
    const worker = start({ home, file: FILE, sweep: { signal: "SIGSTOP", from: 1 } });
    const last = () => worker.lines.at(-1) ?? {};
    for (let call = 1, early = false; !early; call += 1) {
      await until(`the writer stops before call ${call}`, () => isStopped(worker.child) && last().call === call);
      if (last().wrote === undefined) {
        age(home);
        numbers.push(...(await increment(home, others)));
        worker.child.kill("SIGCONT");
        await until(`the writer finishes round ${call}`, () => isStopped(worker.child) && last().wrote !== undefined);
      }
      numbers.push(last().wrote);
      expect({ call, value: value(home), twice: twice(numbers) }).toEqual({ call, value: numbers.length, twice: [] });
      early = last().early;
      worker.child.kill("SIGCONT");
    }
    expect(await worker.ended, worker.stderr()).toBe(0);
    expect(worker.lines.length).toBeGreaterThan(20);
  },
);

test("an edit by hand, saved while a writer is suspended before each call of the disk: it stays, and the change is made on it", async () => {
  const home = scratch();
  await increment(home, 1);
  const worker = start({ home, file: FILE, sweep: { signal: "SIGSTOP", from: 1 } });
  const last = () => worker.lines.at(-1) ?? {};
  const lost: number[] = [];
  for (let call = 1, early = false; !early; call += 1) {
    await until(`the writer stops before call ${call}`, () => isStopped(worker.child) && last().call === call);
    const edited = value(home) + 1_000;
    if (last().wrote === undefined) {
      // As editors save: aside, then renamed over the file.
      fs.writeFileSync(path.join(home, "aside"), `${edited}\n`);
      fs.renameSync(path.join(home, "aside"), path.join(home, FILE));
      worker.child.kill("SIGCONT");
      await until(`the writer finishes round ${call}`, () => isStopped(worker.child) && last().wrote !== undefined);
      if (value(home) < edited) lost.push(call);
      else expect([edited, edited + 1], `before call ${call}`).toContain(value(home));
    }
    early = last().early;
    worker.child.kill("SIGCONT");
  }
  expect(await worker.ended, worker.stderr()).toBe(0);
  // No system renames a file only if its target is still the same one: the call just before the rename cannot be guarded.
  expect(lost.length, `lost before the calls ${lost.join(", ")}`).toBeLessThanOrEqual(1);
  expect(worker.lines.length).toBeGreaterThan(20);
});
