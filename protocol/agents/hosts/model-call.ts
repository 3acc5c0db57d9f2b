/** A call of a model, as the records of agents say it: its tokens, each counted once. */
import type { HostName } from "./index.ts";

/** The agents whose own records are read, and `event` for what a part said itself. */
export type UsageAgent = HostName | "event";

/**
 * The tokens of a call, each counted in one field alone: the whole input is `input + cached + written`. `written1h` is a part of
 * `written`, and `reasoning` a part of `output`.
 */
export const TOKEN_FIELDS = ["input", "cached", "written", "written1h", "output", "reasoning"] as const;
export type TokenField = (typeof TOKEN_FIELDS)[number];
export type Tokens = Readonly<Record<TokenField, number>>;

/** The counts of a call that took nothing, or of which nothing is known. */
export const NO_TOKENS: Tokens = { input: 0, cached: 0, written: 0, written1h: 0, output: 0, reasoning: 0 };

/** What an agent's own record says of one call of a model. */
export interface ModelCall {
  /** From the agent's own ids: the same wherever and however often the record is read. */
  id: string;
  /** ISO 8601. */
  at: string;
  agent: UsageAgent;
  /** As the agent names it; absent where its record does not say. */
  model?: string | undefined;
  /** The agent's id of its session. */
  run?: string | undefined;
  tokens: Tokens;
  /** What the record says in a way that this version does not know: its tokens are not all that there were. */
  unknown?: readonly string[] | undefined;
}

/** No call has so many, and a sum of a million of them is a number still. */
const MOST_TOKENS = 1_000_000_000;

/** Whether a value may be a count of tokens of one call. */
export const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= MOST_TOKENS;
