/**
 * Where files of the home came from, as this machine saw it: a list of what Relay wrote here and of what a sync brought, in
 * the user's state folder, so that nobody who can write the home can write it. spec/trust.md, "Origin".
 */
import path from "node:path";
import { addTo } from "../../core/format/append.ts";
import { orElse, quietly } from "../../core/format/file-error.ts";
import { Refusal, refuse } from "../../core/refusal.ts";
import { nounAt } from "../../core/tree/layout.ts";
import type { World } from "../../core/world.ts";
import { facts } from "../../store/read/facts.ts";
import { readLines } from "../../store/read/read-lines.ts";
import { errorCode, type Store } from "../../store/root.ts";
import { appendLine } from "../../store/write/append-line.ts";
import { flushFolder } from "../../store/write/make-folder.ts";
import { type Origin, UNKNOWN_COMMIT } from "../nouns/origin.ts";
import { findMachineStore, machineStore } from "./machine.ts";

const listPath = (name: string): string => `written/${name}`;
/** Bytes of a list of a very busy day. A longer one is not read. */
const LIST_BYTES = 256 * 1_048_576;
/** Bytes up to which what came is added to a list. Of a longer list, what it does not name came by a sync. */
const BROUGHT_BYTES = 16 * 1_048_576;

/** Notes files that Relay writes here. @throws Refusal `no_state_folder`; the errors of the disk */
export const noteHere = (world: World, paths: readonly string[]): void => appendOrigins(world, ofHere(paths), false);

const ofHere = (paths: readonly string[]) => paths.map((each) => ({ path: each, commit: null }));

/**
 * Notes a message to or from a position before it is sent. The office starts work only on noted messages: without a note, the sender
 * would wait for ever. The note is flushed.
 * @throws Refusal `no_state_folder`; the errors of the disk
 */
export function noteWork(world: World, paths: readonly string[]): void {
  try {
    appendOrigins(world, ofHere(paths), true);
  } catch (error) {
    if (!isForbidden(error)) throw error;
    const reason = `mail of the office counts only where this machine notes that it was written here (${errorCode(error)}). In a sandbox, send it by a tool of Relay's server`;
    throw refuse("no_state_folder", { folder: null, reason });
  }
}

/** Whether a folder may not be written, as in a sandbox. */
const isForbidden = (error: unknown): boolean => ["EACCES", "EPERM", "EROFS"].includes(errorCode(error) ?? "");

/** Notes files that a sync brought, each with the commit that has it. What fails here fails nobody's operation. */
export function noteBrought(world: World, brought: readonly Brought[]): void {
  quietly(() => appendOrigins(world, brought, false));
}

/**
 * Notes files that a sync is about to check out. Where there is no folder for that, nothing counts as written here either.
 * @throws the errors of the disk: then nothing of them may be checked out
 */
export function noteComing(world: World, brought: readonly Brought[]): void {
  try {
    appendOrigins(world, brought, false);
  } catch (error) {
    if (!(error instanceof Refusal) && !isForbidden(error)) throw error;
  }
}

/** A file that a sync brought, and the commit that has it. */
interface Brought {
  path: string;
  commit: string;
}

/** One line for each file, all those of one list at once. */
function appendOrigins(world: World, entries: readonly { path: string; commit: string | null }[], flush: boolean): void {
  if (entries.length === 0) return;
  const lists = new Map<string, { path: string; commit: string | null }[]>();
  for (const entry of entries) addTo(lists, originList(entry.path), entry);
  const store = storeOf(world);
  for (const [list, own] of lists) {
    const lines = linesWithin(world, facts(store, listPath(list))?.size ?? 0, own);
    if (lines.length > 0) appendLine(store, listPath(list), lines.join("\n"), flush);
    // A line that was not flushed may have made the list.
    if (flush) flushFolder(store, path.posix.dirname(listPath(list)));
  }
}

/**
 * The lines that a list has room for: all of what was written here, and of what came as much as keeps the list within its bound. Of an
 * edited file that was written here last it is always said that another text came.
 * @param size of the list as it is
 */
function linesWithin(world: World, size: number, entries: readonly { path: string; commit: string | null }[]): string[] {
  let at = size;
  let originOf: ReturnType<typeof originsOf> | null = null;
  return entries.flatMap(({ path, commit }) => {
    if (commit !== null && at >= BROUGHT_BYTES) {
      originOf ??= originsOf(world);
      if (!isEdited(path) || originOf(path).from !== "here") return [];
    }
    const line = originLine(path, commit);
    at += line.length + 1;
    return [line];
  });
}

/** Stores that were found by a process, by home: a server asks for its own many times. */
const machineStores = new WeakMap<object, Store>();

function storeOf(world: World): Store {
  const home = world.home();
  const known = machineStores.get(home);
  if (known !== undefined) return known;
  const store = findMachineStore(world) ?? machineStore(world);
  machineStores.set(home, store);
  return store;
}

/** Says that a sync is checking out what came: there from before the first file until where all of them came from is noted. */
export const LAYING = "local/sync/laying.json";

/** Says where files came from; reads each list once, and of a list that this process has read only what was added. */
export function originsOf(world: World): (path: string) => Origin {
  const lists = new Map<string, List>();
  const listOf = (name: string): List => {
    const list = lists.get(name) ?? readList(world, name);
    lists.set(name, list);
    return list;
  };
  return (path) => {
    const name = originList(path);
    const list = listOf(name);
    // Lists of earlier versions have acks and messages together.
    const known = list.origins.get(path) ?? (name.startsWith(ACKS) ? listOf(name.slice(ACKS.length)).origins.get(path) : undefined);
    return known ?? (list.isFull ? { from: "sync", commit: UNKNOWN_COMMIT } : { from: "unknown" });
  };
}

/** What this machine saw of a home's files, asked where a push writes over one. */
export interface Witness {
  /** Whether a file was written here. */
  wrote(path: string): boolean;
  /** What the branch was at, sync after sync. */
  tips(): readonly string[];
  /** The same, each with what this home was recorded at before it took that in (null as it joined), the newest last. */
  syncs(): readonly { theirs: string; ours: string | null }[];
}

/** What this machine saw; it reads its lists when it is first asked. */
export function witnessOf(world: World): Witness {
  let originOf: ReturnType<typeof originsOf> | null = null;
  const lines = (): readonly string[][] =>
    orElse([], () => {
      const store = findMachineStore(world);
      if (store === null || (facts(store, TIPS)?.size ?? 0) > LIST_BYTES) return [];
      return readLines(store, TIPS, 0).lines.map((line) => line.split(" "));
    });
  return {
    wrote(path) {
      originOf ??= originsOf(world);
      return originOf(path).from === "here";
    },
    tips: () => lines().map(([theirs = ""]) => theirs),
    syncs: () => lines().map(([theirs = "", ours = null]) => ({ theirs, ours })),
  };
}

/** The list of what the branch was at, sync after sync. */
const TIPS = listPath("tips");

/** Notes what the branch is at, and what this home is at, if anything, before any of it is merged. What fails here fails no sync. */
export const noteTip = (world: World, tip: string, ours?: string): void =>
  quietly(() => appendLine(storeOf(world), TIPS, ours === undefined ? tip : `${tip} ${ours}`, false));

/** What a list says. */
interface List {
  origins: ReadonlyMap<string, Origin>;
  /** Whether it may lack some of what came. */
  isFull: boolean;
}

/** What a process has read of a list, and how far. */
interface Known {
  origins: Map<string, Origin>;
  next: number;
}

/** By the place of the list, the one that was read last at the end. */
const known = new Map<string, Known>();
/** So many lists are kept: those of today and of a session are asked for again and again, all others hardly. */
const KEPT = 4;

/** Forgets all lists that this process read: for a test that puts an earlier disk in the place of this one. */
export const forgetLists = (): void => known.clear();

function readList(world: World, name: string): List {
  return orElse({ origins: new Map(), isFull: true }, () => {
    const store = findMachineStore(world);
    if (store === null) return { origins: new Map(), isFull: false };
    const at = `${store.root}/${name}`;
    const size = facts(store, listPath(name))?.size ?? 0;
    const before = known.get(at);
    known.delete(at);
    const isFull = size >= BROUGHT_BYTES;
    if (size > LIST_BYTES) return { origins: new Map(), isFull };
    const have: Known = before === undefined || before.next > size ? { origins: new Map(), next: 0 } : before;
    for (let from = -1; from < have.next && have.next < size; ) {
      from = have.next;
      const { lines, next } = readLines(store, listPath(name), from);
      addOrigins(have.origins, lines);
      have.next = next;
    }
    known.set(at, have);
    if (known.size > KEPT) known.delete(known.keys().next().value as string);
    return { origins: have.origins, isFull };
  });
}

/** Begins the names of the lists of acks. */
const ACKS = "acks-";

/** The list that knows of a path: two for each day of threads, of messages and of acks, one for each session, and one for all else. */
export function originList(path: string): string {
  const [, folder, day] = /^(threads|inbox\/.+\/read)\/(\d{4}-\d\d-\d\d)\//.exec(path) ?? [];
  if (day !== undefined) return folder === "threads" ? day : `${ACKS}${day}`;
  const session = /^sessions\/([A-Za-z0-9_-]{1,128})\//.exec(path)?.[1];
  return session === undefined ? "other" : `session-${session}`;
}

/** One line of a list. @param commit null for what was written here */
export const originLine = (path: string, commit: string | null): string => `${path} ${commit ?? "here"}`;

/** Tells whether who wrote a file last counts, as of one that is edited, and of one whose name another may have taken. Of all others, who wrote them first. */
const isByLast = (path: string): boolean => isEdited(path) || BY_LAST.has(nounAt(path)?.place.kind ?? "");
const BY_LAST: ReadonlySet<string> = new Set(["claim", "result", "ended", "reopened"]);
const isEdited = (path: string): boolean => nounAt(path)?.noun.isEdited === true;

/** What a list says of each path that it names. @param list its whole text; a torn line says nothing */
export function originsIn(list: string): Map<string, Origin> {
  const origins = new Map<string, Origin>();
  addOrigins(origins, list.split("\n"));
  return origins;
}

function addOrigins(origins: Map<string, Origin>, lines: readonly string[]): void {
  for (const line of lines) {
    const space = line.lastIndexOf(" ");
    const [path, mark] = [line.slice(0, space), line.slice(space + 1)];
    const isBrought = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(mark);
    if (space <= 0 || (mark !== "here" && !isBrought) || (origins.has(path) && !isByLast(path))) continue;
    origins.set(path, isBrought ? { from: "sync", commit: mark } : { from: "here" });
  }
}
