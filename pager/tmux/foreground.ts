/** Which programs have a terminal's keyboard: whether an agent is there at all, or only a shell. */
import { execFile } from "node:child_process";
import fs from "node:fs";
import { withOwnPath } from "../../protocol/store/program.ts";

/** A process with the names it may be known by: its own, and its script's without the ending. */
export interface Program {
  pid: number;
  names: string[];
}

/** The programs in the foreground of a pane whose first process is given. Empty when that is gone. */
export async function foreground(panePid: number): Promise<Program[]> {
  return process.platform === "linux" ? fromProc(panePid) : fromPs(panePid);
}

/** The fields of a process's line in /proc that follow its name: state, parent, group, session, terminal, foreground group. */
export function statOf(pid: number | string): string[] | null {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return null;
  }
}

function fromProc(panePid: number): Program[] {
  const own = statOf(panePid);
  if (own === null) return [];
  const [terminal, group] = [own[4], own[5]];
  return familyOf(panePid).flatMap((name) => {
    const stat = statOf(name);
    if (stat === null || stat[0] === "Z" || stat[4] !== terminal || stat[2] !== group) return [];
    try {
      const [comm, line] = [fs.readFileSync(`/proc/${name}/comm`, "utf8"), fs.readFileSync(`/proc/${name}/cmdline`, "utf8")];
      return [{ pid: Number(name), names: namesOf(comm.trim(), line.split("\0")) }];
    } catch {
      return [];
    }
  });
}

/** A process and all below it; where the kernel does not tell children, all processes. */
function familyOf(pid: number): string[] {
  const family = [String(pid)];
  try {
    // The list grows while it is walked.
    for (const each of family) {
      for (const thread of threadsOf(each)) {
        const children = fs.readFileSync(`/proc/${each}/task/${thread}/children`, "latin1");
        family.push(...children.split(" ").filter((child) => child !== ""));
      }
    }
    return family;
  } catch {
    return fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  }
}

/** The threads of a process; none when it is gone. */
function threadsOf(pid: string): string[] {
  try {
    return fs.readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** Where there is no /proc: `ps`, asked once. */
function fromPs(panePid: number): Promise<Program[]> {
  return new Promise((resolve) => {
    execFile("ps", ["-A", "-o", "pid=,pgid=,tpgid=,tty=,args="], { timeout: 5_000, env: withOwnPath(process.env) }, (error, stdout) => {
      if (error !== null) return resolve([]);
      const all = stdout.split("\n").flatMap((line) => {
        const match = /^\s*(\d+)\s+(\d+)\s+(-?\d+)\s+(\S+)\s+(.*)$/.exec(line);
        return match === null ? [] : [match.slice(1) as [string, string, string, string, string]];
      });
      const own = all.find(([pid]) => Number(pid) === panePid);
      const there = all.filter(([, group, , tty]) => tty === own?.[3] && group === own?.[2]);
      return resolve(there.map(([pid, , , , args]) => ({ pid: Number(pid), names: namesOf("", args.split(" ")) })));
    });
  });
}

/** Programs that run another's script: then the script's name counts, and theirs does not. */
const RUNNERS = /^(node|bun|deno|python[\d.]*|npx|env)$/;

/** The names of a process: as the system knows it, as it was called, and of the script it runs. */
export function namesOf(comm: string, words: readonly string[]): string[] {
  const base = (word: string | undefined): string => (word ?? "").split("/").pop()?.replace(/^-/, "") ?? "";
  const called = base(words[0]);
  const script = RUNNERS.test(called) ? base(words.slice(1).find((word) => word !== "" && !word.startsWith("-"))) : "";
  const plain = script.replace(/\.(?:[cm]?[jt]s|py)$/, "");
  const names = script === "" ? [comm, called] : [plain, ...(RUNNERS.test(comm) || comm === "MainThread" ? [] : [comm])];
  return [...new Set(names.filter((name) => name !== ""))];
}
