/** The order of arrival: the numbers are those of the whole file, and threads listed from its end those that the folders give. */
import fs from "node:fs";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { encodeTime } from "../../protocol/core/format/id.ts";
import { operations, perform, type World } from "../../protocol/index.ts";
import { arrivedAfter, noteMissedArrival, seqOf } from "../../protocol/mail/files/arrivals.ts";
import { keepState, keptState, type RecentState } from "../../protocol/mail/files/recent-state.ts";
import { recentState } from "../../protocol/mail/files/recent-threads.ts";
import { homeWith, worldAt } from "../rig/home.ts";
import { listedThreads, messageOf, messageSoon, putThreads, threadNumbered } from "../rig/many-threads.ts";
import { put } from "../rig/scratch.ts";
import { type Sealed, seal } from "../rig/sealing.ts";

const THREADS = 450;
let folder: string;
let home: string;
let world: World;

beforeEach(async () => {
  folder = await homeWith("web", "api");
  home = path.join(folder, ".relay");
  world = worldAt(folder);
});

const state = (): string => path.join(home, "run/threads");
const arrivals = (): string => path.join(home, "local/arrivals");

/** The first page, as a new call of a new process would have it. */
async function page(limit = 30): Promise<string[]> {
  return (await perform(worldAt(folder), operations.threads, { limit })).threads.map(({ id }) => id);
}

test("pages go on to the last thread, a page of some looks at so many, and a reply in an old thread brings it to the top", async () => {
  putThreads(home, THREADS);
  await page();
  expect(JSON.parse(fs.readFileSync(state(), "utf8").split("\n")[1] as string).newest).toHaveLength(THREADS);
  const seen: string[] = [];
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const answer = await perform(worldAt(folder), operations.threads, { limit: 100, ...(cursor === undefined ? {} : { cursor }) });
    seen.push(...answer.threads.map(({ id }) => id));
    cursor = answer.cursor;
  }
  expect(seen).toEqual(listedThreads(home));
  const asked = async (input: Record<string, unknown>) => {
    const { threads, cursor } = await perform(world, operations.threads, input);
    return { subjects: threads.map(({ subject }) => subject), cursor };
  };
  const tens = Array.from({ length: 10 }, (_, n) => `Thread ${79 - n}`);
  for (const filter of [{ q: "THREAD 7" }, { q: "thread 7", part: "api" }, { q: "thread 7", status: "open" }]) {
    const first = await asked(filter);
    expect(first.subjects).toEqual(tens);
    expect(await asked({ ...filter, cursor: first.cursor })).toEqual({ subjects: ["Thread 7"], cursor: null });
  }
  const none = await asked({ tag: "none" });
  expect(none).toEqual({ subjects: [], cursor: expect.any(String) });
  expect(await asked({ tag: "none", cursor: none.cursor })).toEqual({ subjects: [], cursor: null });
  // By whichever way it came.
  const [first, second, third, fourth] = [3, 57, 211, 333].map(threadNumbered) as [string, string, string, string];
  await perform(worldAt(folder, { part: "api" }), operations.reply, { threadId: first, body: "Once more." });
  expect((await page())[0]).toBe(first);
  // Laid by hand, or by another program: with a line of arrival, in an inbox, or in its thread alone.
  const [noted, unread, alone] = [messageSoon(57, 1), messageSoon(211, 2), messageSoon(333, 3)];
  const lay = (message: Sealed): void => put(path.join(home, message.path), message.text);
  lay(noted);
  fs.appendFileSync(arrivals(), `${noted.id}\n`);
  expect((await page())[0]).toBe(second);
  lay(unread);
  put(path.join(home, `inbox/api/new/${unread.id}.md`), unread.text);
  expect((await page())[0]).toBe(third);
  lay(alone);
  expect((await page())[0]).toBe(fourth);
});

/** Writes threads of one message each, which begin on one day. */
function layDay(day: string, threads: number): void {
  for (let number = 0; number < threads; number += 1) {
    const thread = threadNumbered(number).replace(/t-\d+/, `t-${day.replaceAll("-", "")}`);
    const at = new Date(Date.parse(day) + number * 1_000).toISOString();
    const message = seal({ from: "web", to: ["api"], thread, at });
    put(path.join(home, message.path), message.text);
  }
}

test("after a loss of power every thread is looked at once, and each day counts as looked at", async () => {
  putThreads(home, THREADS);
  for (const day of ["2026-07-01", "2026-07-02"]) layDay(day, 200);
  await page();
  const store = () => worldAt(folder).home().store;
  const before = keptState(store()) as RecentState;
  const { id, path: at, text } = messageSoon(333, 1);
  put(path.join(home, at), text);
  const longAgoMs = before.seenMs - 60_000;
  keepState(store(), {
    ...before,
    run: "an earlier one",
    days: Object.fromEntries(Object.keys(before.days).map((day) => [day, longAgoMs])),
  });
  expect(recentState(store())?.newest[0]).toBe(id);
  const { days, newest } = keptState(store()) as RecentState;
  expect([newest[0], Object.values(days).filter((ms) => ms <= longAgoMs)]).toEqual([id, []]);
});

/** The number of each id, by the whole file. */
function numbers(): Map<string, number> {
  const found = new Map<string, number>();
  const lines = fs.existsSync(arrivals()) ? fs.readFileSync(arrivals(), "latin1").split("\n").slice(0, -1) : [];
  for (const [at, line] of lines.entries()) if (!found.has(line)) found.set(line, at + 1);
  return found;
}

const ids = Array.from({ length: 20 }, (_, number) => messageOf(number, 1, (number * 7_919) % 5_000).id);
const later = Array.from({ length: 7_000 }, (_, at) => `m-20260201-k3f9x2ab-${at + 1}-1kh${String(100_000 + at).padStart(6, "0")}k3f9x`);

test("each id has its first line's number, once, whatever lines stand between, and after the file was cut or is another", () => {
  const lines = (...all: readonly string[]): void => fs.appendFileSync(arrivals(), all.map((line) => `${line}\n`).join(""));
  const same = (): void => {
    for (const id of [...ids, ...later.slice(0, 3), ...later.slice(-3)]) expect(seqOf(world, id)).toBe(numbers().get(id) ?? 0);
    const told = [...arrivedAfter(world, 5)].map(({ id, seq }) => [id, seq]);
    expect(told).toEqual([...numbers()].filter(([id, seq]) => seq > 5 && /^m-\d{8}-/.test(id)));
  };
  lines(ids[0] as string, "m-".repeat(500), "", `m-x-${"z".repeat(29)}`, "y".repeat(400_000), ...ids, ids[0] as string, ...later, "m-2026");
  same();
  lines(ids[1] as string);
  same();
  fs.truncateSync(arrivals(), 4_000);
  same();
  fs.rmSync(arrivals());
  lines(ids[3] as string, ids[3] as string, ids[2] as string);
  same();
});

test("a message that has its line gets no other, and one that has none gets one", () => {
  fs.writeFileSync(arrivals(), later.map((id) => `${id}\n`).join(""));
  noteMissedArrival(world, later[5] as string);
  noteMissedArrival(world, ids[0] as string);
  expect(numbers().get(ids[0] as string)).toBe(later.length + 1);
  expect(fs.readFileSync(arrivals(), "latin1").split("\n")).toHaveLength(later.length + 2);
});

/** Ids of messages a minute apart. @param clone of several that write at the same times which one */
const minutely = (messages: number, clone: number): string[] =>
  Array.from(
    { length: messages },
    (_, at) => `m-20260201-k3f9x2ab-1-${encodeTime(FIRST_MS + at * MINUTE_MS + clone)}k3f9x2ab${clone}k3f9x2a`,
  );

const MINUTE_MS = 60_000;
const FIRST_MS = Date.parse("2026-02-01T00:00:00Z");

const lay = (lines: readonly string[]): void => fs.writeFileSync(arrivals(), lines.map((id) => `${id}\n`).join(""));

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
