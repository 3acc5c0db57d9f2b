/** Threads listed from the end of the order of arrival: always those that the folders give, whatever became of what is kept about them. */
import fs from "node:fs";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { operations, perform } from "../../protocol/index.ts";
import { keepState, keptState, type RecentState } from "../../protocol/mail/files/recent-state.ts";
import { recentState } from "../../protocol/mail/files/recent-threads.ts";
import { homeWith, worldAt } from "../rig/home.ts";
import { listedThreads, messageSoon, putThreads, threadNumbered } from "../rig/many-threads.ts";
import { put } from "../rig/scratch.ts";
import { type Sealed, seal } from "../rig/sealing.ts";

const THREADS = 450;
let folder: string;
let home: string;

beforeEach(async () => {
  folder = await homeWith("web", "api");
  home = path.join(folder, ".relay");
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
  const world = worldAt(folder);
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
