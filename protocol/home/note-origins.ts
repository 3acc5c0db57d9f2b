/**
 * Where files of the home came from, as this machine saw it: a list of what Relay wrote here and of what a sync brought, in
 * the user's state folder, so that nobody who can write the home can write it. spec/trust.md, "Origin".
 */
import { orElse } from "../objects/format/file-error.ts";
import { nounAt } from "../objects/tree/layout.ts";
import type { Origin } from "../objects/tree/origin.ts";
import { facts } from "../store/read/facts.ts";
import { readLines } from "../store/read/read-lines.ts";
import type { Store } from "../store/root.ts";
import { appendLine } from "../store/write/append-line.ts";
import type { World } from "../world.ts";
import { findMachineStore, machineStore } from "./machine.ts";

const listPath = (name: string): string => `written/${name}`;
/** Bytes of a list for a day on which a million messages came; a longer list says nothing. */
const LIST_BYTES = 256 * 1_048_576;

/** Notes files that Relay wrote here. What fails here fails nobody's operation: their origin is unknown then. */
export function noteHere(world: World, paths: readonly string[]): void {
  appendOrigins(
    world,
    paths.map((path) => ({ path, commit: null })),
  );
}

/** Notes files that a sync brought, each with the commit that has it. */
export function noteBrought(world: World, brought: readonly { path: string; commit: string }[]): void {
  appendOrigins(world, brought);
}

/** One line for each file, all those of one list at once. */
function appendOrigins(world: World, entries: readonly { path: string; commit: string | null }[]): void {
  if (entries.length === 0) return;
  const lists = new Map<string, string[]>();
  for (const { path, commit } of entries) {
    const list = originList(path);
    const lines = lists.get(list) ?? [];
    lists.set(list, lines);
    lines.push(originLine(path, commit));
  }
  try {
    const store = storeOf(world);
    for (const [list, lines] of lists) appendLine(store, listPath(list), lines.join("\n"), false);
  } catch {
    // There is no folder of this user's, or it is full.
  }
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
  const lists = new Map<string, ReadonlyMap<string, Origin>>();
  return (path) => {
    const name = originList(path);
    const list = lists.get(name) ?? readList(world, name);
    lists.set(name, list);
    return list.get(path) ?? { from: "unknown" };
  };
}

/** What a process has read of a list, and how far. */
interface Known {
  origins: Map<string, Origin>;
  next: number;
}

/** By the place of the list, the one that was read last at the end. */
const known = new Map<string, Known>();
/** So many lists are kept: those of today and of a session are asked for again and again, all others hardly. */
const KEPT = 3;

function readList(world: World, name: string): ReadonlyMap<string, Origin> {
  return orElse(new Map(), () => {
    const store = findMachineStore(world);
    if (store === null) return new Map();
    const at = `${store.root}/${name}`;
    const size = facts(store, listPath(name))?.size ?? 0;
    const before = known.get(at);
    known.delete(at);
    if (size > LIST_BYTES) return new Map();
    const have: Known = before === undefined || before.next > size ? { origins: new Map(), next: 0 } : before;
    for (let from = -1; from < have.next && have.next < size; ) {
      from = have.next;
      const { lines, next } = readLines(store, listPath(name), from);
      addOrigins(have.origins, lines);
      have.next = next;
    }
    known.set(at, have);
    if (known.size > KEPT) known.delete(known.keys().next().value as string);
    return have.origins;
  });
}

/** The list that knows of a path: one for each day of threads, one for each session, and one for all else. */
export function originList(path: string): string {
  const day = /^(?:threads|inbox\/.+\/read)\/(\d{4}-\d\d-\d\d)\//.exec(path)?.[1];
  if (day !== undefined) return day;
  const session = /^sessions\/([A-Za-z0-9_-]{1,128})\//.exec(path)?.[1];
  return session === undefined ? "other" : `session-${session}`;
}

/** One line of a list. @param commit null for what was written here */
export const originLine = (path: string, commit: string | null): string => `${path} ${commit ?? "here"}`;

/** Whether a file is edited: then what counts is who wrote it last. Of all others, who wrote them first. */
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
    if (space <= 0 || (mark !== "here" && !isBrought) || (origins.has(path) && !isEdited(path))) continue;
    origins.set(path, isBrought ? { from: "sync", commit: mark } : { from: "here" });
  }
}
