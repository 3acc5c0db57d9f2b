/** A thread of the bench that lays some threads of an aged home, straight in the layout, and their order of arrival beside it. */
import fs from "node:fs";
import path from "node:path";
import { workerData } from "node:worker_threads";
import { dice, messageOf, messageText, threadText } from "./messages.mjs";

const { home, at, days, first, messages, body, rareEvery, rareWord, fresh, parts } = workerData;
const DAY_MS = 86_400_000;
/** One thread in so many is taken up again later, and one in so many was closed once, which its own file says. */
const TAKEN_UP = 50;
const CLOSED = 10;

const random = dice(first + 1);
const there = new Set();
const ensure = (folder) => {
  if (!there.has(folder)) fs.mkdirSync(folder, { recursive: true });
  there.add(folder);
  return folder;
};
const arrivals = [];
for (const [index, dayMs] of days.entries()) {
  const thread = first + index;
  const place = { day: new Date(dayMs).toISOString().slice(0, 10), threadRandom: random.text(8) };
  const isFresh = thread >= fresh;
  const pair = isFresh ? [parts[0], parts[1]] : [parts[thread % 4], parts[(thread + 1 + (thread % 3)) % 4]];
  for (let n = 1; n <= messages; n += 1) {
    const [from, to] = n % 2 === 1 ? pair : pair.toReversed();
    const later = n === messages && !isFresh && thread % TAKEN_UP === 0 ? random.below(30) * DAY_MS : 0;
    const atMs = Math.min(dayMs + (thread % 1_000) * 60_000 + n * 1_000 + later, at);
    const end = (thread * messages + n) % rareEvery === 0 ? ` ${rareWord}` : "";
    const message = messageOf(random, { ...place, n, atMs }, from, [to], body, end);
    const target = ensure(path.join(home, "threads", place.day, message.thread));
    const inbox = ensure(path.join(home, "inbox", to, isFresh && n === messages ? "new" : `read/${place.day}`));
    if (n === 1 && thread % CLOSED === 0) fs.writeFileSync(path.join(target, "thread.md"), threadText(message));
    fs.writeFileSync(path.join(target, message.file), messageText(message));
    fs.linkSync(path.join(target, message.file), path.join(inbox, `${message.id}.md`));
    arrivals.push(message.id);
  }
}
fs.writeFileSync(path.join(home, `local/arrivals.${first}`), `${arrivals.join("\n")}\n`);
