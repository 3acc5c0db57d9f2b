/**
 * The pager: reads the inboxes of a home and wakes the parts that are owed a wake. Owed wakes are on the disk, so
 * any number of pagers may run, and one that begins finds what others left. spec/waking.md, "The pager".
 */

import type { Spent } from "../protocol/core/config/wake-policy.ts";
import { finishPending } from "../protocol/core/finish-pending.ts";
import { isThere } from "../protocol/core/home/home.ts";
import { withOwnHome } from "../protocol/core/world.ts";
import type { World } from "../protocol/index.ts";
import { createMemberList } from "../protocol/mail/files/member-list.ts";
import { inboxNew } from "../protocol/mail/nouns/part.ts";
import { type FileFacts, facts } from "../protocol/store/read/facts.ts";
import { absolute } from "../protocol/store/root.ts";
import { keepTurns } from "../protocol/turn/verbs/next-file.ts";
import { updateWake } from "../protocol/wake/files/drive-wake.ts";
import { spentWakes } from "../protocol/wake/files/wake-budget.ts";
import { type WakeSigns, wakeSigns } from "../protocol/wake/files/wake-chain.ts";
import { ladderOf, unbelievedWakeMethod, wakeMethodOf } from "../protocol/wake/files/who-rings.ts";
import { dueAt } from "../protocol/wake/nouns/wake.ts";
import type { WakeState } from "../protocol/wake/nouns/wake-state.ts";
import { ringPart, type Tell } from "./ring-part.ts";
import { PAGER_ENDS, type Rung } from "./rung.ts";
import { createStanding } from "./standing.ts";

/** What a pager is made from. */
export interface PagerOptions {
  world: World;
  rungs: readonly Rung[];
  /** Only these; every part and guest for null. */
  parts: readonly string[] | null;
  /** Whether to try each part once, and not again where a rung says "not now". */
  once: boolean;
  tell: Tell;
  /** Called when a part was rung: what came for it meanwhile may be owed, and no file will change for it. */
  rang?: () => void;
  /** Called at the end of each scan, with the world of that scan. */
  scanned?: (world: World) => void;
}

/** A pager. It does nothing by itself: its caller says when to scan. */
export interface Pager {
  /**
   * Reads the inbox of every part and begins to ring those that are owed; does not wait for the rings.
   * @returns in how many milliseconds something may be due though no file changes; null when nothing is
   */
  scan(): Promise<number | null>;
  /** The folders whose change is worth a scan, by their absolute paths, each with its inode as the last scan found it; undefined for one that is missing. */
  folders(): ReadonlyMap<string, number | undefined>;
  /** Waits until nothing is being rung. */
  idle(): Promise<void>;
  /** Gives up what it rings, and waits for its end. */
  close(): Promise<void>;
}

/** Makes a pager. */
export function createPager({ world: shared, rungs, parts, once, tell, rang, scanned }: PagerOptions): Pager {
  const ringing = new Map<string, { stop: AbortController; done: Promise<void> }>();
  const folders = new Map<string, number | undefined>();
  let scannedParts: readonly string[] = [];
  let away = false;
  let closed = false;

  const listMembers = createMemberList();
  let chosen: { from: readonly string[]; list: readonly string[] } | null = null;
  /** The parts that are rung; the same list while the members stand. */
  const served = (world: World): readonly string[] => {
    const all = listMembers(world);
    if (parts === null) return all;
    if (chosen?.from !== all) chosen = { from: all, list: all.filter((part) => parts.includes(part)) };
    return chosen.list;
  };
  /** Looks at a folder that is watched. */
  const watched = (world: World, folder: string): FileFacts | null => {
    const { store } = world.home();
    const found = facts(store, folder);
    folders.set(absolute(store, folder), found?.kind === "folder" ? found.inode : undefined);
    return found;
  };

  /** Whether the home is there. A home that was removed or moved is told of once, and nothing is written to it. */
  const isHere = (): boolean => {
    const there = isThere(shared.home());
    if (there === away) tell(there ? "home_back" : "home_gone", { home: shared.home().store.root });
    away = !there;
    return there;
  };

  const begin = (part: string, ladder: readonly Rung[]): void => {
    if (closed) return;
    const stop = new AbortController();
    const done = ringPart(shared, part, { rungs: ladder, signal: stop.signal, once, tell }).then((rung) => {
      ringing.delete(part);
      if (rung) rang?.();
    });
    ringing.set(part, { stop, done });
  };

  const standing = createStanding(shared);
  /** When each part was due at the last scan. A time that has passed and stands still waits for a change on the disk, not for a clock. */
  const lastDue = new Map<string, number>();
  /** When a part is due next, unless this very time brought the scan before this one. */
  const isNews = (part: string, dueMs: number): boolean => {
    const passed = dueMs <= shared.now() && lastDue.get(part) === dueMs;
    lastDue.set(part, dueMs);
    return !passed;
  };
  /** What was wrong with a part at its last scan: said once. */
  const faults = new Map<string, string>();

  /** Says once of a part that a file of the home wants it rung otherwise, and is not believed. */
  const unbelieved = new Set<string>();
  const tellUnbelieved = (world: World, part: string): void => {
    const found = unbelieved.has(part) ? null : unbelievedWakeMethod(world, part);
    if (found === null) return;
    unbelieved.add(part);
    tell("not_believed", { part, path: found.path, commands: found.commands });
  };

  /** Moves the wake of one part, and begins to ring it where it is owed. @returns when it is due again */
  const scanPart = (world: World, part: string, signs: WakeSigns, spent: () => readonly Spent[]): number | null => {
    const inbox = watched(world, inboxNew(part));
    const known = standing.compare(part, inbox, signs, ringing.has(part));
    if (known.stands) return known.dueMs;
    const delivery = wakeMethodOf(world, part);
    tellUnbelieved(world, part);
    if (delivery.deliver === "none") {
      standing.keep(part, known.seen, null, false, null);
      return null;
    }
    for (const rung of rungs) rung.show?.(part);
    const { state } = updateWake(world, part, spent);
    const dueMs = dueAt(state, world.home().config().wake, world.now());
    const current = ringing.get(part);
    if (current !== undefined) {
      // Settled, or another's: what is being rung is over.
      if (state.kind !== "leased" && state.kind !== "typed" && state.kind !== "owed") current.stop.abort();
      else if (state.kind === "leased") standing.keep(part, known.seen, state, true, dueMs);
      return dueMs;
    }
    const owed = isOwed(state);
    const ladder = owed
      ? ladderOf(delivery).flatMap((name) => rungs.filter((rung) => rung.name === name && (rung.serves?.(part) ?? true)))
      : [];
    if (ladder.length > 0) begin(part, ladder);
    standing.keep(part, known.seen, state, ladder.length > 0, dueMs);
    return dueMs;
  };

  return {
    async scan() {
      if (!isHere()) {
        // What is there when the home is back is armed again.
        for (const folder of folders.keys()) folders.set(folder, undefined);
        return null;
      }
      // What one scan finds out about the home it need not find out again for each part.
      const world = withOwnHome(shared);
      await finishPending(world);
      await keepTurns(world);
      standing.begin();
      const signs = wakeSigns(world);
      let known: Spent[] | null = null;
      const spent = (): Spent[] => {
        known ??= spentWakes(world);
        return known;
      };
      const due: number[] = [];
      const parts = served(world);
      if (parts !== scannedParts) folders.clear();
      scannedParts = parts;
      for (const folder of ["local/pending", "outbox"]) watched(world, folder);
      // Who was removed, or renamed, is rung no more under that name.
      for (const [part, { stop }] of ringing) if (!parts.includes(part)) stop.abort();
      for (const part of parts) {
        try {
          const at = scanPart(world, part, signs, spent);
          if (at === null) lastDue.delete(part);
          else if (isNews(part, at)) due.push(at);
          faults.delete(part);
        } catch (error) {
          const problem = (error as Error).message;
          if (faults.get(part) !== problem) tell("fault", { part, problem });
          faults.set(part, problem);
        }
      }
      scanned?.(world);
      return due.length === 0 ? null : Math.max(0, Math.min(...due) - world.now());
    },
    folders: () => folders,
    async idle() {
      while (ringing.size > 0) await Promise.all([...ringing.values()].map(({ done }) => done));
    },
    async close() {
      closed = true;
      for (const { stop } of ringing.values()) stop.abort(PAGER_ENDS);
      await this.idle();
    },
  };
}

/** Whether a wake is to be had: owed, or left behind by who was killed while it typed. */
function isOwed(state: WakeState): boolean {
  return state.kind === "owed" || (state.kind === "typed" && !state.reported && state.rung === "tmux");
}
