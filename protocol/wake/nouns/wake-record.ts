/** The steps of a wake as they lie on the disk: a chain of numbered records, each created once. spec/waking.md, "The wake machine". */

import type { WakePolicy } from "../../core/config/wake-policy.ts";
import { orElse } from "../../core/format/file-error.ts";
import { dueAt } from "./wake.ts";
import { RUNGS, type WakeState } from "./wake-state.ts";

/** One step of a part's chain: the state that came to be. */
export interface WakeRecord {
  n: number;
  /** When, by the clock of who made it, in milliseconds since the epoch. */
  atMs: number;
  state: WakeState;
}

/** Where the chain of a part lies; that of all parts for the empty one. */
export const wakeFolder = (part: string): string => (part === "" ? "run/wakes" : `run/wakes/${part}`);
/** Where a step lies. */
export const wakePath = (part: string, n: number): string => `${wakeFolder(part)}/${n}.json`;
/** The mark whose time says when the lease of a step was last renewed. */
export const renewalPath = (part: string, n: number): string => `${wakeFolder(part)}/${n}.lease`;

/** The inverse of `wakePath`, for a name in the folder; null for other names. */
export function stepOf(name: string): number | null {
  const match = /^([1-9]\d{0,14})\.json$/.exec(name);
  return match === null ? null : Number(match[1]);
}

/** Writes a step. */
export const formatStep = ({ n, atMs, state }: WakeRecord): string =>
  `${JSON.stringify({ n, at: new Date(atMs).toISOString(), ...state })}\n`;

/** What the fields of a step must be, where it has them. */
const FIELDS: Record<string, (value: unknown) => boolean> = {
  wakeId: (value) => typeof value === "string",
  sinceMs: Number.isFinite,
  atMs: Number.isFinite,
  notBeforeMs: Number.isFinite,
  untilMs: Number.isFinite,
  leasedMs: Number.isFinite,
  unread: Number.isSafeInteger,
  fails: Number.isSafeInteger,
  tried: (value) => Array.isArray(value) && value.every((rung) => (RUNGS as readonly unknown[]).includes(rung)),
  holder: (value) => typeof value === "string",
  rung: (value) => (RUNGS as readonly unknown[]).includes(value),
  fetched: (value) => typeof value === "boolean",
};
const RING = ["wakeId", "sinceMs", "rung", "holder", "leasedMs", "unread", "tried", "fails"];

/** The fields that a state cannot do without. */
const NEEDED: Record<WakeState["kind"], readonly string[]> = {
  idle: [],
  owed: ["wakeId", "sinceMs", "atMs", "tried", "fails", "notBeforeMs"],
  leased: RING,
  typed: [...RING, "atMs"],
  noticed: ["wakeId", "sinceMs", "atMs", "fetched"],
  settled: ["wakeId", "atMs"],
  expired: ["wakeId", "sinceMs", "atMs"],
  suppressed: ["wakeId", "sinceMs", "atMs", "untilMs"],
};

/** Reads a step; null when it is none, or lacks what its state needs: then nothing that follows from it could be true. */
export function parseStep(source: string): WakeRecord | null {
  return orElse(null, () => {
    const { n, at, ...state } = JSON.parse(source) as { n: number; at: string; kind: WakeState["kind"] } & Record<string, unknown>;
    if (!Number.isSafeInteger(n) || !Object.hasOwn(NEEDED, state.kind)) return null;
    if (!NEEDED[state.kind].every((name) => FIELDS[name]?.(state[name]) === true)) return null;
    return { n, atMs: Date.parse(at), state: state as unknown as WakeState };
  });
}

/** What a deadline brings is searched for by a few more scans after it: two clocks may differ in when it was. */
const SETTLED_MS = 15_000;

/**
 * Until when a state stays as it is while nothing changes on the disk, in milliseconds since the epoch; null where any scan
 * may find it moved, such as while somebody rings.
 * @param served whether there is anything to ring the part by
 */
export function standsUntil(state: WakeState, served: boolean, policy: WakePolicy, nowMs: number): number | null {
  const dueMs = dueAt(state, policy, nowMs);
  const ahead = dueMs !== null && dueMs > nowMs ? dueMs : null;
  switch (state.kind) {
    case "idle":
    case "settled":
      return Number.POSITIVE_INFINITY;
    case "owed": {
      const hasNothing = !served && state.tried.length === 0;
      return hasNothing && dueMs !== null && nowMs >= dueMs + SETTLED_MS ? Number.POSITIVE_INFINITY : ahead;
    }
    case "suppressed":
      return ahead;
    case "typed":
      return state.reported ? ahead : null;
    case "noticed": {
      const againMs = state.atMs + policy.againMs;
      return nowMs >= againMs && nowMs < againMs + SETTLED_MS ? null : ahead;
    }
    case "leased":
    case "expired":
      return null;
  }
}
