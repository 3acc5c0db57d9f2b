/**
 * How bytes reach the disk. Knows no noun.
 *
 * A file appears whole: it is written aside, flushed, and then linked to its name. `link` and not `rename`, because
 * `rename` silently replaces what is there, and `link` lets exactly one of two contenders have the name. The calls are
 * synchronous: for small files they are several times faster than the asynchronous ones. SPEC.md, "Rules of the disk".
 */
import fs from "node:fs";
import path from "node:path";
import { Refusal, refuse } from "../refusal.ts";
import { thisThread } from "./process.ts";

/** An open home. Paths given with it are relative to `root`, with `/`. */
export interface Store {
  /** Absolute real path of the home. */
  readonly root: string;
  /** Whether an answer waits until the disk has it. */
  durable: boolean;
  /** Folders seen to lie inside the home during this operation. */
  readonly checked: Set<string>;
  /** Folders that were passed over during this operation because they lead out of the home. */
  readonly skipped: Set<string>;
  /** A holder of a lock that is silent for this long is taken for dead. */
  lockStaleMs: number;
}

/** A process may be suspended, or wait for a slow disk, for some while without losing its lock. */
const LOCK_STALE_MS = 30_000;
/** Files written aside are kept here until they have their name. */
const ASIDE = "run/tmp";
let counter = 0;

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
function guard(store: Store, folder: string): void {
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

/** Makes a folder and those above it, and flushes each that grew. */
export function makeFolder(store: Store, folder: string): void {
  if (store.checked.has(folder)) return;
  guard(store, folder);
  const made = makeAt(absolute(store, folder));
  guard(store, folder);
  if (made === undefined || !store.durable) return;
  for (let at = absolute(store, folder); at.length >= made.length; at = path.dirname(at)) flushAt(path.dirname(at));
}

/**
 * Makes a folder and those above it, by its absolute path. Node's own `recursive` tells a read-only disk as a missing folder.
 * @returns the topmost that was made
 */
export function makeAt(folder: string): string | undefined {
  try {
    fs.mkdirSync(folder);
    return folder;
  } catch (error) {
    if (errorCode(error) === "EEXIST" && fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return undefined;
    if (errorCode(error) !== "ENOENT") throw error;
  }
  const above = makeAt(path.dirname(folder));
  return [above, makeAt(folder)].find((made) => made !== undefined);
}

/** Flushes a folder, so that the names in it outlive a loss of power. */
export function flushFolder(store: Store, folder: string): void {
  if (store.durable) flushAt(absolute(store, folder));
}

function flushAt(folder: string): void {
  let descriptor: number;
  try {
    descriptor = fs.openSync(folder, "r");
  } catch (error) {
    // Windows cannot open a folder; there the file's own flush has to do.
    if (["EISDIR", "EPERM", "EACCES"].includes(errorCode(error) ?? "")) return;
    throw error;
  }
  try {
    fs.fsyncSync(descriptor);
  } catch (error) {
    if (!["EINVAL", "EPERM", "ENOTSUP"].includes(errorCode(error) ?? "")) throw error;
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Writes a whole file under a name of its own, flushed, and gives its path. A process id alone would collide across containers and threads. */
function writeAside(store: Store, content: string | Uint8Array): string {
  makeFolder(store, ASIDE);
  counter += 1;
  const aside = path.join(store.root, ASIDE, `${thisThread()}.${counter}`);
  const descriptor = fs.openSync(aside, "wx", 0o666);
  try {
    fs.writeFileSync(descriptor, content);
    if (store.durable) fs.fsyncSync(descriptor);
  } catch (error) {
    fs.closeSync(descriptor);
    unlinkQuietly(aside);
    throw error;
  }
  fs.closeSync(descriptor);
  return aside;
}

function unlinkQuietly(at: string): void {
  try {
    fs.unlinkSync(at);
  } catch {
    // What is left in run/tmp is disposable.
  }
}

/**
 * Gives a finished file its name, if nobody has it yet: the commit point of everything that two must not both win.
 * @returns `exists` when the name is taken; the file that has it is untouched.
 */
export function publish(store: Store, target: string, content: string | Uint8Array): "created" | "exists" {
  const folder = path.posix.dirname(target);
  makeFolder(store, folder);
  const aside = writeAside(store, content);
  try {
    const result = linkInto(store, aside, target);
    if (result === "created") settle(() => flushFolder(store, folder));
    return result;
  } finally {
    unlinkQuietly(aside);
  }
}

/** After the name is there the file is published; what fails then (a flush, a clean-up) must not be told as a failure. */
export function settle(step: () => void): void {
  try {
    step();
  } catch {
    // Published all the same.
  }
}

/** Puts a finished file under a name that only this process uses; an earlier file of that name is replaced. */
export function place(store: Store, target: string, content: string | Uint8Array): void {
  const folder = path.posix.dirname(target);
  makeFolder(store, folder);
  const aside = writeAside(store, content);
  try {
    fs.renameSync(aside, absolute(store, target));
  } catch (error) {
    unlinkQuietly(aside);
    throw error;
  }
  flushFolder(store, folder);
}

/**
 * Links a file to a second name.
 * @returns `exists` when the name is taken, `missing` when the source is gone.
 */
export function linkFile(store: Store, source: string, target: string): "created" | "exists" | "missing" {
  makeFolder(store, path.posix.dirname(target));
  try {
    return linkInto(store, absolute(store, source), target);
  } catch (error) {
    if (errorCode(error) === "ENOENT" && !fs.existsSync(absolute(store, source))) return "missing";
    throw error;
  }
}

/** Links to a name in the home; when its folder was renamed or removed since it was checked, makes it again first. */
function linkInto(store: Store, source: string, target: string): "created" | "exists" {
  try {
    return linkAt(source, absolute(store, target));
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    store.checked.clear();
    makeFolder(store, path.posix.dirname(target));
    return linkAt(source, absolute(store, target));
  }
}

/** File systems without hard links (FAT, some network mounts) answer with one of these. */
const NO_LINKS = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EXDEV"]);

function linkAt(source: string, target: string): "created" | "exists" {
  try {
    fs.linkSync(source, target);
    return "created";
  } catch (error) {
    if (errorCode(error) === "EEXIST") return "exists";
    if (!NO_LINKS.has(errorCode(error) ?? "")) throw error;
  }
  return copyExclusively(source, target);
}

/** Without hard links: reserve the name by an exclusive create, then move a whole copy over the reservation. */
function copyExclusively(source: string, target: string): "created" | "exists" {
  counter += 1;
  // Dotted, and this process's own: nobody reads it, and no other copies to it.
  const copy = path.join(path.dirname(source), `.copy.${thisThread()}.${counter}`);
  fs.copyFileSync(source, copy);
  try {
    fs.closeSync(fs.openSync(target, "wx"));
  } catch (error) {
    unlinkQuietly(copy);
    if (errorCode(error) === "EEXIST") return "exists";
    throw error;
  }
  fs.renameSync(copy, target);
  return "created";
}

/** Moves a file, replacing what has the name. @returns false when the source is gone: somebody moved it already. */
export function moveFile(store: Store, source: string, target: string): boolean {
  makeFolder(store, path.posix.dirname(target));
  try {
    fs.renameSync(absolute(store, source), absolute(store, target));
    return true;
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
  if (!exists(store, source)) return false;
  // The folder it goes to was renamed or removed since it was checked.
  store.checked.clear();
  makeFolder(store, path.posix.dirname(target));
  fs.renameSync(absolute(store, source), absolute(store, target));
  return true;
}

/** Removes one name of a file. @returns false when it was gone already. */
export function removeFile(store: Store, target: string): boolean {
  guard(store, path.posix.dirname(target));
  try {
    fs.unlinkSync(absolute(store, target));
    return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    throw error;
  }
}

/** Removes a folder when it is empty; otherwise does nothing. */
export function removeEmptyFolder(store: Store, folder: string): void {
  try {
    fs.rmdirSync(absolute(store, folder));
    store.checked.delete(folder);
  } catch (error) {
    if (!["ENOENT", "ENOTEMPTY", "EEXIST"].includes(errorCode(error) ?? "")) throw error;
  }
}

/** Whether a name is there, whatever it names; a dangling link counts. */
export function exists(store: Store, target: string): boolean {
  return fs.lstatSync(absolute(store, target), { throwIfNoEntry: false }) !== undefined;
}

/** What a file is, without reading it; null when it is not there. `modifiedMs` is the time of the last change. */
export interface FileFacts {
  kind: "file" | "folder" | "link" | "other";
  size: number;
  inode: number;
  modifiedMs: number;
}

/** Looks at a name without following a link. */
export function facts(store: Store, target: string): FileFacts | null {
  const stat = fs.lstatSync(absolute(store, target), { throwIfNoEntry: false });
  if (stat === undefined) return null;
  const kind = stat.isFile() ? "file" : stat.isDirectory() ? "folder" : stat.isSymbolicLink() ? "link" : "other";
  return { kind, size: stat.size, inode: stat.ino, modifiedMs: stat.mtimeMs };
}

/** A file could not be taken as text: it is too large, not a plain file, or not UTF-8. */
export class ContentError extends Error {
  /** Path in the home. */
  readonly path: string;
  constructor(path: string, problem: string) {
    super(problem);
    this.name = "ContentError";
    this.path = path;
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Reads a text file of the home whole; null when it is not there.
 * Size and kind are looked at before a byte is read: a FIFO would block for ever, a huge file cannot be a text.
 * @param limit bytes at the most
 * @throws ContentError; Refusal `outside_home`
 */
export function readText(store: Store, target: string, limit: number): string | null {
  guard(store, path.posix.dirname(target));
  const stat = fs.lstatSync(absolute(store, target), { throwIfNoEntry: false });
  if (stat === undefined) return null;
  if (!stat.isFile()) {
    throw new ContentError(
      target,
      `expected a plain file, it is ${stat.isDirectory() ? "a folder" : stat.isSymbolicLink() ? "a link" : "a device or pipe"}`,
    );
  }
  if (stat.size > limit) throw new ContentError(target, `expected at most ${limit} bytes, it has ${stat.size}`);
  let bytes: Buffer;
  try {
    bytes = fs.readFileSync(absolute(store, target));
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null;
    throw error;
  }
  try {
    return decoder.decode(bytes);
  } catch {
    throw new ContentError(target, "expected UTF-8 text, it has other bytes");
  }
}

/** One buffer for all large files that are read to be looked through: a fresh one for each would swell the process. */
let shared = Buffer.alloc(0);

/**
 * As `readText`, for a file that was listed just now as plain and of a size: where every file of a home is read, half of
 * the calls are spared. One that changed since is read as `readText` does.
 */
export function readListed(store: Store, target: string, size: number): string | null {
  guard(store, path.posix.dirname(target));
  if (shared.length <= size) shared = Buffer.allocUnsafeSlow(size + 65_536);
  let length = -1;
  try {
    const descriptor = fs.openSync(
      absolute(store, target),
      fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0),
    );
    try {
      length = fs.readSync(descriptor, shared, 0, size + 1, 0);
    } finally {
      fs.closeSync(descriptor);
    }
  } catch (error) {
    if (!["ENOENT", "ELOOP", "EISDIR"].includes(errorCode(error) ?? "")) throw error;
  }
  if (length !== size) return readText(store, target, Number.POSITIVE_INFINITY);
  try {
    return decoder.decode(shared.subarray(0, size));
  } catch {
    throw new ContentError(target, "expected UTF-8 text, it has other bytes");
  }
}

/** The bytes of a disposable file; null when it cannot be read, whatever the reason. They hold only until the next call. */
export function readBytes(store: Store, target: string): Buffer | null {
  try {
    const fact = facts(store, target);
    if (fact === null || fact.kind !== "file") return null;
    guard(store, path.posix.dirname(target));
    if (shared.length < fact.size) shared = Buffer.allocUnsafeSlow(fact.size);
    const descriptor = fs.openSync(absolute(store, target), "r");
    try {
      return shared.subarray(0, fs.readSync(descriptor, shared, 0, fact.size, 0));
    } finally {
      fs.closeSync(descriptor);
    }
  } catch {
    return null;
  }
}

/**
 * Reads a file that only grows from a byte on, up to its last whole line.
 * @returns the lines, and the byte at which to go on; nothing new when the file is not there
 */
export function readLines(store: Store, target: string, from: number): { lines: string[]; next: number } {
  const fact = facts(store, target);
  if (fact === null || fact.kind !== "file" || fact.size <= from) return { lines: [], next: from };
  guard(store, path.posix.dirname(target));
  const descriptor = fs.openSync(absolute(store, target), "r");
  try {
    const bytes = Buffer.alloc(fact.size - from);
    const whole = bytes.subarray(0, fs.readSync(descriptor, bytes, 0, bytes.length, from));
    const end = whole.lastIndexOf(0x0a) + 1;
    const lines = whole.subarray(0, end).toString("utf8").split("\n").slice(0, -1);
    return { lines, next: from + end };
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Whether a folder may be listed; one that leads out of the home is passed over and noted, so that the others are served. */
function mayList(store: Store, folder: string): boolean {
  try {
    guard(store, folder);
    return true;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    store.skipped.add(folder);
    return false;
  }
}

/** The names in a folder, in no order; none when it is not there, or leads out of the home (`skipped`). */
export function names(store: Store, folder: string): string[] {
  if (!mayList(store, folder)) return [];
  try {
    return fs.readdirSync(absolute(store, folder));
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "")) return [];
    throw error;
  }
}

/** The names in a folder with whether each is a folder itself; links count as neither. None as `names` says. */
export function entries(store: Store, folder: string): { name: string; kind: FileFacts["kind"] }[] {
  if (!mayList(store, folder)) return [];
  try {
    return fs.readdirSync(absolute(store, folder), { withFileTypes: true }).map((entry) => {
      const kind = entry.isDirectory() ? "folder" : entry.isFile() ? "file" : entry.isSymbolicLink() ? "link" : "other";
      // A real folder inside of one that was checked leads nowhere else.
      if (kind === "folder") store.checked.add(`${folder}/${entry.name}`);
      return { name: entry.name, kind };
    });
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "")) return [];
    throw error;
  }
}

/**
 * Appends one whole line. A torn tail (a writer died in the middle) is closed by a line break first, so that it costs
 * one line and never two.
 * @param flush whether to wait for the disk, where the home is durable at all
 */
export function appendLine(store: Store, target: string, text: string, flush: boolean): void {
  makeFolder(store, path.posix.dirname(target));
  const descriptor = fs.openSync(
    absolute(store, target),
    fs.constants.O_RDWR | fs.constants.O_APPEND | fs.constants.O_CREAT | (fs.constants.O_NOFOLLOW ?? 0),
    0o666,
  );
  try {
    const { size } = fs.fstatSync(descriptor);
    const last = Buffer.alloc(1);
    const torn = size > 0 && fs.readSync(descriptor, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a;
    const whole = Buffer.from(`${torn ? "\n" : ""}${text}\n`);
    const written = fs.writeSync(descriptor, whole);
    if (written !== whole.length) throw Object.assign(new Error("the line was cut short"), { code: "ENOSPC" });
    if (flush && store.durable) fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Sets a file's time to now: a heartbeat. @returns false when it is gone. */
export function touch(store: Store, target: string, nowMs: number): boolean {
  try {
    fs.utimesSync(absolute(store, target), nowMs / 1000, nowMs / 1000);
    return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return false;
    throw error;
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
