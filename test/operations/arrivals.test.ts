/** The order of arrival, of which only some lines are read: the numbers are always those of the whole file. */
import fs from "node:fs";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { arrivedAfter, noteMissedArrival, seqOf } from "../../protocol/home/arrivals.ts";
import type { World } from "../../protocol/index.ts";
import { count } from "../rig/counts.ts";
import { messageOf } from "../rig/many-threads.ts";
import { fc } from "../rig/properties.ts";
import { homeWith, worldAt } from "../rig/rig.ts";

let file: string;
let kept: string;
let world: World;

beforeEach(async () => {
  const folder = await homeWith("web", "api");
  file = path.join(folder, ".relay/local/arrivals");
  kept = path.join(folder, ".relay/run/arrivals");
  world = worldAt(folder);
  fs.mkdirSync(path.dirname(file), { recursive: true });
});

/** The number of each id, by the whole file. */
function numbers(): Map<string, number> {
  const found = new Map<string, number>();
  const lines = fs.existsSync(file) ? fs.readFileSync(file, "latin1").split("\n").slice(0, -1) : [];
  for (const [at, line] of lines.entries()) if (!found.has(line)) found.set(line, at + 1);
  return found;
}

const ids = Array.from({ length: 20 }, (_, number) => messageOf(number, 1, (number * 7_919) % 5_000).id);
const later = Array.from({ length: 7_000 }, (_, at) => `m-20260201-k3f9x2ab-${at + 1}-1kh${String(100_000 + at).padStart(6, "0")}k3f9x`);

const real = new Set([...ids, ...later]);

/** What other processes, and a disk, do to the two files. */
const BLOWS: Record<string, (number: number) => void> = {
  "one arrives": (number) => fs.appendFileSync(file, `${ids[number % ids.length]}\n`),
  "many arrive": (number) =>
    fs.appendFileSync(
      file,
      later
        .slice(0, number * 7)
        .map((id) => `${id}\n`)
        .join(""),
    ),
  "lines that are no ids": (number) =>
    fs.appendFileSync(file, `${"m-".repeat(number)}\n\nm-x-${"z".repeat(number % 30)}\n${"y".repeat(number * 400)}\n`),
  "a torn line": () => fs.appendFileSync(file, "\nm-2026"),
  "the file is cut": (number) => fs.existsSync(file) && fs.truncateSync(file, Math.min(fs.statSync(file).size, number * 40)),
  "the file is another": (number) => {
    fs.rmSync(file, { force: true });
    fs.writeFileSync(file, `${ids[number % ids.length]}\n`.repeat(number % 9));
  },
  "what is kept is gone": () => fs.rmSync(kept, { force: true }),
  "what is kept is torn": (number) => fs.existsSync(kept) && fs.truncateSync(kept, Math.min(fs.statSync(kept).size, number)),
  "what is kept is changed": (number) => {
    if (!fs.existsSync(kept)) return;
    const bytes = fs.readFileSync(kept);
    bytes[number % bytes.length] = 48 + (number % 10);
    fs.writeFileSync(kept, bytes);
  },
};

test("whatever becomes of the file and of what is kept of it, each id has its first line's number, once", async () => {
  const blow = fc.record({ name: fc.constantFrom(...Object.keys(BLOWS)), number: fc.nat(1_000) });
  await fc.assert(
    fc.property(fc.array(blow, { minLength: 1, maxLength: 6 }), fc.nat(3_000), (blows, after) => {
      for (const { name, number } of blows) {
        BLOWS[name]?.(number);
        const all = numbers();
        for (const id of [...ids, ...later.slice(0, 3), ...later.slice(-3)]) expect(seqOf(world, id)).toBe(all.get(id) ?? 0);
      }
      const wanted = [...numbers()].filter(([id, seq]) => seq > after && real.has(id));
      const told = [...arrivedAfter(world, after)].filter(({ id }) => real.has(id));
      expect(told.map(({ id, seq }) => [id, seq])).toEqual(wanted);
    }),
    { numRuns: count(25, 600) },
  );
});

test("a message that has its line gets no other, and one that has none gets one", () => {
  fs.writeFileSync(file, later.map((id) => `${id}\n`).join(""));
  noteMissedArrival(world, later[5] as string);
  noteMissedArrival(world, ids[0] as string);
  expect(numbers().get(ids[0] as string)).toBe(later.length + 1);
  expect(fs.readFileSync(file, "latin1").split("\n")).toHaveLength(later.length + 2);
});

test("of very many lines the old ones are kept in larger pieces, and each has its number", () => {
  // What is old is found all the same, and what comes a second time is not told again.
  const many = Array.from({ length: 60_000 }, (_, at) => `m-20260201-k3f9x2ab-${at + 1}-1kh${String(100_000 + at).padStart(6, "0")}k3f9x`);
  const lines = [...many, ...many.slice(0, 100)];
  fs.writeFileSync(file, lines.map((id) => `${id}\n`).join(""));
  for (const at of [0, 1_023, 1_024, 16_383, 16_384, 40_000, 59_999]) expect(seqOf(world, many[at] as string)).toBe(at + 1);
  const [, rest = ""] = fs.readFileSync(kept, "utf8").split("\n");
  expect((JSON.parse(rest) as { blocks: unknown[] }).blocks.length).toBeLessThan(36);
  const told = [...arrivedAfter(world, 15_000)];
  expect(told.map(({ id }) => id)).toEqual(many.slice(15_000));
  expect(told.map(({ seq }) => seq)).toEqual(many.slice(15_000).map((_, at) => 15_001 + at));
});

test("of lines that are all older than what is asked for, none is read", () => {
  fs.writeFileSync(file, later.map((id) => `${id}\n`).join(""));
  expect(seqOf(world, later.at(-1) as string)).toBe(later.length);
  const told = [...arrivedAfter(world, 0, Date.now() + 10 ** 9)];
  expect(told).toEqual([]);
});
