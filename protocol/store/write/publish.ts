/**
 * Gives a file its name.
 *
 * A file appears whole: it is written aside, flushed, and then linked to its name. `link` and not `rename`, because
 * `rename` silently replaces what is there, and `link` lets exactly one of two contenders have the name. The calls are
 * synchronous: for small files they are several times faster than the asynchronous ones. SPEC.md, "Rules of the disk".
 */
import fs from "node:fs";
import path from "node:path";
import { held } from "../held.ts";
import { ASIDE, absolute, errorCode, flushFolders, type Store, unlinkQuietly } from "../root.ts";
import { growFolder, inFolder, makeFolder } from "./make-folder.ts";
import { keepingOpen, moveHeld } from "./move-file.ts";
import { copyExclusively, RESERVATIONS } from "./reserve.ts";
import { writeAside, writeNew } from "./write-aside.ts";

/**
 * Gives a finished file its name, if nobody has it yet: the commit point of everything that two must not both win.
 * @param mode who may read it, before the umask: 0o600 for a secret
 * @returns `exists` when the name is taken; the file that has it is untouched.
 */
export function publish(store: Store, target: string, content: string | Uint8Array, mode?: number): "created" | "exists" {
  const folder = path.posix.dirname(target);
  const grown = growFolder(store, folder);
  // An empty file is whole at once.
  if (content.length === 0) return createEmpty(store, target, [folder, ...grown], mode);
  const aside = writeAside(store, target, content, mode);
  try {
    const result = linkInto(store, aside, target);
    if (result === "created") afterCommit(() => flushFolders(store, [folder, ...grown]));
    return result;
  } finally {
    unlinkQuietly(store, aside);
  }
}

/**
 * The same for a caller that has a file of its own to create first, which nobody takes for the target: it gets the content, and the target is
 * its second name. The caller removes it, also where this throws.
 * @param aside path in the home
 */
export function publishBy(store: Store, aside: string, target: string, content: string): "created" | "exists" {
  const folder = path.posix.dirname(target);
  const grown = growFolder(store, folder);
  writeNew(store, aside, content);
  const result = linkInto(store, absolute(store, aside), target);
  if (result === "created") afterCommit(() => flushFolders(store, [folder, ...grown]));
  return result;
}

function createEmpty(store: Store, target: string, grown: readonly string[], mode = 0o666): "created" | "exists" {
  try {
    inFolder(store, path.posix.dirname(target), () =>
      held(store.root, absolute(store, target), (own) => fs.closeSync(fs.openSync(own, "wx", mode))),
    );
  } catch (error) {
    if (errorCode(error) === "EEXIST") return "exists";
    throw error;
  }
  afterCommit(() => flushFolders(store, grown));
  return "created";
}

/** After the name is there the file is published; what fails then (a flush, a clean-up) must not be told as a failure. */
export function afterCommit(step: () => void): void {
  try {
    step();
  } catch {
    // Published all the same.
  }
}

/**
 * Puts a finished file under a name, whole; an earlier file of that name is replaced. For names that only this process uses, or whose
 * last writer may win: `publish` is for what two must not both win.
 * @param mode who may read it, before the umask: 0o600 for a secret
 */
export function place(store: Store, target: string, content: string | Uint8Array, mode?: number): void {
  const folder = path.posix.dirname(target);
  const grown = growFolder(store, folder);
  const aside = writeAside(store, target, content, mode);
  try {
    const at = absolute(store, target);
    keepingOpen(at, () => moveHeld(store, aside, at));
  } catch (error) {
    unlinkQuietly(store, aside);
    throw error;
  }
  flushFolders(store, [folder, ...grown]);
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
export function linkInto(store: Store, source: string, target: string): "created" | "exists" {
  try {
    return linkAt(store, source, target);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    store.checked.clear();
    makeFolder(store, path.posix.dirname(target));
    return linkAt(store, source, target);
  }
}

/** File systems without hard links (FAT, some network mounts) answer with one of these. */
const NO_LINKS = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EXDEV"]);

function linkAt(store: Store, source: string, target: string): "created" | "exists" {
  try {
    held(store.root, source, (from) => held(store.root, absolute(store, target), (to) => fs.linkSync(from, to)));
    return "created";
  } catch (error) {
    if (errorCode(error) === "EEXIST") return "exists";
    if (!NO_LINKS.has(errorCode(error) ?? "")) throw error;
  }
  for (const folder of [RESERVATIONS, ASIDE]) makeFolder(store, folder);
  return copyExclusively(store, source, target);
}
