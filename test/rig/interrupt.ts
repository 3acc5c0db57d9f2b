/**
 * Interrupts this process just before its n-th call of the disk, so that every instant between two calls can be tried.
 * Relay's store calls `node:fs` through its default export, which is one object for the whole process.
 */
import fs from "node:fs";

const CALLS = [
  "closeSync",
  "fstatSync",
  "fsyncSync",
  "linkSync",
  "lstatSync",
  "mkdirSync",
  "openSync",
  "readFileSync",
  "readdirSync",
  "renameSync",
  "rmdirSync",
  "unlinkSync",
  "writeFileSync",
  "writeSync",
] as const;

let remaining = 0;
let signal: NodeJS.Signals = "SIGSTOP";
let installed = false;

/** Arms the interruption; 1 is before the very next call. */
export function interruptAt(call: number, by: NodeJS.Signals): void {
  install();
  remaining = call;
  signal = by;
}

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
      if (remaining > 0) {
        remaining -= 1;
        if (remaining === 0) process.kill(process.pid, signal);
      }
      return real.apply(fs, args);
    };
  }
}
