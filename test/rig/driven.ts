/** A clock that a test moves under processes that run. */
import fs from "node:fs";
import path from "node:path";
import { scratch, until } from "./rig.ts";

/** The clock, and what a child needs to live by it. */
export interface DrivenClock {
  env: Record<string, string>;
  /** The wall's clock, for a world of this process. */
  now(): number;
  /** Moves both clocks on. @param asleepMs how much of it the machine slept: the clock that only runs stands then */
  advance(ms: number, asleepMs?: number): void;
  /** Whether every pager that lives by it has looked at it since it was moved. */
  isSeen(): boolean;
}

/** A new one, which begins at the real time. */
export function drivenClock(): DrivenClock {
  const file = path.join(scratch(), "clock");
  let [wall, running] = [0, 0];
  const write = (): void => {
    // Whole, for a process that runs reads it at any moment.
    fs.writeFileSync(`${file}.new`, `${wall} ${running}`);
    fs.renameSync(`${file}.new`, file);
  };
  write();
  return {
    env: { NODE_OPTIONS: `--require ${JSON.stringify(path.resolve("test/rig/driven.cjs"))}`, CLOCK_FILE: file },
    now: () => Date.now() + wall,
    advance(ms, asleepMs = 0) {
      wall += ms;
      running += ms - asleepMs;
      write();
    },
    isSeen: () =>
      fs
        .readdirSync(path.dirname(file))
        .map((name) => [name, /^clock\.seen\.(\d+)$/.exec(name)?.[1]] as const)
        .every(
          ([name, pid]) => pid === undefined || !isAlive(Number(pid)) || read(path.join(path.dirname(file), name)) === `${wall} ${running}`,
        ),
  };
}

const read = (file: string): string => fs.readFileSync(file, "utf8");

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Has a home's pagers look again: something stirs in a folder that they watch. */
function stir(folder: string): void {
  const file = path.join(folder, ".relay/inbox/main/new/.stir");
  fs.writeFileSync(file, "");
  fs.rmSync(file);
}

/** A pager looks every three seconds; a much longer span between two looks is a gap to it. */
const STEP_MS = 9_000;

/**
 * Lets time go by, as the home's pagers see it that look all the while, until something is so.
 * @param mostMs how much time may go by: then it stands, and only the processes go on, so that a slow machine changes no order
 */
export function untilInTime<T>(
  what: string,
  clock: DrivenClock,
  folder: string,
  look: () => T | Promise<T>,
  mostMs = Number.POSITIVE_INFINITY,
): Promise<NonNullable<T>> {
  let passedMs = 0;
  return until(what, async () => {
    const found = await look();
    if (found) return found;
    if (passedMs + STEP_MS > mostMs) return undefined;
    passedMs += STEP_MS;
    clock.advance(STEP_MS);
    stir(folder);
    await until("the pagers have looked", () => clock.isSeen());
    return undefined;
  }) as Promise<NonNullable<T>>;
}
