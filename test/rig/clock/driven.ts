/** A clock that a test moves under processes that run. */
import fs from "node:fs";
import path from "node:path";
import { goesOn } from "../hurt.ts";
import { scratch, until } from "../scratch.ts";

/** The clock, and what a child needs to live by it: its timers ring when the clock is moved past them. */
export interface DrivenClock {
  env: Record<string, string>;
  /** The wall's clock, for a world of this process. */
  now(): number;
  /** Moves both clocks on. @param asleepMs how much of it the machine slept: the clock that only runs stands then */
  advance(ms: number, asleepMs?: number): void;
  /**
   * Lets time go by: step after step, each once every process that lives by it has done all that the one before brought. A
   * process that is suspended is not waited for.
   */
  pass(ms: number): Promise<void>;
}

/** The environment of a process whose clock is wrong. @param aheadMs how much it is ahead */
export const skewed = (aheadMs: number): Record<string, string> => ({
  NODE_OPTIONS: `--require ${JSON.stringify(path.resolve("test/rig/clock/skewed.cjs"))}`,
  CLOCK_OFF: String(aheadMs),
});

/** Whoever looks regularly does so in each step; a much longer span between two looks is a gap to them. */
const STEP_MS = 9_000;

/**
 * A new one, which begins at the real time and goes on with it.
 * @param stands whether it stands still but for what the test moves it: then nothing comes by a beat, and no limit of time is
 *   reached by a slow machine
 */
export function drivenClock({ stands = false }: { stands?: boolean } = {}): DrivenClock {
  const begun = Date.now();
  const folder = scratch();
  // In a folder of its own, which is watched.
  const file = path.join(folder, "clock", "ahead");
  fs.mkdirSync(path.dirname(file));
  let [wall, running] = [0, 0];
  const write = (): void => {
    // Whole, for a process that runs reads it at any moment.
    fs.writeFileSync(path.join(folder, "new"), `${wall} ${running}`);
    fs.renameSync(path.join(folder, "new"), file);
  };
  write();
  /** Whether every process that lives by it has heard that it was moved, and has done what follows from that. */
  const isDone = (): boolean =>
    fs.readdirSync(folder).every((name) => {
      const pid = /^seen\.(\d+)$/.exec(name)?.[1];
      return pid === undefined || !goesOn(Number(pid)) || fs.readFileSync(path.join(folder, name), "utf8") === `${wall} ${running}`;
    });
  const clock: DrivenClock = {
    env: {
      NODE_OPTIONS: `--require ${JSON.stringify(path.resolve("test/rig/clock/driven.cjs"))}`,
      CLOCK_FILE: file,
      ...(stands ? { CLOCK_STANDS: String(begun) } : {}),
    },
    now: () => (stands ? begun : Date.now()) + wall,
    advance(ms, asleepMs = 0) {
      wall += ms;
      running += ms - asleepMs;
      write();
    },
    async pass(ms) {
      // A process that is still starting has not set the timers that this time shall ring.
      await until("all that began before is done", isDone);
      for (let restMs = ms; restMs > 0; restMs -= STEP_MS) {
        clock.advance(Math.min(restMs, STEP_MS));
        await until("what a step of time brought is done", isDone);
      }
    },
  };
  return clock;
}

/**
 * Lets time go by for all who live by a clock until something is so.
 * @param mostMs how much time may go by: then it stands, and only the processes go on
 */
export function untilInTime<T>(
  what: string,
  clock: DrivenClock,
  look: () => T | Promise<T>,
  mostMs = Number.POSITIVE_INFINITY,
): Promise<NonNullable<T>> {
  let passedMs = 0;
  return until(what, async () => {
    const found = await look();
    if (found || passedMs + STEP_MS > mostMs) return found;
    passedMs += STEP_MS;
    await clock.pass(STEP_MS);
    return undefined;
  }) as Promise<NonNullable<T>>;
}
