/** Recorders that commands left: processes that a test waits for, or ends. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { orElse } from "../../protocol/core/format/file-error.ts";
import { wordsOf } from "../../protocol/store/process.ts";

const recorders = (): { pid: number; home: string }[] =>
  orElse([] as string[], () => fs.readdirSync("/proc")).flatMap((name) => {
    const words = /^\d+$/.test(name) ? wordsOf(Number(name)) : [];
    return words[2] === "recorder" ? [{ pid: Number(name), home: words[4] ?? "" }] : [];
  });

/** The process ids of the recorders of the homes below a folder. */
export const recordersOf = (folder: string): number[] => recorders().flatMap(({ pid, home }) => (home.startsWith(folder) ? [pid] : []));

/** Ends the recorders that tests of this process left, and names their homes. */
export function leftRecorders(): string[] {
  const mine = `XDG_STATE_HOME=${path.join(os.tmpdir(), `relay-state-${process.pid}-`)}`;
  const left = recorders().filter(({ pid }) => orElse("", () => fs.readFileSync(`/proc/${pid}/environ`, "utf8")).includes(mine));
  for (const { pid } of left) orElse(false, () => process.kill(pid, "SIGKILL"));
  return left.map(({ home }) => home);
}
