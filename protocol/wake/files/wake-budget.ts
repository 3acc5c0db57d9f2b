/**
 * The wakes delivered in the last hour, over all homes of this machine's user. spec/waking.md, "Wake budget".
 *
 * A chain of records in the user's state folder: to deliver is to add one, after reading all the others, so that no two ever
 * spend the last of a budget.
 */
import path from "node:path";
import { type Permit, permitOf, type Spent } from "../../core/config/wake-policy.ts";
import { orElse } from "../../core/format/file-error.ts";
import type { World } from "../../core/world.ts";
import { limitedUntil } from "../../mail/files/presence.ts";
import { makeOwn } from "../../store/beside/own-folder.ts";
import { type FileFacts, facts } from "../../store/read/facts.ts";
import { names } from "../../store/read/list-folder.ts";
import { readText } from "../../store/read/read-file.ts";
import { openStore, type Store } from "../../store/root.ts";
import { extendChain, plainChain, plainNumber } from "../../store/write/chain.ts";
import { removeFile } from "../../store/write/move-file.ts";
import { publish } from "../../store/write/publish.ts";
import { stateFolder } from "../../trust/files/state-folder.ts";

/** What was delivered in the last hour or so, by every home of the user. */
export const spentWakes = (world: World): Spent[] => readLedger(world).filter(({ atMs }) => atMs > world.now() - HOUR_MS);

/** Whether a part may be woken now. @param spent as `spentWakes` gives it, for who asks for many parts */
export function permitFor(world: World, part: string, urgent: boolean, spent: readonly Spent[] = spentWakes(world)): Permit {
  const home = world.home();
  return permitOf(
    { nowMs: world.now(), home: home.store.root, part, urgent, limitedUntilMs: limitedUntil(world, part), spent },
    home.config().wake,
  );
}

/** Counts a wake that is about to be delivered, if the policy still allows it; otherwise says why it does not. */
export function spend(world: World, part: string, wakeId: string, urgent: boolean): Permit {
  const { store, folder } = ledger(world);
  const nowMs = world.now();
  const times = new Map<number, number>();
  const clear = (n: number): void => {
    // What was spent in the last hour counts, however many came after it.
    if ((times.get(n) ?? 0) > nowMs - 2 * HOUR_MS) return;
    removeFile(store, `${folder}/${n}.back`);
    removeFile(store, `${folder}/${n}`);
  };
  const permit = extendChain(store, { ...plainChain(folder, KEPT), clear }, () => {
    const entries = entriesOf(store, folder, names(store, folder));
    for (const { n, atMs } of entries) times.set(n, atMs);
    const last = entries.reduce<Entry | null>((top, each) => (top === null || each.n > top.n ? each : top), null);
    const setBack = last !== null && last.atMs > nowMs && entries.some(({ atMs, pot }) => pot !== null && atMs > nowMs);
    const permit = permitFor(world, part, urgent, spentOf(entries));
    if (!setBack && !permit.ok) return { text: null, answer: permit };
    const pot = !setBack && permit.ok ? permit.pot : null;
    const entry: Omit<Entry, "n"> = { atMs: nowMs, home: world.home().store.root, part, wakeId, pot };
    return { text: `${JSON.stringify(entry)}\n`, answer: setBack ? null : permit };
  });
  // The clock was set back, and the chain says so now.
  return permit ?? spend(world, part, wakeId, urgent);
}

/** Takes back what was counted for a wake of which nothing was delivered. */
export function refund(world: World, wakeId: string): void {
  const { store, folder } = ledger(world);
  const entry = entriesOf(store, folder, names(store, folder)).find((each) => each.wakeId === wakeId);
  if (entry !== undefined) publish(store, `${folder}/${entry.n}.back`, "");
}

/** The time that a budget is for, in milliseconds. */
export const HOUR_MS = 3_600_000;
const ENTRY_BYTES = 8_192;
/** This many of the last numbers stay, however old. A process that adds a lower number was suspended. */
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
    return { store: world.home().store, folder: "run/spent" };
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

/** The records of a budget's chain that count: a wake that was given back does not. */
export function entriesOf(store: Store, folder: string, all: readonly string[]): Entry[] {
  return all.flatMap((name) => {
    const n = plainNumber(name);
    const entry = n === null ? null : readEntry(store, `${folder}/${name}`, n);
    return entry === null || (entry.pot !== null && all.includes(`${name}.back`)) ? [] : [entry];
  });
}

function readEntry(store: Store, at: string, n: number): Entry | null {
  return orElse(null, () => {
    const entry = JSON.parse(readText(store, at, ENTRY_BYTES) ?? "null") as Omit<Entry, "n"> | null;
    // A time that is none would make all earlier ones none.
    return entry === null || !Number.isFinite(entry.atMs) || entry.pot === undefined ? null : { ...entry, n };
  });
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
