/**
 * What a person at the dashboard waits for: a message of another process, a large home, and a step in time. `node bench/dashboard.mjs 20000 5`
 * measures the steps alone, in a home of so many messages, by so many servers and browsers, and writes no results.
 */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { emptyHome, RARE } from "./rig/homes.mjs";
import { clearScratch, quantile, relay, row } from "./rig/measure.mjs";
import { makeRecordedHome } from "./rig/recorded.mjs";
import { openProfile, serveHome, stall, startSender } from "./rig/served.mjs";

const PAGES = 20;
const MESSAGES = 40;
const [FLOOD_S, A_SECOND] = [60, 50];
const SIZES = [20_000, 100_000];
const STEPS = 12;
const LARGE = { paint: 1_000, list: 300, memory: 150, meanwhile: 100 };

const p95 = (samples) =>
  quantile(
    [...samples].sort((a, b) => a - b),
    0.95,
  );

/** All of it, in Chromium. Each row is said when it is measured: the homes take a while to make. */
export async function measureDashboard() {
  const rows = [];
  for (const measure of [measureLive, measureFlood, ...SIZES.map((count) => () => measureLarge(count))]) {
    const measured = await measure();
    rows.push(...measured);
    for (const { what, measured: figure, bar } of measured) process.stderr.write(`${what}: ${figure} (${bar})\n`);
  }
  return rows;
}

/** From the end of a send by another process until the page shows it, on each of twenty pages; one more client is stalled. */
async function measureLive() {
  const folder = emptyHome("web", "api");
  const served = await serveHome(folder);
  const { browser, context, tab } = await openProfile(served.link);
  const tabs = [tab];
  while (tabs.length < PAGES) tabs.push(await context.newPage());
  for (const each of tabs) await each.goto(served.at("threads"));
  for (const each of tabs) await each.evaluate(watchRows);
  const [{ value }] = await context.cookies(served.link);
  const go = stall(served.link, value);
  const sender = await startSender(folder);
  const took = [];
  for (let n = 0; n < MESSAGES; n += 1) {
    const at = await sender.send(`Letter ${n}.`);
    for (const each of tabs)
      took.push((await each.waitForFunction((key) => window.seen?.get(key), `Letter ${n}.`).then((h) => h.jsonValue())) - at);
  }
  await sender.close();
  go();
  await browser.close();
  await served.close();
  return [row(`a send of another process, on each of ${PAGES} pages, one client stalled, p95`, p95(took), { bars: { most: 300 } })];
}

/** Notes when each subject was shown first, and tasks that kept the page busy. */
function watchRows() {
  window.seen = new Map();
  window.long = [];
  const note = () => {
    for (const subject of document.querySelectorAll(".threads a[data-row] .cut.block"))
      if (!window.seen.has(subject.textContent)) window.seen.set(subject.textContent, Date.now());
  };
  new MutationObserver(note).observe(document.body, { subtree: true, childList: true, characterData: true });
  new PerformanceObserver((list) => window.long.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: "longtask" });
  note();
}

/** Fifty messages a second for a minute. */
async function measureFlood() {
  const folder = emptyHome("web", "api");
  const served = await serveHome(folder);
  const { browser, tab } = await openProfile(served.link);
  await tab.goto(served.at("now"));
  await tab.evaluate(watchRows);
  const sender = await startSender(folder);
  const started = Date.now();
  for (let second = 0; second < FLOOD_S; second += 1) {
    const due = started + second * 1_000;
    if (due > Date.now()) await new Promise((resolve) => setTimeout(resolve, due - Date.now()));
    await sender.send(...Array.from({ length: A_SECOND }, (_, n) => `Flood ${second * A_SECOND + n}.`));
  }
  const seconds = (Date.now() - started) / 1_000;
  const all = FLOOD_S * A_SECOND;
  const isWhole = await tab
    .waitForFunction((count) => document.title.startsWith(`(${count})`), all, { timeout: 30_000 })
    .then(() => true)
    .catch(() => false);
  const counted = Number(/^\((\d+)\)/.exec(await tab.title())?.[1] ?? 0);
  const long = await tab.evaluate(() => Math.max(0, ...window.long));
  await sender.close();
  await browser.close();
  await served.close();
  return [
    row(`messages that the page misses of ${all} in ${seconds.toFixed(0)} s`, isWhole ? 0 : all - counted, {
      unit: "messages",
      bars: { most: 0 },
    }),
    row("the longest task of the page meanwhile", long, { bars: { most: 100 } }),
  ];
}

function recordedHome(count) {
  const folder = makeRecordedHome(count);
  // As in every home in which somebody wrote: what came last is known without listing all.
  relay(folder, "send", "human", "First", "By the command.", "--part", "web");
  relay(folder, "threads", "--part", "web");
  return folder;
}

/** A large home: the first paint, lists, threads, memory; and steps in time. */
async function measureLarge(count) {
  const rows = [];
  const folder = recordedHome(count);
  const served = await serveHome(folder);
  const { browser, tab } = await openProfile(served.link);
  if (count === SIZES.at(-1)) rows.push(...(await measureLists(count, tab, served)));
  const before = sizeOf(folder);
  const { first, took, commit } = await stepThrough(tab, served);
  const step = { bars: { most: count > SIZES[0] ? 1_000 : 300 } };
  rows.push(row(`a step in time, home of ${count}, the first`, first, step));
  rows.push(row(`a step in time, home of ${count}, p95 of ${took.length}`, p95(took), step));
  rows.push(
    row(`what ${took.length + 1} moments leave on the disk, home of ${count}`, Math.max(0, sizeOf(folder) - before), {
      unit: "kB",
      bars: { most: 1_000 },
    }),
  );
  rows.push(
    row(`memory of the server, home of ${count}, after all that`, served.residentMb(), { unit: "MB", bars: { most: LARGE.memory } }),
  );
  const { waits, isOver } = await tab.evaluate(askMeanwhile, { commit, word: RARE.word });
  if (isOver) throw new Error("the search ended before anything else was asked");
  rows.push(row(`a list while a search of the past goes on, home of ${count}, p95`, p95(waits), { bars: { most: LARGE.meanwhile } }));
  await browser.close();
  await served.close();
  return rows;
}

/** Searches an earlier moment for a word that few messages have, and asks for a list several times meanwhile. */
async function askMeanwhile({ commit, word }) {
  const ask = (name, input, at = "") => fetch(`api/${name}?input=${encodeURIComponent(JSON.stringify(input))}${at}`).then((r) => r.text());
  let isOver = false;
  const search = ask("search", { query: word }, `&at=${commit}`).finally(() => {
    isOver = true;
  });
  const waits = [];
  let [wasOver, first] = [false, true];
  while (!isOver && waits.length < 50) {
    const started = performance.now();
    await ask("threads", { limit: 50 });
    waits.push(performance.now() - started);
    if (first) wasOver = isOver;
    first = false;
  }
  await search;
  return { waits, isOver: wasOver };
}

/** The size of what lies in the disposable folder of a home, in kilobytes. */
const sizeOf = (folder) =>
  fs
    .readdirSync(path.join(folder, ".relay/run"), { recursive: true })
    .reduce((sum, name) => sum + (fs.statSync(path.join(folder, ".relay/run", name), { throwIfNoEntry: false })?.size ?? 0), 0) / 1_000;

async function measureLists(count, tab, served) {
  const rows = [];
  const timed = async (act, selector) => {
    const started = performance.now();
    await act();
    await tab.waitForSelector(selector);
    return performance.now() - started;
  };
  // Once for the server to read what it reads once, then as a person opens it.
  await timed(() => tab.goto(served.at("threads")), ".threads a[data-row]");
  const paints = [];
  for (let n = 0; n < 5; n += 1) paints.push(await timed(() => tab.reload(), ".threads a[data-row]"));
  rows.push(row(`first useful paint, home of ${count}, p95`, p95(paints), { bars: { most: LARGE.paint } }));
  const lists = [];
  for (let n = 0; n < 5; n += 1)
    for (const [view, selector] of [
      ["now", ".part"],
      ["board", "h1"],
      ["threads", ".threads a[data-row]"],
    ])
      lists.push(await timed(() => tab.goto(served.at(view)), selector));
  rows.push(row(`a list, home of ${count}, p95`, p95(lists), { bars: { most: LARGE.list } }));
  const threads = [];
  for (let n = 0; n < 15; n += 1)
    threads.push(
      await timed(() => tab.locator(".threads a[data-row]").nth(n).click(), `.threads a[data-row][aria-current="true"] >> nth=0`).then(
        async (ms) => {
          const started = performance.now();
          await tab.waitForSelector(".msg");
          return ms + performance.now() - started;
        },
      ),
    );
  rows.push(row(`a thread, home of ${count}, p95`, p95(threads), { bars: { most: LARGE.list } }));
  return rows;
}

/** Moves back along the commits with the threads on show: each step ends when the list is that of the moment. */
async function stepThrough(tab, served) {
  await tab.goto(served.at("record"));
  const commits = tab.locator(".record .list button[data-row]");
  await commits.nth(1).waitFor();
  await commits.nth(1).click();
  await tab.waitForSelector("section.past");
  const newest = () => tab.locator(".threads a[data-row]").first().getAttribute("href");
  const began = performance.now();
  await tab.goto(served.at(`threads?at=${await shownAt(tab)}`));
  // Asked at each frame, as for the steps after it: a wait for a selector looks only twice a second after a while.
  await tab.waitForFunction(() => document.querySelector(".threads a[data-row]") !== null);
  const first = performance.now() - began;
  const took = [];
  for (let n = 0; n < STEPS; n += 1) {
    const before = await newest();
    const started = performance.now();
    await tab.keyboard.press(n < STEPS - 2 ? "ArrowLeft" : "ArrowRight");
    await tab.waitForFunction((href) => {
      const found = document.querySelector(".threads a[data-row]");
      return found !== null && found.getAttribute("href") !== href;
    }, before);
    took.push(performance.now() - started);
  }
  return { first, took, commit: await shownAt(tab) };
}

/** The commit that a page shows: it stands in the address. */
const shownAt = (tab) => tab.evaluate(() => new URLSearchParams(location.hash.split("?")[1]).get("at"));

/** The steps alone, in one home. */
async function measureSteps(count, runs) {
  const folder = recordedHome(count);
  for (let run = 0; run < runs; run += 1) {
    const load = os.loadavg()[0].toFixed(1);
    const served = await serveHome(folder);
    const { browser, tab } = await openProfile(served.link);
    const { first, took } = await stepThrough(tab, served);
    await browser.close();
    const memory = served.residentMb();
    await served.close();
    const figures = `the first ${first.toFixed(0)} ms, p95 of ${took.length} more ${p95(took).toFixed(0)} ms, ${memory.toFixed(0)} MB`;
    process.stdout.write(`a step in time, home of ${count}: ${figures}; the load was ${load}\n`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.once("exit", clearScratch);
  await measureSteps(Number(process.argv[2] ?? SIZES[0]), Number(process.argv[3] ?? 5));
}
