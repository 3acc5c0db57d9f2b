/** Pagers for the measures: the real command, and the processor time that it uses. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { childEnv, RELAY } from "./measure.mjs";

/** Starts a pager, and waits until it has looked and watches. */
export async function startPager(folder) {
  const child = spawn(process.execPath, [RELAY, "pager", "--json"], { cwd: folder, env: childEnv, stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  child.stdout.resume();
  await pause(500);
  return child;
}

/** Ends it gently. */
export async function ended(child) {
  child.kill("SIGTERM");
  await once(child, "close");
}

/** Processor time that a process, and the programs that it ran to their end, have used, in seconds; Linux counts it in hundredths. */
export function cpuSeconds(pid) {
  const stat = fs.readFileSync(`/proc/${pid}/stat`, "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
}
