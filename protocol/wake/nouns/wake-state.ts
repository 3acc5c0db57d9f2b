/** The states of a wake, and its events. spec/waking.md, "The wake machine". */
import type { Permit, Suppression } from "../../core/config/wake-policy.ts";

/** The ways to reach a part, in the order of the ladder. */
export const RUNGS = ["channel", "hook", "tmux", "exec"] as const;
/** A way to ring a part. */
export type RungName = (typeof RUNGS)[number];

/** Set where the mail was told of before, and was left: that the part fetched it then is no reason any more not to ring. */
export type Again = true | undefined;

/** A wake that somebody rings, or rang. `holder` is a process as `store/process.ts` writes it. */
interface Rung {
  wakeId: string;
  /** When the part's mail began to wait. */
  sinceMs: number;
  rung: RungName;
  holder: string;
  /** When the lease was taken; renewals are kept beside the chain. */
  leasedMs: number;
  unread: number;
  urgent: boolean;
  /** Rungs that did not reach the part this time round, and how often all of them failed. */
  tried: RungName[];
  fails: number;
  again?: Again;
  /** What the rung said last. */
  reason?: string | undefined;
  detail?: string | undefined;
}

/** Where a part's wake stands; each state has just what it needs. */
export type WakeState =
  | { kind: "idle" }
  | {
      kind: "owed";
      wakeId: string;
      sinceMs: number;
      atMs: number;
      tried: RungName[];
      fails: number;
      notBeforeMs: number;
      again?: Again;
      reason?: string | undefined;
      detail?: string | undefined;
    }
  | ({ kind: "leased" } & Rung)
  | ({ kind: "typed"; atMs: number; reported: boolean; resumed: boolean } & Rung)
  | { kind: "noticed"; wakeId: string; sinceMs: number; atMs: number; rung: RungName | null; fetched: boolean }
  | { kind: "settled"; wakeId: string; atMs: number }
  | { kind: "expired"; wakeId: string; sinceMs: number; atMs: number; again?: Again }
  | { kind: "suppressed"; wakeId: string; sinceMs: number; atMs: number; reason: Suppression; untilMs: number; again?: Again };

/** What a rung says it knows. `released`: it gives the lease back and tried nothing. */
export const OUTCOMES = ["typed", "noticed", "waiting", "unreachable", "released"] as const;
/** What a rung may report. */
export type OutcomeKind = (typeof OUTCOMES)[number];

/** What moves the machine; instants in milliseconds since the epoch. `newId` is used where a new wake begins. */
export type WakeEvent =
  | ({
      kind: "scan";
      nowMs: number;
      newId: string;
      unread: number;
      /** Whether the part has not fetched some of them. */
      unseen: boolean;
      /** Whether some of them were neither fetched, nor unread when a doorbell rang: another batch. */
      fresh: boolean;
      /** Whether the part deals with its mail just now: it read or acked some of it. */
      heard: boolean;
      urgent: boolean;
      permit: Permit;
      /** For how long the state has stood, in milliseconds, where a clock was asked that all share. */
      ageMs?: number | null | undefined;
    } & HolderFacts)
  | ({ kind: "lease"; nowMs: number; rung: RungName; holder: string; unread: number; urgent: boolean } & HolderFacts)
  | { kind: "commit"; nowMs: number; wakeId: string }
  | { kind: "retry"; nowMs: number; newId: string }
  | {
      kind: "report";
      nowMs: number;
      newId: string;
      wakeId: string;
      outcome: OutcomeKind;
      reason?: string | undefined;
      detail?: string | undefined;
    };

/** Where no wake was ever owed. */
export const IDLE: WakeState = { kind: "idle" };

/** What is known of whoever holds a lease. */
export interface HolderFacts {
  /** Whether it is gone for certain. */
  gone: boolean;
  /** When the lease was last renewed, in milliseconds since the epoch. */
  renewedMs: number;
  /** For how long the lease has not been renewed, in milliseconds, where a clock was asked that all share. */
  silentMs?: number | null | undefined;
}
