/** Ends the processes of one user's home: those whose environment names it, whoever started them. */
import fs from "node:fs";
import { until } from "../rig/scratch.ts";

/** The processes that have this home, by their environment. */
function living(home: string): number[] {
  const own = `HOME=${home}`;
  return fs.readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return [];
    try {
      return fs.readFileSync(`/proc/${name}/environ`, "utf8").split("\0").includes(own) ? [Number(name)] : [];
    } catch {
      // It has ended, or is another user's.
      return [];
    }
  });
}

/** Kills them, and waits until none is left. */
export async function endProcesses(home: string): Promise<void> {
  await until("every process of the stage has ended", () => {
    const left = living(home);
    for (const pid of left) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It was faster.
      }
    }
    return left.length === 0;
  });
}
