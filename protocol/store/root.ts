/** The home as a place on the disk: paths in it and outside of it, and what lies inside of it. SPEC.md, "Rules of the disk". */
import fs from "node:fs";
import path from "node:path";
import { quietly } from "../core/format/file-error.ts";
import { type Refusal, refuse } from "../core/refusal.ts";
import { held } from "./held.ts";
import { isRootReal, lstatIfThere } from "./look.ts";
import type { Recorded } from "./read/recorded.ts";

/** An open home. Paths given with it are relative to `root`, with `/`. */
export interface Store {
  /** Absolute real path of the home. */
  readonly root: string;
  /** Why nothing is written, and nothing in the machine's folders is believed: they came from elsewhere. Null where they did not. */
  readonly foreign: Refusal | null;
  /** Where the files are read from, of an earlier record; absent of a folder of the disk. */
  readonly recorded?: Recorded | undefined;
  /** Whether it was opened only to be read: whatever would write is refused. */
  readonly readOnly: boolean;
  /** Whether an answer waits until the disk has it. */
  durable: boolean;
  /** Folders seen to lie inside the home, with when, in milliseconds of this process. */
  readonly checked: Map<string, number>;
  /**
   * Whether a folder that may not be read is passed over, and noted in `skipped`. Only for what decides nothing by a name that is
   * not there: anything else would take the folder for an empty one.
   */
  passesOver: boolean;
  /** Folders that were passed over during this call, with what is wrong with each. */
  readonly skipped: Map<string, string>;
  /** Whether what lies in the home's own folder was looked at in this turn of the event loop, and not written since. */
  rootIsSeen: boolean;
  /** Warnings for the answer to this call, by what each is about. */
  readonly notes: Map<string, string>;
  /** Folders that this call flushes later, together with more (`payFlushes`); absent where each is flushed at once. */
  readonly owed?: Set<string> | undefined;
  /** The last revision of each file that this call saw finished, by path in the home; absent where a store is open for longer. */
  readonly revisions?: Map<string, number> | undefined;
  /** Whether something of the home that clones share was written, or removed, by this store and its copies. */
  readonly written: { isShared: boolean };
  /** Whether this is the store of a step that owes what it would flush. */
  readonly isOwing?: boolean;
  /** A holder of a lock that is silent for this long counts as dead. */
  lockStaleMs: number;
  /** This machine's own folder for the home; absent of what is only read. */
  outside?: Outside | undefined;
}

/** A folder of the user's, outside of the home, in which what decides what runs lies. spec/trust.md, "What this machine keeps". */
export interface Outside {
  /** The folder; null where nothing was ever kept, or it may not be trusted. */
  find(): Store | null;
  /** The folder, made if need be. @throws Refusal `no_state_folder` */
  make(): Store;
}

/** A process may be suspended, or wait for a slow disk, for some while without losing its lock. */
const LOCK_STALE_MS = 30_000;

/** The folders of a home that are one machine's own. */
export const MACHINE_FOLDERS: ReadonlySet<string> = new Set(["outbox", "local", "run"]);

/** Tells whether what lies at a path is to outlive a loss of power: of what `run/` holds, everything can be made anew. */
export const isLasting = (store: Store, relative: string): boolean => store.durable && relative !== "run" && !relative.startsWith("run/");

/** Files written aside are kept here until they have their name. */
export const ASIDE = "run/tmp";

/** Opens a folder of the user's, through links. */
export function openStore(root: string): Store {
  const store = storeAt(fs.realpathSync.native(root));
  // That it is there was asked just now.
  store.checked.set(".", performance.now());
  return store;
}

/**
 * Opens a home by its real path. A link that has taken the path since leads nowhere: it is not asked again where it leads.
 * @param foreign gives `foreign` of the store; asked anew whenever it matters
 */
export function storeAt(root: string, foreign?: () => Refusal | null, readOnly = false): Store {
  const store = storeIn(root, readOnly);
  return foreign === undefined ? store : Object.defineProperty(store, "foreign", { get: foreign, enumerable: true });
}

/** An earlier record as a store: it is only read. @param root where it would lie; nothing is there */
export const recordedStore = (root: string, recorded: Recorded): Store => ({
  ...storeIn(root, true),
  ...{ recorded, durable: false, checked: new Map([[".", performance.now()]]) },
});

/** The same store for one call. */
export const storeOfCall = ({ root, readOnly, foreign, durable, lockStaleMs, outside }: Store): Store => ({
  ...storeIn(root, readOnly),
  ...{ foreign, durable, owed: new Set(), revisions: new Map(), lockStaleMs, outside },
});

/** A store of which nothing was asked yet. All are of one shape, whatever they are of: each access to one is compiled for it once. */
const storeIn = (root: string, readOnly: boolean): Store => ({
  root,
  readOnly,
  foreign: null,
  recorded: undefined,
  durable: true,
  checked: new Map(),
  passesOver: false,
  skipped: new Map(),
  rootIsSeen: false,
  notes: new Map(),
  written: { isShared: false },
  owed: undefined,
  revisions: undefined,
  isOwing: false,
  lockStaleMs: LOCK_STALE_MS,
  outside: undefined,
});

/** Whether a path in the home is not believed, because it is the machine's and came from elsewhere. */
export const isDisbelieved = (store: Store, relative: string): boolean =>
  MACHINE_FOLDERS.has(relative.split("/", 1)[0] as string) && store.foreign !== null;

/** The code of a system error (`ENOENT`), or null. */
export const errorCode = (error: unknown): string | null =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : null;

/** What joining would change in a path: a segment that is empty, or dots; and each slash where paths have others. */
const NOT_PLAIN = path.sep === "/" ? /(?:^|\/)\.{0,2}(?:\/|$)/ : /^/;

/** Whether a path is one that joining leaves as it is. */
const isPlain = (relative: string): boolean => !NOT_PLAIN.test(relative);

/** As `path.join(root, relative)`: a call puts very many paths together, and joins most without looking at each letter. @param root absolute */
const joinPath = (root: string, relative: string): string => (isPlain(relative) ? `${root}/${relative}` : path.join(root, relative));

/** The absolute path of a path in the home. The caller has checked every id in it. */
export const absolute = (store: Store, relative: string): string => joinPath(store.root, relative);

/** Rights of a new folder, before the umask: a home in which everybody may write is believed by nobody. */
const NOT_OTHERS = 0o775;

/**
 * Makes a folder and those above it, by its absolute path. Node's own `recursive` tells a read-only disk as a missing folder.
 * @param within a folder that is not made: where it is gone, so is what it was for; no link leads out of it
 * @param refusal as `held` has it
 * @returns the topmost that was made
 */
export function makeAt(folder: string, within?: string, refusal?: (real: string) => Error): string | undefined {
  if (folder === within) return undefined;
  try {
    if (within === undefined) fs.mkdirSync(folder, NOT_OTHERS);
    else held(within, folder, (own) => fs.mkdirSync(own, NOT_OTHERS), refusal);
    return folder;
  } catch (error) {
    if (errorCode(error) === "EEXIST" && fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return undefined;
    if (errorCode(error) !== "ENOENT" || path.dirname(folder) === within) throw error;
  }
  const above = makeAt(path.dirname(folder), within, refusal);
  return [above, makeAt(folder, within, refusal)].find((made) => made !== undefined);
}

/** Flushes a folder, by its absolute path. */
export function flushAt(folder: string): void {
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

/** Notes that something is written, or removed, in a folder: what lies in the home's own one is to be looked at again. */
export function noteWritten(store: Store, folder: string): void {
  if (store.readOnly) throw refuse("not_writable", { path: folder, reason: "it was opened only to be read" });
  if (folder === ".") store.rootIsSeen = false;
  if (!store.written.isShared) store.written.isShared = !MACHINE_FOLDERS.has(folder.split("/", 1)[0] as string);
}

/** Removes a disposable file of the home, by its absolute path. A file that cannot be removed stays, and does no harm. */
export const unlinkQuietly = ({ root }: Store, at: string): void => quietly(() => held(root, at, (own) => fs.unlinkSync(own)));

/** A folder is looked at again after so long: a process that lives for days would follow a link that was laid since. */
const CHECKED_MS = 1_000;
/** Tells whether a folder was seen to lie inside the home just now. */
export const isChecked = ({ checked }: Store, folder: string): boolean =>
  performance.now() - (checked.get(folder) ?? Number.NEGATIVE_INFINITY) < CHECKED_MS;

/**
 * Refuses a folder whose real path lies outside the home. A folder that is not there yet is judged by its nearest ancestor.
 * @returns false where it was seen just now that nothing has its name
 * @throws Refusal `outside_home`
 */
export function guard(store: Store, folder: string): boolean {
  if (store.recorded !== undefined || isChecked(store, folder)) return true;
  const seen = seenPlain(store, folder);
  if (seen !== "other") return seen === "plain";
  let at = absolute(store, folder);
  for (;;) {
    try {
      const real = fs.realpathSync.native(at);
      if (real !== store.root && !real.startsWith(store.root + path.sep)) throw refuse("outside_home", { path: folder });
      break;
    } catch (error) {
      if (errorCode(error) === "ELOOP") throw refuse("outside_home", { path: folder });
      if (!["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "")) throw error;
      if (lstatIfThere(at)?.isSymbolicLink() === true) throw refuse("outside_home", { path: folder });
      // The home itself is gone: nothing has a name in it.
      if (at === store.root) return false;
      at = path.dirname(at);
    }
  }
  if (at === absolute(store, folder)) store.checked.set(folder, performance.now());
  return true;
}

/**
 * Whether a folder has no link on its way from the home, as nearly all: one call for each name that this call has not asked
 * for before. What is not there yet (`absent`) is none either. `other` sends the caller to the real path.
 */
function seenPlain(store: Store, folder: string): "plain" | "absent" | "other" {
  if (isChecked(store, folder.slice(0, Math.max(0, folder.lastIndexOf("/")))) && isPlain(folder)) return seenName(store, folder);
  const segments = path.posix.normalize(folder).split("/");
  if (segments[0] === "..") return "other";
  if (!isChecked(store, ".")) {
    if (!isRootReal(store.root)) return "other";
    store.checked.set(".", performance.now());
  }
  let at = "";
  for (const segment of segments) {
    at = at === "" ? segment : `${at}/${segment}`;
    const seen = isChecked(store, at) ? "plain" : seenName(store, at);
    if (seen !== "plain") return seen;
  }
  return "plain";
}

function seenName(store: Store, at: string): "plain" | "absent" | "other" {
  const stat = lstatIfThere(absolute(store, at));
  if (stat === undefined) return "absent";
  if (!stat.isDirectory()) return "other";
  store.checked.set(at, performance.now());
  return "plain";
}

/**
 * The same store for a step whose folders need not be flushed before the next step: they are owed, where this call pays what it owes.
 * A flush of a file that comes first takes them along, so that their own costs little.
 */
export const owing = (store: Store): Store => (store.owed === undefined ? store : { ...store, isOwing: true });

/** Flushes what is owed: before a name is given that must not outlive the owed ones, and before anything is answered. */
export function payFlushes(store: Store): void {
  if (store.owed === undefined || store.owed.size === 0) return;
  const folders = [...store.owed];
  store.owed.clear();
  flushFolders(store, folders);
}

/**
 * Flushes folders, each once, so that the names in them outlive a loss of power. They are flushed together, after all that is
 * written: the first flush takes what the file system has gathered of the others along.
 */
export function flushFolders(store: Store, folders: readonly string[]): void {
  for (const folder of new Set(folders)) {
    if (!isLasting(store, folder)) continue;
    if (store.isOwing === true) store.owed?.add(folder);
    else flushAt(absolute(store, folder));
  }
}
