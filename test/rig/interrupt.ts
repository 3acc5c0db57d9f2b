/**
 * Interrupts this process just before its n-th call of the disk, so that every instant between two calls can be tried.
 * Relay's store calls `node:fs` through its default export, which is one object for the whole process.
 */
import fs from "node:fs";

const CALLS = [
  ...["closeSync", "fstatSync", "fsyncSync", "linkSync", "lstatSync", "mkdirSync", "openSync", "readFileSync"],
  ...["readdirSync", "renameSync", "rmSync", "rmdirSync", "unlinkSync", "writeFileSync", "writeSync"],
] as const;

/** Those that change what is there; of `openSync` those that make a file. */
const CHANGES: readonly string[] = [
  ...["linkSync", "mkdirSync", "renameSync", "rmSync", "rmdirSync", "unlinkSync", "writeFileSync", "writeSync"],
];

let remaining = 0;
let counted: "calls" | "changes" = "calls";
let count = 0;
let signal: NodeJS.Signals = "SIGSTOP";
let installed = false;

/** Arms the interruption; 1 is before the very next call. @param what whether all calls count, or only those that change what is there */
export function interruptAt(call: number, by: NodeJS.Signals, what: "calls" | "changes" = "calls"): void {
  install();
  remaining = call;
  signal = by;
  counted = what;
  count = 0;
}

/** How many calls that count were made since it was armed. */
export const passed = (): number => count;

const counts = (name: string, [, flags]: readonly unknown[]): boolean =>
  counted === "calls" || CHANGES.includes(name) || (name === "openSync" && makesFile(flags));

const makesFile = (flags: unknown): boolean =>
  typeof flags === "number" ? (flags & fs.constants.O_CREAT) !== 0 : typeof flags === "string" && /^[wa]/.test(flags);

/** Disarms it. @returns whether it had not come to it: there were fewer calls */
export function disarm(): boolean {
  const early = remaining > 0;
  remaining = 0;
  return early;
}

function install(): void {
  if (installed) return;
  installed = true;
  const table = fs as unknown as Record<string, (...args: unknown[]) => unknown>;
  for (const name of CALLS) {
    const real = table[name] as (...args: unknown[]) => unknown;
    table[name] = (...args) => {
      if (counts(name, args)) {
        count += 1;
        if (remaining > 0) {
          remaining -= 1;
          if (remaining === 0) process.kill(process.pid, signal);
        }
      }
      return real.apply(fs, args);
    };
  }
}
