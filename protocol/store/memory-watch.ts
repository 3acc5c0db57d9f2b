/** Ends a process that takes more memory than it may: git gathers all that one commit changed before it prints a line of it. */
import { execFile } from "node:child_process";
import fs from "node:fs";

const LOOK_MS = 100;

/** Looks at a process until it is told to stop, and says once that it has more memory of its own than so many bytes. @returns what stops it */
export function watchMemory(pid: number, mostBytes: number, onOver: () => void): () => void {
  let isLooking = true;
  const look = async (): Promise<void> => {
    if (!isLooking) return;
    const bytes = await memoryOf(pid);
    if (!isLooking) return;
    if (bytes !== null && bytes > mostBytes) {
      isLooking = false;
      onOver();
    } else setTimeout(look, LOOK_MS).unref();
  };
  setTimeout(look, LOOK_MS).unref();
  return () => {
    isLooking = false;
  };
}

/** What a process has for itself alone, in bytes; null where that cannot be known. Files that it maps are not its own. */
async function memoryOf(pid: number): Promise<number | null> {
  try {
    const kilobytes = /^RssAnon:\s+(\d+) kB$/m.exec(fs.readFileSync(`/proc/${pid}/status`, "latin1"))?.[1];
    return kilobytes === undefined ? null : Number(kilobytes) * 1_024;
  } catch {
    // Where there is no /proc, `ps` knows.
    return new Promise((resolve) => {
      execFile("ps", ["-o", "rss=", "-p", String(pid)], (error, out) => resolve(error === null ? Number(out.trim()) * 1_024 : null));
    });
  }
}
