// Loaded before a process begins: its clocks, the wall's and the one that only runs, are ahead by what the file CLOCK_FILE
// says, as two numbers of milliseconds, and so are its timers: one whose time has come rings as soon as the clock is moved.
// With CLOCK_STANDS, an instant, no time goes by but that; only breaths, shorter than BREATH_MS, are drawn by themselves.
// Each writes down what it has read, once all that follows from it is done, so that a test knows that it is.
const fs = require("node:fs");
const path = require("node:path");
const timers = require("node:timers");
const promises = require("node:timers/promises");

const file = process.env.CLOCK_FILE;
const real = Date;
const running = performance.now.bind(performance);
const { setTimeout: realTimeout, setInterval: realInterval, clearTimeout: clearReal } = timers;

const read = () => fs.readFileSync(file, "utf8");
const ahead = (which) => Number(read().split(" ")[which]);
const stands = process.env.CLOCK_STANDS;
const wallMs = stands === undefined ? real.now.bind(real) : () => Number(stands);
const runningMs = stands === undefined ? running : () => 0;
const BREATH_MS = 250;
const NEVER_MS = 2 ** 31 - 1;

class Driven extends real {
  constructor(...given) {
    if (given.length === 0) super(wallMs() + ahead(0));
    else super(...given);
  }

  static now() {
    return wallMs() + ahead(0);
  }
}

globalThis.Date = Driven;
performance.now = () => runningMs() + ahead(1);

/** Timers that wait, by what the program holds of them. */
const waiting = new Map();

function driven(makeReal, isRepeated) {
  return (callback, ms, ...args) => {
    const delayMs = Number(ms) || 0;
    const ring = () => {
      if (isRepeated) one.dueMs = performance.now() + delayMs;
      else forget(timer);
      callback(...args);
    };
    const timer = makeReal(ring, stands === undefined || delayMs < BREATH_MS ? ms : NEVER_MS);
    const one = { dueMs: performance.now() + delayMs, ring, isBreath: !isRepeated && delayMs < BREATH_MS };
    waiting.set(timer, one);
    return timer;
  };
}

function forget(timer) {
  waiting.delete(timer);
  clearReal(timer);
}

/** What promises to wait goes by the same timers. */
const pause = (ms, value, { signal, ref = true } = {}) =>
  new Promise((resolve, reject) => {
    const giveUp = () => {
      forget(timer);
      reject(signal.reason);
    };
    if (signal?.aborted) return reject(signal.reason);
    const timer = driven(realTimeout, false)(() => {
      signal?.removeEventListener("abort", giveUp);
      resolve(value);
    }, ms);
    if (!ref) timer.unref();
    signal?.addEventListener("abort", giveUp, { once: true });
  });

const setTimeout = driven(realTimeout, false);
setTimeout[require("node:util").promisify.custom] = pause;
const own = { setTimeout, setInterval: driven(realInterval, true), clearTimeout: forget, clearInterval: forget };
Object.assign(globalThis, own);
Object.assign(timers, own);
promises.setTimeout = pause;
require("node:module").syncBuiltinESMExports();

/** A child that runs, a file that is being read, or a breath that is being drawn: something is still being done. */
const isBusy = () =>
  process.getActiveResourcesInfo().some((name) => name === "ProcessWrap" || name.startsWith("FSReq")) ||
  [...waiting.values()].some(({ isBreath }) => isBreath);
const seen = path.join(path.dirname(path.dirname(file)), `seen.${process.pid}`);
const AGAIN_MS = 2;
let known = read();

/** Rings all whose time has come, in its order, and says so once nothing is being done any more. */
function look() {
  const text = read();
  if (text === known) return;
  known = text;
  const now = performance.now();
  const due = [...waiting].filter(([, { dueMs }]) => dueMs <= now).sort(([, one], [, other]) => one.dueMs - other.dueMs);
  for (const [timer, { ring }] of due) if (waiting.has(timer)) ring();
  settle(text, 0);
}

function settle(text, quiet) {
  if (text !== known) return;
  if (quiet === 3) say(text);
  else realTimeout(() => settle(text, isBusy() ? 0 : quiet + 1), AGAIN_MS).unref();
}

function say(text) {
  fs.writeFileSync(`${seen}.new`, text);
  fs.renameSync(`${seen}.new`, seen);
}

// What a program hears of its files and of the clock comes in the order in which it happened.
try {
  fs.watch(path.dirname(file), look).unref();
} catch {
  // Where a test takes the system's watches away.
  realInterval(look, AGAIN_MS).unref();
}
say("began");
settle(known, 0);
