/**
 * Homes as people have them after a while: one to forty threads a day, ten messages each, over 340 days or more; one thread in fifty is
 * taken up again later; acked but for the last few; with the order of arrival as sends leave it, a session a week with its tasks, and what
 * two clones said of themselves. Written straight in the layout, by a thread for each core.
 */
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { Worker } from "node:worker_threads";
import { layEvents, laySessions } from "./boards.mjs";
import { homeAt, RARE, UNREAD } from "./homes.mjs";
import { kept } from "./kept.mjs";
import { scratch } from "./measure.mjs";
import { dice } from "./messages.mjs";

const PARTS = ["web", "api", "docs", "tests"];
const A_THREAD = 10;
const DAYS = 340;
const A_DAY = 40;
const DAY_MS = 86_400_000;

/** A code repository with such a home of so many messages, the last of them of yesterday. @param body bytes of a text, about */
export const agedHome = (count, body = 200) => layAged(scratch(), count, body);

/** The same, kept for the next run: for measures that only read, or whose few writes are nothing beside what is there. */
export async function keptAgedHome(count, body = 200) {
  return kept(`aged-${count}-${body}`, (folder) => layAged(folder, count, body));
}

/** The day of each thread, oldest first: on average half of the most a day, and over a year or more. */
function daysOf(threads) {
  const random = dice(threads);
  const loads = [];
  for (let left = threads; left > 0; left -= loads.at(-1)) loads.push(Math.min(left, 1 + random.below(A_DAY)));
  const [days, spread] = loads.length >= DAYS ? [loads.length, false] : [DAYS, true];
  const firstMs = (Math.floor(Date.now() / DAY_MS) - days) * DAY_MS;
  if (spread) return Array.from({ length: threads }, (_, thread) => firstMs + Math.floor((thread / threads) * days) * DAY_MS);
  return loads.flatMap((load, day) => Array.from({ length: load }, () => firstMs + day * DAY_MS));
}

async function layAged(folder, count, body) {
  homeAt(folder, PARTS);
  const home = path.join(folder, ".relay");
  const days = daysOf(Math.ceil(count / A_THREAD));
  fs.mkdirSync(path.join(home, "local"), { recursive: true });
  const shared = {
    home,
    at: Date.now() - DAY_MS,
    messages: A_THREAD,
    body,
    rareEvery: Math.floor(count / RARE.messages),
    rareWord: RARE.word,
    fresh: days.length - UNREAD,
    parts: PARTS,
  };
  const each = Math.ceil(days.length / os.availableParallelism());
  const firsts = Array.from({ length: Math.ceil(days.length / each) }, (_, at) => at * each);
  const layers = firsts.map((first) => {
    const layer = new Worker(new URL("./lay-threads.mjs", import.meta.url), {
      workerData: { ...shared, first, days: days.slice(first, first + each) },
    });
    return once(layer, "exit").then(([code]) => {
      if (code !== 0) throw new Error(`the threads from ${first} on could not be laid`);
    });
  });
  await Promise.all(layers);
  const parts = firsts.map((first) => path.join(home, `local/arrivals.${first}`));
  for (const part of parts) {
    fs.appendFileSync(path.join(home, "local/arrivals"), fs.readFileSync(part));
    fs.rmSync(part);
  }
  await laySessions(folder, [...new Set(days)]);
  layEvents(home, [...new Set(days)]);
  return folder;
}
