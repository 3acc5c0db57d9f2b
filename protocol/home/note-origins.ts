/**
 * Where files of the home came from, as this machine saw it: a list of what Relay wrote here and of what a sync brought, in
 * the user's state folder, so that nobody who can write the home can write it. spec/trust.md, "Origin".
 */
import { type Origin, originLine, originList, originsIn } from "../objects/tree/origin.ts";
import { appendLine } from "../store/files.ts";
import type { Store } from "../store/root.ts";
import type { World } from "../world.ts";
import { findMachineStore, machineStore, readMachine } from "./machine.ts";

const listPath = (name: string): string => `written/${name}`;
/** A day on which a million messages came; a longer list says nothing. */
const LIST_BYTES = 256 * 1_048_576;

/** Notes files that Relay wrote here. What fails here fails nobody's operation: their origin is unknown then. */
export function noteHere(world: World, paths: readonly string[]): void {
  append(
    world,
    paths.map((path) => ({ path, commit: null })),
  );
}

/** Notes files that a sync brought, each with the commit that has it. */
export function noteBrought(world: World, brought: readonly { path: string; commit: string }[]): void {
  append(world, brought);
}

/** One line for each file, all those of one list at once. */
function append(world: World, entries: readonly { path: string; commit: string | null }[]): void {
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
const found = new WeakMap<object, Store>();

function storeOf(world: World): Store {
  const home = world.home();
  const known = found.get(home);
  if (known !== undefined) return known;
  const store = findMachineStore(world) ?? machineStore(world);
  found.set(home, store);
  return store;
}

/** Says where files came from; reads each list once. */
export function originsOf(world: World): (path: string) => Origin {
  const lists = new Map<string, ReadonlyMap<string, Origin>>();
  return (path) => {
    const name = originList(path);
    const list = lists.get(name) ?? originsIn(read(world, name));
    lists.set(name, list);
    return list.get(path) ?? { from: "unknown" };
  };
}

function read(world: World, name: string): string {
  try {
    return readMachine(world, listPath(name), LIST_BYTES) ?? "";
  } catch {
    return "";
  }
}
