/** The list of deliveries over all homes of this user: numbered records, each created once. spec/waking.md, "Wake budget". */
import path from "node:path";
import type { Spent } from "../../objects/wake/wake-policy.ts";
import { plainNumber } from "../../store/chain.ts";
import { makeOwn } from "../../store/own-folder.ts";
import { type FileFacts, facts, names, readText } from "../../store/read.ts";
import { openStore, type Store } from "../../store/root.ts";
import type { World } from "../../world.ts";
import { stateFolder } from "../state-folder.ts";

export const HOUR_MS = 3_600_000;
const ENTRY_BYTES = 8_192;
/** So many of the last numbers stay whatever their age; who comes with an older one was asleep. */
export const KEPT = 64;

/** A record: a wake; or the mark of a clock that was set back (`pot` is null then). */
export interface Entry {
  n: number;
  atMs: number;
  home: string;
  part: string;
  wakeId: string;
  pot: Spent["pot"] | null;
}

/** The folder of the ledger: the user's, where this machine has one; else where the environment says, because nothing here is trusted. */
export function ledgerFolder(world: World): string {
  const { folder } = stateFolder(world);
  if (folder !== null) return folder;
  const { XDG_STATE_HOME: state, HOME: home } = world.env;
  if (state !== undefined && path.isAbsolute(state)) return path.join(state, "relay");
  return path.join(home ?? process.getBuiltinModule("node:os").homedir(), ".local", "state", "relay");
}

/** The ledger; where the user's folder cannot be written, the home's own. */
export function ledger(world: World): { store: Store; folder: string } {
  const folder = ledgerFolder(world);
  try {
    makeOwn([folder]);
    return { store: { ...openStore(folder), durable: false }, folder: "wakes" };
  } catch {
    return { store: { ...world.home().store, durable: false }, folder: "run/spent" };
  }
}

/** What the ledger holds, without making one. */
export function readLedger(world: World): Spent[] {
  try {
    const store = openStore(ledgerFolder(world));
    return spentOf(entriesOf(store, "wakes", names(store, "wakes")));
  } catch {
    const { store } = world.home();
    return spentOf(entriesOf(store, "run/spent", names(store, "run/spent")));
  }
}

/** The folder of what was counted, which changes with every wake that is counted or taken back; null where nothing was counted yet. */
export function ledgerFacts(world: World): FileFacts | null {
  try {
    return facts(openStore(ledgerFolder(world)), "wakes");
  } catch {
    return facts(world.home().store, "run/spent");
  }
}

export function entriesOf(store: Store, folder: string, all: readonly string[]): Entry[] {
  return all.flatMap((name) => {
    const n = plainNumber(name);
    const entry = n === null ? null : readEntry(store, `${folder}/${name}`, n);
    return entry === null || (entry.pot !== null && all.includes(`${name}.back`)) ? [] : [entry];
  });
}

function readEntry(store: Store, at: string, n: number): Entry | null {
  try {
    const entry = JSON.parse(readText(store, at, ENTRY_BYTES) ?? "null") as Omit<Entry, "n"> | null;
    // A time that is none would make all earlier ones none.
    return entry === null || !Number.isFinite(entry.atMs) || entry.pot === undefined ? null : { ...entry, n };
  } catch {
    return null;
  }
}

/** What was delivered, each no later than what follows it in the chain: a clock may have been set back between them. */
export function spentOf(entries: Entry[]): Spent[] {
  let earliest = Number.POSITIVE_INFINITY;
  return entries
    .sort((a, b) => b.n - a.n)
    .flatMap(({ atMs, home, part, pot }) => {
      earliest = Math.min(earliest, atMs);
      return pot === null ? [] : [{ atMs: earliest, home, part, pot }];
    });
}
