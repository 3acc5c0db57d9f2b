/** What a dispatch is at: derived from its files and its mail, and never stored. spec/office.md, "State of a dispatch". */
import type { DispatchClosed } from "./dispatch.ts";
import type { Outcome, Turn, TurnEnd, TurnReason } from "./turn.ts";

/** What a dispatch can be at. `idle` and `failed` have answered, and go on when they are sent more. */
export const DISPATCH_STATES = ["queued", "running", "waiting", "idle", "failed", "closed"] as const;
/** What a dispatch is at. */
export type DispatchStateName = (typeof DISPATCH_STATES)[number];

/** What came and no turn took. */
export interface Untaken {
  /** From whoever gave the work: more of it, or the answer to a question; and from people who were asked. */
  fromInitiator: boolean;
  /** The answer to a question of its own: whoever asked goes on with it, and has not replied yet. */
  answer?: boolean;
  /** A question of somebody whom this dispatch gave work to. */
  question: boolean;
  /** A reply of somebody whom this dispatch gave work to. */
  reply: boolean;
}

/** All that the state follows from. */
export interface DispatchFacts {
  turns: readonly Pick<Turn, "turn">[];
  ends: readonly Pick<TurnEnd, "turn" | "outcome">[];
  closed: DispatchClosed | null;
  untaken: Untaken;
  /** How many of its own dispatches are at work. */
  childrenAtWork: number;
  /** Whether it asked its requestor, or a person, and has no answer. */
  asks: boolean;
}

/** The turn that has no end; null where none runs. */
export function runningTurn({ turns, ends }: Pick<DispatchFacts, "turns" | "ends">): number | null {
  const ended = new Set(ends.map(({ turn }) => turn));
  return turns.find(({ turn }) => !ended.has(turn))?.turn ?? null;
}

/** How the last turn ended; null where none has. */
export const lastOutcome = ({ ends }: Pick<DispatchFacts, "ends">): Outcome | null =>
  ends.reduce<Pick<TurnEnd, "turn" | "outcome"> | null>((last, end) => (last === null || end.turn > last.turn ? end : last), null)
    ?.outcome ?? null;

const isFailure = (outcome: Outcome | null): boolean => outcome === "failed" || outcome === "timeout";

/**
 * Why a next turn is due; null where none is. A message of the initiator always leads to one, and so does a question from below, because
 * whoever asks cannot go on. Replies do once nobody below is at work, so that all of them come at once; not for replies alone where the
 * last turn failed.
 */
export function nextReason(facts: DispatchFacts): TurnReason | null {
  if (facts.closed !== null || runningTurn(facts) !== null) return null;
  const last = lastOutcome(facts);
  if (last === "interrupted") return "interrupted";
  const { fromInitiator, question, reply } = facts.untaken;
  if (fromInitiator) return facts.turns.length === 0 ? "start" : "message";
  if (question) return "question";
  return reply && facts.childrenAtWork === 0 && !isFailure(last) ? "replies" : null;
}

/** What a dispatch is at. */
export function deriveState(facts: DispatchFacts): DispatchStateName {
  if (facts.closed !== null) return "closed";
  if (runningTurn(facts) !== null) return "running";
  if (nextReason(facts) !== null) return "queued";
  const last = lastOutcome(facts);
  if (isFailure(last)) return "failed";
  return facts.childrenAtWork > 0 || facts.asks ? "waiting" : "idle";
}

/** Whether a dispatch has a slot of its parent's: it is queued, running or waiting. */
export const isAtWork = (state: DispatchStateName): boolean => state === "queued" || state === "running" || state === "waiting";

/** Whether a turn that ended well is no reply yet: a dispatch below is at work, its mail is unread, or a question has no answer. */
export const mustWait = ({ untaken, childrenAtWork, asks }: Omit<DispatchFacts, "turns" | "ends" | "closed">): boolean =>
  childrenAtWork > 0 || asks || untaken.answer === true || untaken.reply || untaken.question;
