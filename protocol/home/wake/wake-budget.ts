/**
 * The wakes delivered in the last hour, over all homes of this machine's user. spec/waking.md, "Wake budget".
 *
 * A chain of records in the user's state folder: to deliver is to add one, after a look at all the others, so that no two ever
 * spend the last of a budget.
 */
import { type Permit, permitOf, type Spent } from "../../objects/wake/wake-policy.ts";
import { extendChain, plainChain } from "../../store/chain.ts";
import { publish, removeFile } from "../../store/files.ts";
import { names } from "../../store/read.ts";
import type { World } from "../../world.ts";
import { limitedUntil } from "../message/delivery-state.ts";
import { type Entry, entriesOf, HOUR_MS, KEPT, ledger, readLedger, spentOf } from "./wake-ledger.ts";

/** What was delivered in the last hour or so, by every home of the user. */
export function spentWakes(world: World): Spent[] {
  return readLedger(world).filter(({ atMs }) => atMs > world.now() - HOUR_MS);
}

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
