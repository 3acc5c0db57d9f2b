/** Searching a home of many threads page by page: every hit once, the newest first, however the search stops in between. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { operations, perform } from "../../protocol/index.ts";
import { worldAt } from "../rig/home.ts";
import { listedThreads, messageOf, putThreads } from "../rig/many-threads.ts";
import { put, until } from "../rig/scratch.ts";

const THREADS = 450;
/** One home for all tests; what the last ones write is in nobody's way. */
let folder: string;

beforeAll(async () => {
  folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "relay-pages-")));
  await perform(worldAt(folder), operations.init, { parts: ["web", "api"] });
  const home = path.join(folder, ".relay");
  putThreads(home, THREADS);
  // Some are taken up again much later.
  for (const number of [3, 99, 100, 250]) {
    const { path: at, text } = messageOf(number, 2, 10 ** 5 + number, "Once more, words of all.");
    put(path.join(home, at), text);
  }
  await perform(worldAt(folder), operations.threads, {});
});
afterAll(() => fs.rmSync(folder, { recursive: true }));

/** All pages of a search, as the threads of their hits. */
async function pages(input: { query: string; regex?: boolean }, limit: number): Promise<{ threads: string[]; totals: (number | null)[] }> {
  const [threads, totals]: [string[], (number | null)[]] = [[], []];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const answer = await perform(worldAt(folder), operations.search, { ...input, limit, ...(cursor === undefined ? {} : { cursor }) });
    threads.push(...answer.hits.map(({ threadId }) => threadId as string));
    totals.push(answer.total);
    cursor = answer.cursor;
  }
  return { threads, totals };
}

test("a word that is everywhere is found on the first page without reading all, and on the others in the same order", async () => {
  const { threads, totals } = await pages({ query: "words of" }, 60);
  expect(threads).toEqual(listedThreads(path.join(folder, ".relay")));
  expect(totals[0]).toBeNull();
});

test("a rare word is counted, and so is a word that occurs nowhere", async () => {
  const found = await perform(worldAt(folder), operations.search, { query: '"words of 7,"' });
  expect(found).toMatchObject({ total: 1, cursor: null, hits: [{ kind: "message", subject: "Thread 7" }] });
  expect(await perform(worldAt(folder), operations.search, { query: "nobody said this" })).toMatchObject({ total: 0, hits: [] });
});

test("an expression that takes long gives what it found, and goes on where it stopped", async () => {
  // Each second of time is one call of the clock: the first page is given up at once, and others at other threads.
  const clock = performance.now;
  let step = 0;
  performance.now = () => clock.call(performance) + 40 * step++;
  try {
    const { threads, totals } = await pages({ query: "words of .", regex: true }, 50);
    expect([...threads].sort()).toEqual([...listedThreads(path.join(folder, ".relay"))].sort());
    expect(totals.length).toBeGreaterThan(THREADS / 50 + 1);
  } finally {
    performance.now = clock;
  }
});

test("a search that is cancelled ends", async () => {
  const stop = new AbortController();
  stop.abort();
  const clock = performance.now;
  let step = 0;
  performance.now = () => clock.call(performance) + 11 * step++;
  try {
    const search = perform(worldAt(folder, { signal: stop.signal }), operations.search, { query: "x.*y", regex: true });
    await expect(search).rejects.toMatchObject({ code: "interrupted" });
  } finally {
    performance.now = clock;
  }
});

test("a rare word that comes into an old thread is found, with a line of arrival and without one, and is gone with its message", async () => {
  const home = path.join(folder, ".relay");
  const total = async (query: string) => (await perform(worldAt(folder), operations.search, { query })).total;
  // A folder that changed just now is not packed yet.
  await until("the packs of days speak for all", async () => {
    expect(await total("heron")).toBe(0);
    return fs.existsSync(path.join(home, "run/search"));
  });
  expect(await total("heron")).toBe(0);
  const [noted, silent] = [
    messageOf(31, 2, 10 ** 5 + 31, "words of a heron"),
    messageOf(57, 2, 10 ** 5 + 57, "words of a heron, and an egret"),
  ];
  for (const { path: at, text } of [noted, silent]) put(path.join(home, at), text);
  fs.appendFileSync(path.join(home, "local/arrivals"), `${noted.id}\n`);
  expect([await total("heron"), await total("egret")]).toEqual([2, 1]);
  for (const name of fs.readdirSync(path.join(home, "run/search"))) {
    const pack = path.join(home, "run/search", name);
    fs.writeFileSync(pack, fs.readFileSync(pack).fill(0, 0, 40));
  }
  expect([await total("heron"), await total("egret")]).toEqual([2, 1]);
  fs.rmSync(path.join(home, silent.path));
  expect([await total("heron"), await total("egret")]).toEqual([1, 0]);
});
