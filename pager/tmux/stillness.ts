/** Whether a terminal is unchanged, by the time of its device, without asking tmux. spec/waking.md, "Waking in tmux". */
import { execFile } from "node:child_process";
import fs from "node:fs";
import { withOwnPath } from "../../protocol/store/program.ts";
import { statOf } from "./foreground.ts";

/** Linux moves the time of a terminal on only when the write is in another such span than the one before. */
const SPAN_MS = 8_000;
/** It takes that time from a clock that is a little behind. */
const SLACK_MS = 100;
/** What no write tells is found by reading the screen this often all the same. */
const SELDOM_MS = 60_000;
const ASKED_MS = 2_000;

/** A terminal that was read after it had been quiet for a while. */
export interface Still {
  tty: string;
  modifiedMs: number;
  /** An instant of the clock that only runs. */
  untilMs: number;
}

/**
 * A terminal's stillness, where every further write will show in it.
 * @param pid the pane's first process, whose terminal it must be
 * @param readMs when the screen was read, by the wall clock
 * @param before as it was still until now, if it was: who wrote nothing since has not changed what it echoes either
 * @returns null where a change might not show: no Linux, a write just now, or a terminal that echoes keys by itself
 */
export async function stillness(tty: string, pid: number, readMs: number, before: Still | null = null): Promise<Still | null> {
  const stat = factsOf(tty);
  if (process.platform !== "linux" || stat === null || Number(statOf(pid)?.[4]) !== stat.rdev) return null;
  if (spanOf(stat.mtimeMs) >= spanOf(readMs - SLACK_MS)) return null;
  const isKnown = before !== null && before.tty === tty && before.modifiedMs === stat.mtimeMs;
  if (!isKnown && (await echoes(tty))) return null;
  return { tty, modifiedMs: stat.mtimeMs, untilMs: performance.now() + SELDOM_MS };
}

/** Whether it is as it was. */
export const isStill = ({ tty, modifiedMs, untilMs }: Still): boolean =>
  performance.now() < untilMs && factsOf(tty)?.mtimeMs === modifiedMs;

const spanOf = (ms: number): number => Math.floor(ms / SPAN_MS);

function factsOf(tty: string): fs.Stats | null {
  try {
    return fs.statSync(tty);
  } catch {
    return null;
  }
}

/** Whether the system itself shows the keys that are pressed, which is no write of a program's. */
function echoes(tty: string): Promise<boolean> {
  return new Promise((resolve) => {
    execFile("stty", ["-F", tty, "-a"], { timeout: ASKED_MS, env: withOwnPath(process.env) }, (error, stdout) =>
      resolve(error !== null || !/(^|\s)-echo(\s|;|$)/m.test(stdout)),
    );
  });
}
