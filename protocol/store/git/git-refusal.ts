/** Errors of git as refusals. */
import { type Refusal, refuse } from "../../refusal.ts";

/** What git says of the disk is told as every disk's refusal is. */
export function gitRefusal(folder: string, args: readonly string[], reason: string): Refusal {
  return refusalOfDisk(folder, reason) ?? refuse("git_failed", { command: `git ${withoutOptions(args).slice(0, 3).join(" ")}`, reason });
}

/** The refusal where git says that the disk would not have it; null where it says something else. */
export function refusalOfDisk(folder: string, reason: string): Refusal | null {
  if (/No space left on device|Disk quota exceeded|Out of diskspace/.test(reason)) return refuse("disk_full", { path: folder });
  if (reason.includes("Read-only file system")) return refuse("not_writable", { path: folder, reason: "the file system is read-only" });
  return null;
}

/** A command of git without the options that go before it. */
function withoutOptions([first = "", ...rest]: readonly string[]): readonly string[] {
  if (!first.startsWith("-")) return [first, ...rest];
  return withoutOptions(first === "-c" ? rest.slice(1) : rest);
}
