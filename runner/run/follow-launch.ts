/** Follows a launch to the end of its program: reads what it prints, and stops it where its time is over or its dispatch is closed. */
import path from "node:path";
import { objectIn, type Reading, UNREAD } from "../../protocol/agents/hosts/reading.ts";
import { endOf } from "../../protocol/store/beside/user-file.ts";
import { facts } from "../../protocol/store/read/facts.ts";
import { readText } from "../../protocol/store/read/read-file.ts";
import { absolute, type Store } from "../../protocol/store/root.ts";
import { type LaunchRecord, launchFolder, launchPath, printedLines } from "../launch/launch-folder.ts";
import { killRest, lifeOfLaunch, makeVoid, stopLaunch } from "../launch/launch-life.ts";
import type { Ended, Stop } from "../programs/outcome.ts";
import { programOf } from "../programs/programs.ts";
import { Silence } from "./silence.ts";
import type { TurnEvents } from "./turn-events.ts";

/** What following needs to know. */
export interface Following {
  store: Store;
  /** As they are now: a person may change them while a turn runs. */
  limits(): { turnMs: number; silenceMs: number; outputBytes: number };
  maxTurns: number | undefined;
  now(): number;
  isClosed(): boolean;
  /** Told how much it printed by now, and how much its model was last given. */
  told: TurnEvents;
  /** Told how many Sends the program asked for by now, and how many of them it waits for, when that changes. */
  asked(sends: number, open: number): void;
  /** Whether something that this dispatch waits for is at work; asked only where it has been silent for half of its time. */
  isWaiting(): boolean;
  /** Resolves when there is reason to look, or a while has gone by. */
  pause(): Promise<void>;
  /** Aborted when the runner ends: the program goes on, and the next runner follows it. */
  signal: AbortSignal;
}

const STDERR_BYTES = 8_192;
/** Lines, and characters of each, that are kept of what a program printed and that is no event of it. */
const UNREAD_LINES = 10;
const LINE_LENGTH = 500;
/** How long a program may go on, silent, after its last event. */
const GRACE_MS = 5_000;
/** A plain output is read whole; the rest of a longer one is left out, and the reply says so. */
const PLAIN_BYTES = 2_097_152;

/**
 * Follows a launch.
 * @returns how it ended; `void` where it never began; null where the runner ended before
 */
export async function followLaunch(record: LaunchRecord, following: Following): Promise<Ended | "void" | null> {
  const { store, now, signal } = following;
  const folder = launchFolder(store, record);
  const program = programOf(record.program);
  let reading = UNREAD;
  let next = 0;
  let size = -1;
  let printedMs = performance.now();
  const silence = new Silence(performance.now());
  // From here on only what this process saw pass counts: a machine that slept, or whose clock was set, ends no turn.
  const startedMs = performance.now() - Math.max(0, now() - record.startedMs);
  const stdoutBytes = (): number => facts(store, launchPath(record, "stdout"))?.size ?? 0;
  const unread: string[] = [];
  const readOn = (): void => {
    if (program.isPlain === true) return;
    // No further than it has printed now: who prints faster than this reads is looked at all the same.
    for (const end = stdoutBytes(); next < end; ) {
      const { lines, next: after } = printedLines(store, record, next);
      if (after === next) return;
      next = after;
      reading = lines.reduce((before, line) => program.read(before, line), reading);
      unread.push(...lines.filter((line) => line.trim() !== "" && objectIn(line) === null).slice(-UNREAD_LINES));
      unread.splice(0, unread.length - UNREAD_LINES);
      tellSends();
    }
  };
  let told = "";
  const tellSends = (): void => {
    const open = reading.sends.filter((id) => reading.calls.has(id)).length;
    const said = `${reading.sends.length} ${open}`;
    if (reading.sends.length > 0 && said !== told) following.asked(reading.sends.length, open);
    told = said;
  };
  /** Why it has to be stopped; null where it goes on. */
  const stopReason = (): Stop | "no tools" | "finished" | null => {
    const printed = (["stdout", "stderr"] as const).reduce((sum, name) => sum + (facts(store, launchPath(record, name))?.size ?? 0), 0);
    const limits = following.limits();
    if (printed !== size) {
      silence.heard(performance.now());
      printedMs = performance.now();
    }
    size = printed;
    if (printed > limits.outputBytes) return "too much";
    readOn();
    following.told.printed(stdoutBytes(), false);
    following.told.given(reading.contextTokens);
    if (following.isClosed()) return "closed";
    if (performance.now() - startedMs > limits.turnMs) return "too long";
    if (reading.tools === "missing") return "no tools";
    if (reading.last !== "none" && performance.now() - printedMs > GRACE_MS) return "finished";
    if (program.countsSteps === true && following.maxTurns !== undefined && reading.steps > following.maxTurns) return "too many steps";
    if (reading.calls.size > 0 || reading.isRetrying) return null;
    return silence.isTooLong(performance.now(), limits.silenceMs, following.isWaiting) ? "silent" : null;
  };

  let stop: Stop | null = null;
  let isFinished = false;
  let life = lifeOfLaunch(folder);
  while (life.state === "starting" || life.state === "running") {
    if (signal.aborted) return null;
    const reason = stopReason();
    if (reason !== null) {
      isFinished = reason === "finished";
      stop = reason === "no tools" || reason === "finished" ? null : reason;
      life = await stopLaunch(folder, reason === "too much" ? 0 : undefined);
      break;
    }
    await following.pause();
    life = lifeOfLaunch(folder);
  }
  if (life.state === "void") return stop === null ? "void" : { ...ended(UNREAD, null), stop };
  if (life.state === "ended" || life.state === "gone") killRest(life.group, folder);
  readOn();
  following.told.printed(stdoutBytes(), true);
  following.told.given(reading.contextTokens);
  // What it said at its end counts, and not that it had to be stopped after that.
  const exit = isFinished && reading.last === "ok" ? "0" : life.state === "ended" ? life.exit : null;
  if (program.isPlain === true)
    reading = { ...UNREAD, ...plainText(store, record), session: record.session, last: exit === "0" ? "ok" : "none" };
  return { ...ended(reading, exit), stop };

  function ended(read: Reading, exit: string | null): Ended {
    const stderr = endOf(path.join(folder, "stderr"), STDERR_BYTES)?.toWellFormed() ?? "";
    const printed = program.isPlain === true ? read.text.split("\n").slice(-UNREAD_LINES) : unread;
    const words = [...printed.map((line) => line.slice(0, LINE_LENGTH).toWellFormed()), stderr].filter((each) => each !== "").join("\n");
    return { reading: read, exit, stop, session: record.session, words };
  }
}

/** What a program printed that prints no events. */
function plainText(store: Store, record: LaunchRecord): { text: string } {
  const target = launchPath(record, "stdout");
  try {
    return { text: readText(store, target, PLAIN_BYTES)?.trimEnd() ?? "" };
  } catch {
    // It is too long, or no text.
    const end = endOf(absolute(store, target), PLAIN_BYTES)?.toWellFormed() ?? "";
    return { text: `[The beginning is left out: the output was longer than ${PLAIN_BYTES} bytes, or not UTF-8.]\n${end.trimEnd()}` };
  }
}

/** Makes a launch void that another runner was about to begin. @returns whether it never begins now */
export const forsake = (store: Store, record: LaunchRecord): boolean => {
  const folder = launchFolder(store, record);
  return lifeOfLaunch(folder).state === "void" || makeVoid(folder);
};
