/**
 * The output of a command, and whether a terminal shows it, without the streams of Node where a terminal is not there: to make
 * them takes longer than most commands do.
 */
import fs from "node:fs";
import os from "node:os";
import { escapedJson } from "../../protocol/core/format/hidden.ts";

const NUMBERS = { stdin: 0, stdout: 1, stderr: 2 } as const;

/** What stands for a stream that no terminal shows. */
const NO_TERMINAL = { isTTY: false } as const;

/** Whether a stream of this process is a terminal. */
export const isTerminal = (name: keyof typeof NUMBERS): boolean => mayBeTerminal(NUMBERS[name]) && process[name].isTTY === true;

/** A terminal is a device, and not the one that swallows everything. */
function mayBeTerminal(number: number): boolean {
  try {
    const facts = fs.fstatSync(number);
    return facts.isCharacterDevice() && facts.rdev !== fs.statSync(os.devNull).rdev;
  } catch {
    // Closed, or not known to the system: Node says what it takes it for.
    return true;
  }
}

/** The stream of what is printed, to ask how wide it is; nothing is written to it where no terminal shows it. */
export const shownOn = (): { isTTY: boolean; columns?: number } => (isTerminal("stdout") ? process.stdout : NO_TERMINAL);

/** Writes a text to stdout, whole. */
export function writeOut(text: string): void {
  if (mayBeTerminal(NUMBERS.stdout)) {
    process.stdout.write(text);
    return;
  }
  const bytes = Buffer.from(text);
  let done = 0;
  try {
    while (done < bytes.length) done += fs.writeSync(1, bytes, done);
  } catch {
    // A pipe that takes no more just now is waited for, and one that nobody reads any more is reported, by the stream.
    process.stdout.write(bytes.subarray(done));
  }
}

/** Writes JSON to stdout, as a line: the one place where a command does. What a terminal would act on, or show as nothing, is written as escapes. */
export const writeJson = (value: object): void => writeOut(`${escapedJson(JSON.stringify(value))}\n`);

/** Calls back where stdout fails, once there is a stream for it. */
export function whenOutputFails(failed: (error: NodeJS.ErrnoException) => void): void {
  const made = Object.getOwnPropertyDescriptor(process, "stdout") as PropertyDescriptor;
  const listening = (): NodeJS.WriteStream => {
    Object.defineProperty(process, "stdout", made);
    return process.stdout.on("error", failed);
  };
  // Node makes the stream when it is asked for.
  Object.defineProperty(process, "stdout", { configurable: true, enumerable: true, get: listening });
}
