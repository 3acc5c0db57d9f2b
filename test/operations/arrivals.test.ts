/** The order of arrival, of which only some lines are read: the numbers are always those of the whole file. */
import fs from "node:fs";
import path from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { arrivedAfter, noteMissedArrival, seqOf } from "../../protocol/home/arrivals.ts";
import type { World } from "../../protocol/index.ts";
import { encodeTime } from "../../protocol/objects/format/id.ts";
import { homeWith, worldAt } from "../rig/home.ts";
import { messageOf } from "../rig/many-threads.ts";
import { scratch } from "../rig/scratch.ts";

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

test("each id has its first line's number, once, whatever lines stand between, and after the file was cut or is another", () => {
  const lines = (...all: readonly string[]): void => fs.appendFileSync(file, all.map((line) => `${line}\n`).join(""));
  const same = (): void => {
    for (const id of [...ids, ...later.slice(0, 3), ...later.slice(-3)]) expect(seqOf(world, id)).toBe(numbers().get(id) ?? 0);
    const told = [...arrivedAfter(world, 5)].map(({ id, seq }) => [id, seq]);
    expect(told).toEqual([...numbers()].filter(([id, seq]) => seq > 5 && /^m-\d{8}-/.test(id)));
  };
  lines(ids[0] as string, "m-".repeat(500), "", `m-x-${"z".repeat(29)}`, "y".repeat(400_000), ...ids, ids[0] as string, ...later, "m-2026");
  same();
  lines(ids[1] as string);
  same();
  fs.truncateSync(file, 4_000);
  same();
  fs.rmSync(file);
  lines(ids[3] as string, ids[3] as string, ids[2] as string);
  same();
});

test("a message that has its line gets no other, and one that has none gets one", () => {
  fs.writeFileSync(file, later.map((id) => `${id}\n`).join(""));
  noteMissedArrival(world, later[5] as string);
  noteMissedArrival(world, ids[0] as string);
  expect(numbers().get(ids[0] as string)).toBe(later.length + 1);
  expect(fs.readFileSync(file, "latin1").split("\n")).toHaveLength(later.length + 2);
});

/** Ids of messages a minute apart. @param clone of several that write at the same times which one */
const minutely = (messages: number, clone: number): string[] =>
  Array.from(
    { length: messages },
    (_, at) => `m-20260201-k3f9x2ab-1-${encodeTime(FIRST_MS + at * MINUTE_MS + clone)}k3f9x2ab${clone}k3f9x2a`,
  );

const MINUTE_MS = 60_000;
const FIRST_MS = Date.parse("2026-02-01T00:00:00Z");

const lay = (lines: readonly string[]): void => fs.writeFileSync(file, lines.map((id) => `${id}\n`).join(""));

/** How often something reads, and how many bytes. */
function readsOf(act: () => void): { times: number; bytes: number } {
  const read = vi.spyOn(fs, "readSync");
  act();
  const bytes = read.mock.results.reduce((sum, { value }) => sum + Number(value), 0);
  const times = read.mock.calls.length;
  read.mockRestore();
  return { times, bytes };
}

test("a new process believes the large pieces that are kept, reads only what came since, and joins what grew", () => {
  const many = minutely(60_000, 0);
  lay(many.slice(0, 40_000));
  expect(seqOf(world, many[39_999] as string)).toBe(40_000);
  const pieces = (): unknown[] => (JSON.parse(fs.readFileSync(kept, "utf8").split("\n")[1] as string) as { blocks: unknown[] }).blocks;
  const before = pieces().length;
  // A process that knows the home by this name was never there.
  const moved = path.join(scratch(), "moved");
  fs.renameSync(path.dirname(path.dirname(path.dirname(file))), moved);
  file = path.join(moved, ".relay/local/arrivals");
  kept = path.join(moved, ".relay/run/arrivals");
  world = worldAt(moved);
  const whole = fs.statSync(file).size;
  fs.appendFileSync(file, `${many[40_000]}\n`);
  expect(readsOf(() => expect(seqOf(world, many[40_000] as string)).toBe(40_001)).bytes).toBeLessThan(whole / 10);
  const rest = many.slice(40_001);
  fs.appendFileSync(file, rest.map((id) => `${id}\n`).join(""));
  for (const at of [0, 8_191, 8_192, 16_384, 39_999, 40_000, 40_001, 59_999]) expect(seqOf(world, many[at] as string)).toBe(at + 1);
  expect(pieces().length).toBeLessThan(before + 8);
  expect([...arrivedAfter(world, 39_000)]).toEqual(many.slice(39_000).map((id, at) => ({ seq: 39_001 + at, id })));
});

test("arrivals since an instant begin with those of that very millisecond, wherever older lines stand", () => {
  const [ours, theirs] = [minutely(1_500, 0), minutely(1_500, 1)];
  lay([...theirs, ...ours]);
  const sinceMs = FIRST_MS + 700 * MINUTE_MS + 1;
  const wanted = [
    ...theirs.slice(700).map((id, at) => ({ seq: 701 + at, id })),
    ...ours.slice(701).map((id, at) => ({ seq: 2_202 + at, id })),
  ];
  expect([...arrivedAfter(world, 0, sinceMs)]).toEqual(wanted);
  expect([...arrivedAfter(world, 2_500, sinceMs)]).toEqual(wanted.filter(({ seq }) => seq > 2_500));
});
