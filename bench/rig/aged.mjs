/**
 * Homes as people have them after a while: up to forty threads a day, ten messages each, over 340 days or more; one thread in fifty is
 * taken up again later; acked but for the last few; with the order of arrival as sends leave it. Written straight in the layout.
 */
import fs from "node:fs";
import path from "node:path";
import { emptyHome, RARE, UNREAD } from "./homes.mjs";
import { dice, messageOf, messageText, threadText } from "./messages.mjs";

const PARTS = ["web", "api", "docs", "tests"];
const A_THREAD = 10;
const DAYS = 340;
const A_DAY = 40;
const DAY_MS = 86_400_000;
const TAKEN_UP = 50;

/** A code repository with such a home of so many messages, the last of them of yesterday. @param body bytes of a text, about */
export function agedHome(count, body = 200) {
  const folder = emptyHome(...PARTS);
  const home = path.join(folder, ".relay");
  const random = dice(count);
  const threads = Math.ceil(count / A_THREAD);
  const days = Math.max(DAYS, Math.ceil(threads / (A_DAY / 2)));
  const firstMs = (Math.floor(Date.now() / DAY_MS) - days) * DAY_MS;
  const rareEvery = Math.floor(count / RARE.messages);
  const there = new Set();
  const ensure = (at) => {
    if (!there.has(at)) fs.mkdirSync(at, { recursive: true });
    there.add(at);
    return at;
  };
  const arrivals = [];
  for (let thread = 0; thread < threads; thread += 1) {
    // Quiet days and busy ones, about half of the most on the average.
    const dayMs = firstMs + Math.floor((thread / threads) * days) * DAY_MS;
    const place = { day: new Date(dayMs).toISOString().slice(0, 10), threadRandom: random.text(8) };
    const fresh = thread >= threads - UNREAD;
    const pair = fresh ? ["web", "api"] : [PARTS[thread % 4], PARTS[(thread + 1 + (thread % 3)) % 4]];
    for (let n = 1; n <= A_THREAD; n += 1) {
      const [from, to] = n % 2 === 1 ? pair : pair.toReversed();
      const later = n === A_THREAD && !fresh && thread % TAKEN_UP === 0 ? random.below(30) * DAY_MS : 0;
      const atMs = Math.min(dayMs + (thread % 1_000) * 60_000 + n * 1_000 + later, Date.now() - DAY_MS);
      const message = messageOf(random, { ...place, n, atMs }, from, [to], body);
      if ((thread * A_THREAD + n) % rareEvery === 0) message.body += ` ${RARE.word}`;
      const target = ensure(path.join(home, "threads", place.day, message.thread));
      const inbox = ensure(path.join(home, "inbox", to, fresh && n === A_THREAD ? "new" : `read/${place.day}`));
      if (n === 1) fs.writeFileSync(path.join(target, "thread.md"), threadText(message));
      fs.writeFileSync(path.join(target, message.file), messageText(message));
      fs.linkSync(path.join(target, message.file), path.join(inbox, `${message.id}.md`));
      arrivals.push(message.id);
    }
  }
  fs.mkdirSync(path.join(home, "local"), { recursive: true });
  fs.writeFileSync(path.join(home, "local/arrivals"), `${arrivals.join("\n")}\n`);
  return folder;
}
