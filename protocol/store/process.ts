/**
 * Which process is which, and whether it lives: process id, start time, boot id and pid namespace together. A process
 * id alone is used again, and the time of a file says nothing about its writer. SPEC.md, "Processes".
 */
import { execFile } from "node:child_process";
import fs from "node:fs";
import { orElse } from "../core/format/file-error.ts";

/** What is known of another process: `unknown` where it cannot be seen, as in another container, or on another machine. */
export type Life = "alive" | "gone" | "unknown";

let own: string | null = null;
let thread: string | null = null;

/** The start of a process of which no system said it. */
const UNSAID = "0";

/** This process as `pid-start-boot-namespace`, in characters that a file name may have. The start is `0` where the system does not say it. */
export function thisProcess(): string {
  own ??= processOf(process.pid) ?? `${process.pid}-${UNSAID}-${bootId()}-${namespaceId()}`;
  return own;
}

/** Another process as `thisProcess` would describe itself; null when it is not there. */
export function processOf(pid: number): string | null {
  const start = startOf(pid);
  return start === null ? null : `${pid}-${start}-${bootId()}-${namespaceId()}`;
}

/** Programs that only start others: an agent's hook may run in one. */
const SHELLS = /^-?(sh|bash|dash|zsh|ksh|fish|busybox|cmd\.exe|powershell|pwsh)$/;

/** The process that this one was started for: its parent, or what is above the shells between. Null where it cannot be told. */
export function startedFor(): string | null {
  const pid = starter();
  return pid <= 1 ? null : processOf(pid);
}

/** The words that the process was started with that this one was started for; none where it cannot be told. */
export const startedByWords = (): string[] => wordsOf(starter());

/** The words that a process was started with; none where it is gone, or it cannot be told. */
export function wordsOf(pid: number): string[] {
  return orElse([], () => {
    if (process.platform === "linux") return fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    const { execFileSync } = process.getBuiltinModule("node:child_process");
    return execFileSync("/bin/ps", ["-o", "args=", "-p", String(pid)], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).split(
      /\s+/,
    );
  });
}

/**
 * The command lines of the processes of this user that work in a folder.
 * @param folder absolute path
 * @returns null where the system does not say where processes work
 */
export function workingIn(folder: string): string[][] | null {
  if (process.platform !== "linux") return null;
  return fs.readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name) || orElse("", () => fs.readlinkSync(`/proc/${name}/cwd`)) !== folder) return [];
    return [wordsOf(Number(name))];
  });
}

/** A process, and the group that it is in. */
interface Member {
  pid: number;
  group: number;
}

/** Lists the processes that began with a variable in their environment, of this user at least; none where the system does not say it. */
export function processesWith(name: string, value: string): Member[] {
  const entry = `${name}=${value}`;
  if (process.platform === "linux")
    return orElse([] as string[], () => fs.readdirSync("/proc")).flatMap((pid) =>
      orElse([] as Member[], () => {
        if (!/^\d+$/.test(pid) || !fs.readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(entry)) return [];
        const told = fs.readFileSync(`/proc/${pid}/stat`, "latin1");
        return [{ pid: Number(pid), group: Number(told.slice(told.lastIndexOf(")") + 2).split(" ")[2]) }];
      }),
    );
  return orElse([] as Member[], () => {
    const { execFileSync } = process.getBuiltinModule("node:child_process");
    // It prints the environment after the words.
    const told = execFileSync("/bin/ps", ["-axEww", "-o", "pid=,pgid=,command="], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    return told.split("\n").flatMap((line) => {
      const [pid, group, ...words] = line.trim().split(/\s+/);
      return words.includes(entry) ? { pid: Number(pid), group: Number(group) } : [];
    });
  });
}

function starter(): number {
  let pid = process.ppid;
  for (let steps = 0; steps < 8; steps += 1) {
    const above = parentOf(pid);
    if (above === null || !SHELLS.test(above.name)) break;
    pid = above.parent;
  }
  return pid;
}

/** Processes above a process that are looked at. */
const DEPTH = 40;

/** The first process above another one, itself among them, whose parent has a name; null where there is none, or it cannot be told. */
export function childOf(pid: number, name: RegExp): number | null {
  for (let at = pid, depth = 0; at > 1 && depth < DEPTH; depth += 1) {
    const parent = parentOf(at)?.parent ?? 0;
    if (parent > 1 && name.test(parentOf(parent)?.name ?? "")) return at;
    at = parent;
  }
  return null;
}

/** The name of a process and who started it. */
function parentOf(pid: number): { name: string; parent: number } | null {
  return orElse(null, () => {
    if (process.platform === "linux") {
      const stat = fs.readFileSync(`/proc/${pid}/stat`, "latin1");
      const end = stat.lastIndexOf(")");
      return { name: stat.slice(stat.indexOf("(") + 1, end), parent: Number(stat.slice(end + 2).split(" ")[1]) };
    }
    const { execFileSync } = process.getBuiltinModule("node:child_process");
    const told = execFileSync("/bin/ps", ["-o", "ppid=,comm=", "-p", String(pid)], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    const [, parent, program] = /^\s*(\d+)\s+(.*)$/.exec(told.trim()) as RegExpExecArray;
    return { name: (program as string).split("/").at(-1) as string, parent: Number(parent) };
  });
}

/** This thread of this process, in characters that a file name may have: what starts the name of a file written aside. */
export function thisThread(): string {
  thread ??= `${thisProcess()}-${process.getBuiltinModule("node:worker_threads").threadId}`;
  return thread;
}

/** Whether the process that `thisProcess` described still lives. */
export function lifeOf(description: string): Life {
  if (description === thisProcess()) return "alive";
  const [pid, start, boot, namespace] = description.split("-");
  if (pid === undefined || start === undefined || !/^\d+$/.test(pid)) return "unknown";
  // Another boot may be this machine's last one, or another machine that works on the same disk: only time can tell.
  if (boot !== bootId() || namespace !== namespaceId()) return "unknown";
  if (process.platform === "linux" && start !== UNSAID) return lifeOnLinux(description, pid, start);
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return "gone";
  }
  // Whoever could not ask for its own start wrote none: the process that has the number now may be it, or another.
  if (start === UNSAID && process.platform !== "win32") return "unknown";
  const started = startOf(Number(pid));
  return started === null || started === start ? "alive" : "gone";
}

/** What the system tells of processes that lived when they were asked for last, by description: kept open, the oldest first. */
const statsOpen = new Map<string, number>();
/** So many are kept open. */
const OPEN = 32;
const stat = Buffer.alloc(1_024);

/**
 * The same where the system has a file of each process. It is opened once: what is open is of that very process, whoever has its number
 * by now, and every call of every operation asks for those that write beside it.
 */
function lifeOnLinux(description: string, pid: string, start: string): Life {
  const known = statsOpen.get(description);
  let descriptor = known;
  try {
    descriptor ??= fs.openSync(`/proc/${pid}/stat`, "r");
  } catch (error) {
    // A process that has too many files open cannot ask: that says nothing of the other one.
    return ["ENOENT", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "") ? "gone" : "unknown";
  }
  const started = orElse(null, () => startIn(stat.toString("latin1", 0, fs.readSync(descriptor, stat, 0, stat.length, 0))));
  if (started !== start) {
    statsOpen.delete(description);
    fs.closeSync(descriptor);
    return "gone";
  }
  if (known !== undefined) return "alive";
  statsOpen.set(description, descriptor);
  const [oldest] = statsOpen;
  if (statsOpen.size > OPEN && oldest !== undefined) {
    statsOpen.delete(oldest[0]);
    fs.closeSync(oldest[1]);
  }
  return "alive";
}

/** The start in what the system tells of a process; null of a zombie. The name in the second field may hold spaces and brackets, so count from the last one. */
function startIn(told: string): string | null {
  const fields = told.slice(told.lastIndexOf(")") + 2).split(" ");
  return fields[0] === "Z" || fields[0] === "X" ? null : (fields[19] ?? null);
}

/** When a process started, in the system's own words; null when it is not there, or is a zombie. */
function startOf(pid: number): string | null {
  if (process.platform === "linux") {
    return orElse(null, () => startIn(fs.readFileSync(`/proc/${pid}/stat`, "latin1")));
  }
  if (process.platform === "win32") return UNSAID;
  return orElse(null, () => {
    const { execFileSync } = process.getBuiltinModule("node:child_process");
    const text = execFileSync("/bin/ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    const at = Date.parse(text.trim());
    return Number.isNaN(at) ? null : String(at / 1000);
  });
}

let boot: string | null = null;
function bootId(): string {
  if (boot !== null) return boot;
  try {
    boot = fs.readFileSync("/proc/sys/kernel/random/boot_id", "latin1").slice(0, 8);
  } catch {
    boot = "0";
  }
  return boot;
}

let namespace: string | null = null;
function namespaceId(): string {
  if (namespace !== null) return namespace;
  try {
    namespace = fs.readlinkSync("/proc/self/ns/pid").replace(/\D/g, "");
  } catch {
    namespace = "0";
  }
  return namespace;
}

const MEASURE_MS = 100;

/** Measures a process until it is told to stop, and says once that it has more memory of its own than so many bytes. @returns what stops it */
export function watchMemory(pid: number, mostBytes: number, onOver: () => void): () => void {
  let isWatching = true;
  const measure = async (): Promise<void> => {
    if (!isWatching) return;
    const bytes = await memoryOf(pid);
    if (!isWatching) return;
    if (bytes !== null && bytes > mostBytes) {
      isWatching = false;
      onOver();
    } else setTimeout(measure, MEASURE_MS).unref();
  };
  setTimeout(measure, MEASURE_MS).unref();
  return () => {
    isWatching = false;
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
      execFile("/bin/ps", ["-o", "rss=", "-p", String(pid)], (error, out) => resolve(error === null ? Number(out.trim()) * 1_024 : null));
    });
  }
}
