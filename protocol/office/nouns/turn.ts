/** Turns of a dispatch: one run of the recipient's process each, its beginning and its end. spec/office.md, "Turns". */
import * as z from "zod/mini";
import { formatFrontmatter, headerError, parseFrontmatter, withoutUndefined } from "../../core/format/frontmatter.ts";
import type { ThreadLocation } from "../../core/format/id.ts";
import { once } from "../../core/format/schema.ts";
import { turnsFolder } from "./dispatch.ts";

/** Why a turn was started. */
export const TURN_REASONS = ["start", "message", "replies", "question", "interrupted"] as const;
/** Why a turn was started. */
export type TurnReason = (typeof TURN_REASONS)[number];

/** How a turn ended. `waiting`: it has no reply yet. `interrupted`: nobody knows how it ended, and the next turn goes on with its input. */
export const OUTCOMES = ["ok", "empty", "waiting", "failed", "timeout", "closed", "interrupted"] as const;
/** How a turn ended. */
export type Outcome = (typeof OUTCOMES)[number];

/** What a program said that a turn used; what it did not say is absent. */
export interface Usage {
  inputTokens?: number | undefined;
  cachedInputTokens?: number | undefined;
  outputTokens?: number | undefined;
  costUsd?: number | undefined;
}

/** The beginning of a turn. */
export interface Turn {
  /** Counted from 1. */
  turn: number;
  at: string;
  reason: TurnReason;
  /** The messages that it was given, oldest first. */
  inputs: readonly string[];
  /** The program: `claude`, `codex`, `gemini` or `command`. */
  runner: string;
  model?: string | undefined;
  /** The program's own session, where Relay chose it. */
  agentSession?: string | undefined;
}

/** The end of a turn. */
export interface TurnEnd {
  turn: number;
  at: string;
  outcome: Outcome;
  /** The exit code, or the name of the signal. */
  exit?: string | undefined;
  agentSession?: string | undefined;
  /** Absent where the program said nothing. */
  usage?: Usage | undefined;
  /** The message that the initiator was answered with; absent where the dispatch waits. */
  reply?: string | undefined;
  /** Of a turn that failed, what its calls took and its program may not have heard: the next turn is told it. */
  unheard?: readonly string[] | undefined;
  /** What went wrong, in one line. */
  problem?: string | undefined;
  /** The last lines of stderr, or the final text where no reply has it. */
  text: string;
}

/** Where the beginning of a turn lies. */
export const turnPath = (key: ThreadLocation, turn: number): string => `${turnsFolder(key)}/${turn}.md`;
/** Where the end of a turn lies. */
export const endPath = (key: ThreadLocation, turn: number): string => `${turnsFolder(key)}/${turn}.end.md`;
/** Where the whole final text of a turn lies that is too long for a message. */
export const textPath = (key: ThreadLocation, turn: number): string => `${turnsFolder(key)}/${turn}.text.md`;

const NAME = /^turns\/([1-9]\d{0,5})(?:\.(end|text))?\.md$/;

/** Which file of a turn a path inside of a dispatch's folder is; null for any other. */
export function turnFile(rest: string): { turn: number; file: "turn" | "turn_end" | "turn_text" } | null {
  const [, turn, kind] = NAME.exec(rest) ?? [];
  if (turn === undefined) return null;
  return { turn: Number(turn), file: kind === "end" ? "turn_end" : kind === "text" ? "turn_text" : "turn" };
}

const TurnHeader = once(() =>
  z.looseObject({
    turn: z.int(),
    at: z.string(),
    reason: z.enum(TURN_REASONS),
    inputs: z.array(z.string()),
    runner: z.string(),
    model: z.optional(z.string()),
    agent_session: z.optional(z.string()),
  }),
);
const EndHeader = once(() =>
  z.looseObject({
    turn: z.int(),
    at: z.string(),
    outcome: z.enum(OUTCOMES),
    exit: z.optional(z.string()),
    agent_session: z.optional(z.string()),
    input_tokens: z.optional(z.number()),
    cached_input_tokens: z.optional(z.number()),
    output_tokens: z.optional(z.number()),
    cost_usd: z.optional(z.number()),
    reply: z.optional(z.string()),
    unheard: z.optional(z.array(z.string())),
    problem: z.optional(z.string()),
  }),
);

/** Writes the beginning of a turn. */
export const formatTurn = ({ turn, at, reason, inputs, runner, model, agentSession }: Turn): string =>
  formatFrontmatter({ turn, at, reason, inputs: [...inputs], runner, model, agent_session: agentSession }, "");

/** Reads the beginning of a turn. @throws FileError, with the line */
export function parseTurn(source: string): Turn {
  const { header } = parseFrontmatter(source);
  const parsed = TurnHeader().safeParse(header);
  if (!parsed.success) throw headerError(source, header, parsed.error.issues);
  const { turn, at, reason, inputs, runner, model, agent_session: agentSession } = parsed.data;
  return withoutUndefined({ turn, at, reason, inputs, runner, model, agentSession });
}

/** Writes the end of a turn. */
export const formatEnd = ({ turn, at, outcome, exit, agentSession, usage, reply, unheard, problem, text }: TurnEnd): string =>
  formatFrontmatter(
    {
      turn,
      at,
      outcome,
      exit,
      agent_session: agentSession,
      input_tokens: usage?.inputTokens,
      cached_input_tokens: usage?.cachedInputTokens,
      output_tokens: usage?.outputTokens,
      cost_usd: usage?.costUsd,
      reply,
      unheard: unheard === undefined || unheard.length === 0 ? undefined : [...unheard],
      problem,
    },
    text,
  );

/** Reads the end of a turn. @throws FileError, with the line */
export function parseEnd(source: string): TurnEnd {
  const { header, body } = parseFrontmatter(source);
  const parsed = EndHeader().safeParse(header);
  if (!parsed.success) throw headerError(source, header, parsed.error.issues);
  const { turn, at, outcome, exit, agent_session: agentSession, reply, unheard, problem } = parsed.data;
  const { input_tokens: inputTokens, cached_input_tokens: cachedInputTokens, output_tokens: outputTokens, cost_usd: costUsd } = parsed.data;
  const usage = withoutUndefined({ inputTokens, cachedInputTokens, outputTokens, costUsd });
  const used = Object.keys(usage).length === 0 ? undefined : usage;
  return withoutUndefined({ turn, at, outcome, exit, agentSession, usage: used, reply, unheard, problem, text: body });
}
