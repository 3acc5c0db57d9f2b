/** A rare word in a home of many days: what is found is what reading every file finds, whatever became of the packs. */
import fs from "node:fs";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { operations, perform } from "../../protocol/index.ts";
import { homeWith, worldAt } from "../rig/home.ts";
import { messageOf, putThreads } from "../rig/many-threads.ts";
import { fc, runs } from "../rig/properties.ts";
import { until } from "../rig/scratch.ts";
import { put } from "../rig/sealing.ts";

const THREADS = 450;
/** Two changes within this time may have one time of change: what is younger is looked at again. */
const GRAIN_MS = 2_100;
let folder: string;
let home: string;

beforeEach(async () => {
  folder = await homeWith("web", "api");
  home = path.join(folder, ".relay");
  putThreads(home, THREADS);
  const writtenMs = Date.now();
  await until("the folders are of a while ago", () => Date.now() - writtenMs > GRAIN_MS);
  // Lists the threads, packs the days, and sees that the packs speak for all.
  await perform(worldAt(folder), operations.threads, {});
  for (let round = 0; round < 2; round += 1) await found("nobody said this");
});

/** How many messages hold a text, by the search. */
async function found(query: string): Promise<number | null> {
  return (await perform(worldAt(folder), operations.search, { query, limit: 200 })).total;
}

/** The same, by every file. */
const there = (query: string): number =>
  (fs.readdirSync(path.join(home, "threads"), { recursive: true }) as string[]).filter((name) => {
    if (!/\/\d+-\w+\.md$/.test(name)) return false;
    const text = fs.readFileSync(path.join(home, "threads", name), "utf8");
    return text.slice(text.indexOf("\n---\n")).includes(query);
  }).length;

const packs = (): string[] => fs.readdirSync(path.join(home, "run/search")).map((name) => path.join(home, "run/search", name));

test("every day's pack is known to speak for all its threads, and a word is found by them", async () => {
  const kept = JSON.parse(fs.readFileSync(path.join(home, "run/threads"), "utf8").split("\n")[1] as string);
  expect(Object.keys(kept.packed)).toHaveLength(Math.ceil(THREADS / 20));
  expect(await found("Words of 77,")).toBe(1);
  expect(await found("words OF 77,")).toBe(1);
});

/** What may become of messages and of packs. */
const BLOWS: Record<string, (number: number) => void> = {
  "a word comes into an old thread": (number) => {
    const { id, path: at, text } = messageOf(number, 2, 10 ** 5 + number, "a heron, and an egret");
    put(home, at, text);
    fs.appendFileSync(path.join(home, "local/arrivals"), `${id}\n`);
  },
  "a word comes without a line of arrival": (number) => {
    const { path: at, text } = messageOf(number, 3, 10 ** 5 + number, "a heron");
    put(home, at, text);
  },
  "a message goes": (number) =>
    fs.rmSync(path.join(home, messageOf(number, 2, 10 ** 5 + number, "a heron, and an egret").path), { force: true }),
  "a pack is gone": (number) => fs.rmSync(packs()[number % packs().length] ?? path.join(home, "none"), { force: true }),
  "a pack is changed": (number) => {
    const pack = packs()[number % Math.max(1, packs().length)];
    if (pack === undefined) return;
    const bytes = fs.readFileSync(pack);
    bytes.fill(0, 0, (number * 37) % bytes.length);
    fs.writeFileSync(pack, bytes);
  },
  "a pack is another day's": (number) => {
    const [one, other] = [packs()[number % Math.max(1, packs().length)], packs()[0]];
    if (one !== undefined && other !== undefined && one !== other) fs.copyFileSync(other, one);
  },
  "what is kept is gone": () => fs.rmSync(path.join(home, "run/threads"), { force: true }),
};

test("whatever becomes of messages and packs, a word is found where it is", async () => {
  const blow = fc.record({ name: fc.constantFrom(...Object.keys(BLOWS)), number: fc.nat(THREADS - 1) });
  await fc.assert(
    fc.asyncProperty(fc.array(blow, { minLength: 1, maxLength: 4 }), async (blows) => {
      for (const { name, number } of blows) BLOWS[name]?.(number);
      for (const query of ["heron", "egret", "Words of 31,"]) expect(await found(query)).toBe(there(query));
    }),
    { numRuns: runs(200) },
  );
}, 120_000);
