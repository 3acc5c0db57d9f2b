/**
 * Ends this process once the one that started it is gone, so that a run of the tests that is killed leaves nothing at work. Importing it is
 * enough for a process that waits at times; one that never does calls `endIfAlone` itself.
 */
const parent = process.ppid;
const LOOK_MS = 500;

/** Ends this process where the one that started it is gone. */
export function endIfAlone(): void {
  // Vitest keeps its workers from ending in any other way.
  if (process.ppid !== parent) process.kill(process.pid, "SIGKILL");
}

setInterval(endIfAlone, LOOK_MS).unref();
