/** Searching a day with many threads, so that it is packed: what cannot be read is named. */
import fs from "node:fs";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { operations, perform } from "../../protocol/index.ts";
import { homeWith, worldAt } from "../rig/home.ts";

const THREADS = 40;
const DAY = "2026-03-04";
const LONG_AGO = new Date("2026-03-05T00:00:00Z");
let folder: string;
let threads: string[];

beforeEach(async () => {
  folder = await homeWith("web", "api");
  threads = [];
  for (let number = 0; number < THREADS; number += 1)
    threads.push(await send(`Letter ${number}`, `Number ${number}; ÄRGER "quoted" ahead`));
  settle();
});

/** Sends on the day, whatever today is. */
async function send(subject: string, body: string): Promise<string> {
  const world = worldAt(folder, { part: "web", now: () => Date.parse(`${DAY}T12:00:00Z`) });
  return (await perform(world, operations.send, { to: ["api"], subject, body })).threadId;
}

const folderOf = (thread: string): string => path.join(folder, ".relay/threads", DAY, thread);

/** Lets the folders have changed long ago: only such are packed. */
function settle(): void {
  for (const thread of threads) fs.utimesSync(folderOf(thread), LONG_AGO, LONG_AGO);
}

async function found(query: string): Promise<number | null> {
  const { hits, total } = await perform(worldAt(folder), operations.search, { query, limit: 200 });
  expect(hits.reduce((sum, { matches = 1 }) => sum + matches, 0)).toBe(total);
  return total;
}

test("a message that cannot be read is named each time, also of a packed day, and found as soon as it can be", async () => {
  const thread = threads[7] as string;
  const name = fs.readdirSync(folderOf(thread)).find((file) => /^1-/.test(file)) as string;
  const file = path.join(folderOf(thread), name);
  const text = fs.readFileSync(file, "utf8");
  const at = `threads/${DAY}/${thread}/${name}`;
  const problems = async (query: string): Promise<unknown> => (await perform(worldAt(folder), operations.search, { query })).problems;
  for (const [broken, problem] of [
    [Buffer.from([0x6e, 0xff]), expect.stringContaining("UTF-8")],
    [Buffer.from("no header"), expect.any(String)],
  ] as const) {
    fs.writeFileSync(file, broken);
    settle();
    // Read, packed, by its pack, and where the pack would rule the word out.
    for (const query of ["ahead", "ahead", "Letter 7", "nowhere", "nowhere"])
      expect(await problems(query)).toEqual([expect.objectContaining({ path: at, problem })]);
    expect(await found("ahead")).toBe(THREADS - 1);
  }
  fs.writeFileSync(file, text);
  settle();
  expect(await found("ahead")).toBe(THREADS);
  expect(await problems("ahead")).toBeUndefined();
});
