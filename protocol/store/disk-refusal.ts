/** Turns the errors that a disk gives into refusals. */
import fs from "node:fs";
import path from "node:path";
import { refuse } from "../core/refusal.ts";
import { errorCode } from "./root.ts";

/**
 * System errors that Node has no name for on some machines ("Unknown system error -122"), by their numbers: over quota, and a
 * handle that a network disk dropped, on Linux and on macOS.
 */
const UNNAMED: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  linux: { 116: "ESTALE", 122: "EDQUOT" },
  darwin: { 69: "EDQUOT", 70: "ESTALE" },
};
/** Calls that are not the disk's: what fails there is told by its caller. */
const ELSEWHERE = /^(spawn|connect|listen|bind|accept|kill|getaddrinfo|queryA|uv_|setRawMode)/;

/** Calls that only look, or read. */
const READS = /^(scandir|opendir|lstat|stat|fstat|realpath|readlink|read|access)$/;

/** The name of a system error (`ENOSPC`), also of one that Node knows only by its number; null of any other error. */
function systemError(error: unknown): string | null {
  if (!(error instanceof Error) || !("syscall" in error) || typeof error.syscall !== "string" || ELSEWHERE.test(error.syscall)) return null;
  const number = "errno" in error && typeof error.errno === "number" ? Math.abs(error.errno) : 0;
  return UNNAMED[process.platform]?.[number] ?? errorCode(error);
}

/**
 * Turns an error of the disk into its refusal; anything else comes back as it is. Every error that a call of the disk gives
 * is one of the disk: a list of codes would miss the next network file system.
 */
export function diskRefusal(error: unknown, root: string | null): unknown {
  const code = systemError(error) ?? errorCode(error);
  const at = error instanceof Error && "path" in error && typeof error.path === "string" ? error.path : "the home";
  const shown = root !== null && at.startsWith(root) ? at.slice(root.length + 1) || "the home" : at;
  switch (code) {
    case "ENOTDIR": {
      const file = fileInTheWay(error);
      if (file !== null) return refuse("not_a_folder", { path: root === null ? file : path.relative(root, file) });
      break;
    }
    case "ENOSPC":
    case "EDQUOT":
      return refuse("disk_full", { path: shown });
    case "EROFS":
      return refuse("not_writable", { path: shown, reason: "the file system is read-only" });
    case "EACCES":
    case "EPERM":
      if (READS.test((error as NodeJS.ErrnoException).syscall ?? "") || isClosed(at)) return refuse("not_readable", { path: shown });
      return refuse("not_writable", { path: shown, reason: "permission denied" });
  }
  return systemError(error) === null ? error : refuse("disk_error", { path: shown, reason: reasonOf(code, (error as Error).message) });
}

/** Whether a file may not even be read, or nothing in its folder be looked at: an error of its opening does not say what it was opened for. */
function isClosed(at: string): boolean {
  try {
    fs.accessSync(at, fs.constants.R_OK);
    return false;
  } catch (error) {
    return ["EACCES", "EPERM"].includes(errorCode(error) ?? "");
  }
}

/** The file that lies where a folder of a path must be; null where there is none any more. @param error one of the disk, with its paths */
function fileInTheWay(error: unknown): string | null {
  const { path: from, dest } = error as { path?: unknown; dest?: unknown };
  for (const named of [from, dest])
    for (let at = typeof named === "string" ? named : ""; at !== path.dirname(at) && at !== ""; at = path.dirname(at))
      try {
        if (!fs.statSync(path.dirname(at)).isDirectory()) return path.dirname(at);
        break;
      } catch {
        // The file is farther up.
      }
  return null;
}

/** What people call errors that their own message leaves unclear. */
function reasonOf(code: string | null, message: string): string {
  if (code === "EFBIG") return "the file would be larger than this user's processes may write (ulimit -f)";
  if (code === "ESTALE") return "the network disk dropped the file; try again, or mount it anew";
  return message;
}
