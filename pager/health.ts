/** The pager's watch over parts that hold a claim and show no sign of life. spec/waking.md, "Stuck agents". */

import { withOwnHome } from "../protocol/core/world.ts";
import { Refusal, type World } from "../protocol/index.ts";
import { lifeMs, markLife } from "../protocol/mail/files/presence.ts";
import type { Quiet } from "../protocol/mail/nouns/quiet.ts";
import { overdueMail, tellOverdue } from "../protocol/wake/files/overdue-mail.ts";
import { silence } from "../protocol/wake/files/quiet-parts.ts";
import { tellStuck } from "../protocol/wake/files/tell-stuck.ts";
import type { Tell } from "./ring-part.ts";
import { paneActivity } from "./tmux/pane-activity.ts";

/** Looks after parts while a pager runs. */
export interface Health {
  /** Checks whether a beat is due, and begins it; called at each scan of the pager, with the world of that scan. */
  check(seen: World): void;
  /** Waits until no beat runs. */
  close(): Promise<void>;
}

/** How often it is asked which parts are silent. */
const BEAT_MS = 30_000;
/** Who was told of is asked for a change of their pane this seldom: that costs a call of tmux. */
const TOLD_MS = 120_000;
/** Nobody is judged until so many beats were made without a gap. */
const BEATS = 2;
/** The pager scans every few seconds. Where more time lies between two scans, the machine slept or stood still, and every program with it. */
const GAP_MS = 20_000;
const GAPS_KEPT = 100;
/** A check may cost one part in so many of the time until the next. */
const COST_SHARE = 2_000;

/**
 * Makes a watch.
 * @param parts only these; all for null
 * @param runningMs a clock that only runs, and stands while the machine sleeps
 */
export function createHealth(shared: World, parts: readonly string[] | null, tell: Tell, runningMs = () => performance.now()): Health {
  let running: Promise<void> | null = null;
  let problem: string | null = null;
  let last = { wallMs: shared.now(), runningMs: runningMs() };
  /** Spans in which nobody could do anything: when each ended by the wall clock, and how long it was. */
  const gaps: { endMs: number; lengthMs: number }[] = [];
  let awakeMs = last.runningMs;
  let nextMs = last.runningMs + BEAT_MS;

  /** For how long a part was silent while the machine ran, as far as this pager saw it. */
  const silentMs = (sinceMs: number): number =>
    gaps.filter(({ endMs }) => endMs > sinceMs).reduce((rest, { lengthMs }) => rest - lengthMs, shared.now() - sinceMs);

  const beat = async (): Promise<void> => {
    const world = withOwnHome(shared);
    const begunMs = performance.now();
    const found = silence(world);
    nextMs = runningMs() + Math.max(BEAT_MS, (performance.now() - begunMs) * COST_SHARE);
    for (const part of found.waiting) markLife(world, part, world.now());
    if (runningMs() - awakeMs < BEATS * BEAT_MS) return;
    const hoursMs = world.home().config().health.unreadHours * 3_600_000;
    for (const overdue of overdueMail(world)) {
      const { part, sinceMs } = overdue;
      if ((parts !== null && !parts.includes(part)) || silentMs(sinceMs) < hoursMs) continue;
      if (tellOverdue(world, overdue)) nextMs = Math.max(nextMs, runningMs() + TOLD_MS);
    }
    if (found.quiet.length === 0) return;
    const limitMs = world.home().config().health.quietMinutes * 60_000;
    const isMine = ({ part, sinceMs }: Quiet): boolean => (parts === null || parts.includes(part)) && silentMs(sinceMs) >= limitMs;
    const silent = found.quiet.filter(isMine);
    if (silent.length === 0) return;
    for (const [part, atMs] of await paneActivity(
      world,
      silent.map(({ part }) => part),
    )) {
      if (atMs > lifeMs(world, part)) markLife(world, part, Math.min(atMs, world.now()));
    }
    // Asked again: what moved a pane, or called meanwhile, lives.
    for (const quiet of silence(withOwnHome(shared)).quiet.filter(isMine)) {
      const to = tellStuck(world, quiet);
      if (to === null) nextMs = Math.max(nextMs, runningMs() + TOLD_MS);
      if (to !== null) tell("stuck", { part: quiet.part, since: new Date(quiet.sinceMs).toISOString(), to });
    }
  };

  return {
    check(seen) {
      const now = { wallMs: shared.now(), runningMs: runningMs() };
      const lengthMs = now.wallMs - last.wallMs;
      if (Math.abs(lengthMs) > GAP_MS || now.runningMs - last.runningMs > GAP_MS) {
        awakeMs = now.runningMs;
        gaps.push({ endMs: now.wallMs, lengthMs });
        gaps.splice(0, gaps.length - GAPS_KEPT);
      }
      last = now;
      if (running !== null || now.runningMs < nextMs || seen.home().store.foreign !== null) return;
      nextMs = now.runningMs + BEAT_MS;
      running = beat()
        .then(
          () => {
            problem = null;
          },
          (error: Error) => {
            if (error.message !== problem)
              tell("fault", { what: "health", problem: error.message, ...(error instanceof Refusal ? { code: error.code } : {}) });
            problem = error.message;
          },
        )
        .finally(() => {
          running = null;
        });
    },
    async close() {
      await running;
    },
  };
}
