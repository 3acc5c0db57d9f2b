/** The order of arrival, of which only some lines are read: the numbers are always those of the whole file. */
import fs from "node:fs";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { encodeTime } from "../../protocol/core/format/id.ts";
import type { World } from "../../protocol/index.ts";
import { arrivedAfter, noteMissedArrival, seqOf } from "../../protocol/mail/files/arrivals.ts";
import { homeWith, worldAt } from "../rig/home.ts";
import { messageOf } from "../rig/many-threads.ts";

let file: string;
let world: World;

beforeEach(async () => {
  const folder = await homeWith("web", "api");
  file = path.join(folder, ".relay/local/arrivals");
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
