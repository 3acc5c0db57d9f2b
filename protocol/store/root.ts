/** The home as a place on the disk: paths in it, what lies inside of it, and the errors that a disk gives. SPEC.md, "Rules of the disk". */
import fs from "node:fs";
import path from "node:path";
import { refuse } from "../refusal.ts";

/** An open home. Paths given with it are relative to `root`, with `/`. */
export interface Store {
  /** Absolute real path of the home. */
  readonly root: string;
  /** Whether an answer waits until the disk has it. */
  durable: boolean;
  /** Folders seen to lie inside the home during this call. */
  readonly checked: Set<string>;
  /** Folders that were passed over during this call because they lead out of the home. */
  readonly skipped: Set<string>;
  /** A holder of a lock that is silent for this long is taken for dead. */
  lockStaleMs: number;
}

/** A process may be suspended, or wait for a slow disk, for some while without losing its lock. */
const LOCK_STALE_MS = 30_000;

/** Opens a home by its path. */
export function openStore(root: string): Store {
  return { root: fs.realpathSync.native(root), durable: true, checked: new Set(), skipped: new Set(), lockStaleMs: LOCK_STALE_MS };
}

/** The code of a system error (`ENOENT`), or null. */
export function errorCode(error: unknown): string | null {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : null;
}

/** The absolute path of a path in the home. The caller has checked every id in it. */
export function absolute(store: Store, relative: string): string {
  return path.join(store.root, relative);
}

/**
 * Refuses a folder whose real path lies outside the home. A folder that is not there yet is judged by its nearest ancestor.
 * @throws Refusal `outside_home`
 */
export function guard(store: Store, folder: string): void {
  if (store.checked.has(folder)) return;
  let at = absolute(store, folder);
  for (;;) {
    try {
      const real = fs.realpathSync.native(at);
      if (real !== store.root && !real.startsWith(store.root + path.sep)) throw refuse("outside_home", { path: folder });
      break;
    } catch (error) {
      if (errorCode(error) === "ELOOP") throw refuse("outside_home", { path: folder });
      if (!["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "")) throw error;
      if (isLink(at)) throw refuse("outside_home", { path: folder });
      at = path.dirname(at);
    }
  }
  if (at === absolute(store, folder)) store.checked.add(folder);
}

function isLink(at: string): boolean {
  try {
    return fs.lstatSync(at).isSymbolicLink();
  } catch {
    return false;
  }
}

/** Turns an error of the disk into its refusal; anything else comes back as it is. */
export function diskRefusal(error: unknown, root: string | null): unknown {
  const code = errorCode(error);
  const at = error instanceof Error && "path" in error && typeof error.path === "string" ? error.path : "the home";
  const shown = root !== null && at.startsWith(root) ? at.slice(root.length + 1) || "the home" : at;
  switch (code) {
    case "ENOSPC":
    case "EDQUOT":
      return refuse("disk_full", { path: shown });
    case "EROFS":
      return refuse("not_writable", { path: shown, reason: "the file system is read-only" });
    case "EACCES":
    case "EPERM":
      return refuse("not_writable", { path: shown, reason: "permission denied" });
    case "EIO":
    case "EMFILE":
    case "ENFILE":
    case "ENOTDIR":
    case "ENAMETOOLONG":
    case "ELOOP":
    case "EISDIR":
    case "EEXIST":
    case "ENOENT":
      return refuse("disk_error", { path: shown, reason: (error as Error).message });
    default:
      return error;
  }
}
