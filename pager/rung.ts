/** The interface of every rung of the ladder: one way to ring a part's doorbell. spec/waking.md, "Waking". */

/** One ring: the wake that is owed to a part, with the lease of the process that delivers it. */
export interface Ring {
  part: string;
  wakeId: string;
  /** How many messages the part has not acked. */
  unread: number;
  urgent: boolean;
  /** The doorbell: one line of plain characters with the wake's id, and never words of a message. */
  line: string;
  /** When the part's mail began to wait, in milliseconds since the epoch. */
  sinceMs: number;
  /**
   * An earlier holder committed this wake and was lost before it said what came of it. What it left may be finished (its
   * line is exactly `line`), and nothing may be begun: `commit` gives false. `unreachable` when there is nothing to finish.
   */
  resumed: boolean;
  /**
   * Takes the wake's one right to be delivered; called just before what cannot be taken back, such as the first key.
   * @returns false when it was taken before, or the wake is no longer this lease's: then nothing may be delivered
   */
  commit(): boolean;
  /** Aborted when the wake settles, or its lease is lost; with the reason `PAGER_ENDS` when the ringing process must end. */
  signal: AbortSignal;
}

/** Why a ring is given up though its wake is still owed. */
export const PAGER_ENDS = "the pager ends";

/** What a rung knows after it rang. */
export type Outcome =
  /** The doorbell was delivered as far as the rung can see; nobody is known to have heard it. */
  | { kind: "typed"; detail?: string }
  /** The part is known to have heard it. */
  | { kind: "noticed"; detail?: string }
  /** Not now, such as for a half-typed line: to be tried again. `reason` is one of the closed list of spec/waking.md, "Waking". */
  | { kind: "waiting"; reason: string; detail?: string }
  /** Not by this rung: the next one. */
  | { kind: "unreachable"; reason: string; detail?: string };

/** A way to reach a part. */
export interface Rung {
  readonly name: "channel" | "hook" | "tmux" | "exec";
  /** Whether there is anything to ring for a part. One that no rung serves stays owed, and is asked again. */
  serves?(part: string): boolean;
  /** Shows, where this rung can, how many messages of a part are unread; called after each scan. */
  show?(part: string): void;
  ring(ring: Ring): Promise<Outcome>;
  /** Whether nothing changed since this rung last said "not now" of a part, so that to ring again would say the same. */
  isStill?(part: string): boolean;
}
