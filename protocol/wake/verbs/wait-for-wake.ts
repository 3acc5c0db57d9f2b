/** Waits for one part and rings it, as a hook and a server with a channel do. spec/waking.md, "Who rings". */

import { finishPending } from "../../core/finish-pending.ts";
import type { World } from "../../core/world.ts";
import { unreadIds } from "../../mail/files/inbox-files.ts";
import { ownName } from "../../mail/files/members.ts";
import { inboxNew } from "../../mail/nouns/part.ts";
import { absolute } from "../../store/root.ts";
import { watchFolders } from "../../store/watch.ts";
import { updateWake } from "../files/drive-wake.ts";
import { type Lease, leaseWake } from "../files/lease-wake.ts";
import { registerWaiter } from "../files/who-rings.ts";
import type { RungName } from "../nouns/wake-state.ts";

/** Checks are made at least this often, whatever the watcher says. */
const BEAT_MS = 2_000;

/** How to wait. */
interface WaitForWakesOptions {
  rung: RungName;
  /** Ends it. */
  signal: AbortSignal;
  /** Whether unread mail should be delivered now; asked before anything is leased. */
  mayRing?(unread: readonly string[]): boolean;
  /** Called at the beginning of each check. */
  checking?(): void;
  /** Rings with a lease; commits and reports itself. No other check is made meanwhile. */
  ring(part: string, lease: Lease): Promise<void>;
}

/**
 * Waits for mail of the part that this world is, and rings each wake that is owed to it, until the signal says so. It follows
 * when the worktree becomes another part; while it is none, it waits for that.
 */
export async function waitForWakes(world: World, { rung, signal, mayRing, checking, ring }: WaitForWakesOptions): Promise<void> {
  const { store } = world.home();
  let waiting: { part: string; release: () => void } | null = null;
  const foldersOf = (part: string | null): string[] =>
    [...(part === null ? [] : [inboxNew(part)]), "local/pending", "outbox"].map((folder) => absolute(store, folder));
  const follow = (): string | null => {
    const { part } = world.me;
    const now = part === null ? null : ownName(world, part);
    if (now === waiting?.part) return now;
    waiting?.release();
    waiting = now === null ? null : { part: now, release: registerWaiter(world, now, rung) };
    watching?.rearm(foldersOf(now));
    return now;
  };
  const check = async (): Promise<void> => {
    checking?.();
    if (signal.aborted) return;
    await finishPending(world);
    const part = follow();
    if (part === null) return;
    const unread = unreadIds(store, part);
    // Without mail there is nothing to lease, and the wake that was is over.
    if (unread.length === 0) updateWake(world, part);
    if (mayRing?.(unread) === false || unread.length === 0) return;
    const lease = leaseWake(world, part, rung);
    if (lease.leased) await ring(part, lease);
  };
  let watching: Awaited<ReturnType<typeof watchFolders>> | undefined;
  try {
    watching = await watchFolders(foldersOf(follow()), check, BEAT_MS);
    watching.ring();
    await new Promise<void>((resolve) => (signal.aborted ? resolve() : signal.addEventListener("abort", () => resolve(), { once: true })));
  } finally {
    (waiting as { release: () => void } | null)?.release();
    await watching?.close();
  }
}
