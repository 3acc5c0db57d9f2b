/** Ringing one part: lease, ring, report, rung by rung, until one of them reached it or it is no longer owed. */
import type { World } from "../protocol/index.ts";
import { commitWake, type Lease, leaseWake, renewWake, reportWake } from "../protocol/wake/files/lease-wake.ts";
import { liveWaiters } from "../protocol/wake/files/who-rings.ts";
import type { Outcome, Rung } from "./rung.ts";

/** Who is told what the pager does. */
export type Tell = (type: string, more: Record<string, unknown>) => void;

/** What ringing needs to know. */
export interface RingOptions {
  /** The part's rungs, in the order of its ladder. */
  rungs: readonly Rung[];
  /** Aborted when the part's wake is no longer this one's, or the pager ends. */
  signal: AbortSignal;
  /** Whether to give up, instead of trying again, where a rung says "not now". */
  once: boolean;
  tell: Tell;
}

/** A rung that said "not now" is tried again after this. */
const AGAIN_MS = 1_000;
/** Where nothing changes, the pause before the next try grows up to this. */
const SELDOM_MS = 4_000;

/**
 * Rings a part. Never rejects.
 * @returns whether it was rung, or the wake was over by then: what came meanwhile may be owed already
 */
export async function ringPart(world: World, part: string, options: RingOptions): Promise<boolean> {
  for (const rung of options.rungs) {
    try {
      const lease = leaseWake(world, part, rung.name);
      if (!lease.leased && !["tried", "deliver"].includes(lease.reason)) return false;
      const told = lease.leased ? await ringBy(world, part, rung, lease, options) : "next";
      if (told !== "next") return told === "rung";
    } catch (error) {
      options.tell("fault", { part, rung: rung.name, problem: (error as Error).message });
      return false;
    }
  }
  return false;
}

async function ringBy(
  world: World,
  part: string,
  rung: Rung,
  lease: Lease,
  { signal, once, tell }: RingOptions,
): Promise<"rung" | "not now" | "next"> {
  const { wakeId, unread, urgent, line } = lease;
  const { leaseMs } = world.home().config().wake;
  const about = { part, wakeId, rung: rung.name };
  const stop = new AbortController();
  const end = (): void => stop.abort(signal.reason);
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  const renewing = setInterval(() => keepLease(world, part, wakeId, end), leaseMs / 3);
  let committed = false;
  let denied: string | null = null;
  let waitsFor = "";
  const commit = (): boolean => {
    if (committed || lease.resumed || signal.aborted) return false;
    const told = commitWake(world, part, wakeId);
    committed = told === "committed";
    if (!committed) denied = told;
    return committed;
  };
  try {
    for (;;) {
      const ring = {
        part,
        wakeId,
        unread,
        urgent,
        line,
        sinceMs: lease.since,
        resumed: lease.resumed || committed,
        commit,
        signal: stop.signal,
      };
      const outcome = await rung
        .ring(ring)
        .catch((error: Error): Outcome => ({ kind: "unreachable", reason: "fault", detail: error.message }));
      const yields = outcome.kind === "waiting" && (denied !== null || once || signal.aborted || liveWaiters(world, part).length > 0);
      const said = yields ? { kind: "released" as const, reason: outcome.reason } : outcome;
      const accepted = reportWake(world, part, wakeId, said.kind, "reason" in said ? said.reason : undefined, outcome.detail);
      const words = { ...about, ...said, ...(denied === null ? {} : { denied }), kind: undefined };
      // What holds it up is said once, and again when it is something else.
      if (!accepted || said.kind !== "waiting" || JSON.stringify(words) !== waitsFor) tell(accepted ? said.kind : "stale", words);
      waitsFor = JSON.stringify(words);
      if (!accepted) return "rung";
      if (yields) return "not now";
      if (outcome.kind === "unreachable") return "next";
      if (outcome.kind !== "waiting") return "rung";
      if (await waited(world, part, rung, stop.signal)) {
        if (reportWake(world, part, wakeId, "released", outcome.reason)) tell("released", { ...about, reason: outcome.reason });
        return "rung";
      }
    }
  } finally {
    clearInterval(renewing);
    signal.removeEventListener("abort", end);
  }
}

function keepLease(world: World, part: string, wakeId: string, lost: () => void): void {
  try {
    if (!renewWake(world, part, wakeId)) lost();
  } catch {
    // The home is away just now: the lease runs out, or it is back before that.
  }
}

/** Waits a little, and on while to ring again would say the same. @returns whether it was ended meanwhile */
async function waited(world: World, part: string, rung: Rung, signal: AbortSignal): Promise<boolean> {
  let pauseMs = AGAIN_MS;
  do {
    if (await paused(signal, pauseMs)) return true;
    pauseMs = Math.min(2 * pauseMs, SELDOM_MS);
  } while (rung.isStill?.(part) === true && liveWaiters(world, part).length === 0);
  return false;
}

/** Waits a little. @returns whether it was ended meanwhile */
function paused(signal: AbortSignal, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(true);
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve(signal.aborted);
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done, { once: true });
  });
}
