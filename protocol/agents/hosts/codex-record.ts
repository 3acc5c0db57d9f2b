/**
 * The rollouts of Codex. Newer versions write a record of each call; older ones only how much the thread has had so far, also where
 * nothing was called, and a fork begins with what it inherits. Cached input is a part of the input, reasoning a part of the output.
 */

import { isObject } from "../../core/format/schema.ts";
import { Counts, objectAt, type RecordReader, textAt } from "./agent-record.ts";
import type { ModelCall } from "./model-call.ts";

const KNOWN = [
  "input_tokens",
  "cached_input_tokens",
  "cache_write_input_tokens",
  "output_tokens",
  "reasoning_output_tokens",
  "total_tokens",
];

/** What a rollout said so far. */
interface CodexState {
  thread?: string | undefined;
  turn?: string | undefined;
  model?: string | undefined;
  /** Whether it has records of its calls. */
  hasRecords?: true;
  /** When it was forked off another thread, ISO 8601; what that one had stands in it as well. */
  forkedAt?: string | undefined;
  /** All that the thread has had, as the last line said it. */
  total?: Record<string, unknown> | undefined;
}

/** Reads the rollouts of Codex, with what a rollout said so far. */
export const codexRecord: RecordReader<CodexState> = {
  start: {},
  words: ['"token_usage_record"', '"token_count"', '"turn_context"', '"session_meta"', '"task_started"'],
  read(state, line) {
    const payload = objectAt(line, "payload");
    const at = textAt(line, "timestamp");
    switch (line["type"]) {
      case "session_meta":
        return { state: headed(state, payload, at), calls: [] };
      case "turn_context":
        return { state: { ...state, turn: textAt(payload, "turn_id") ?? state.turn, model: textAt(payload, "model") }, calls: [] };
      case "token_usage_record":
        return { state: { ...state, hasRecords: true }, calls: at === undefined ? [] : recorded(state, payload, at) };
      case "event_msg":
        if (payload["type"] === "task_started") return { state: { ...state, turn: textAt(payload, "turn_id") ?? state.turn }, calls: [] };
        return payload["type"] === "token_count" && at !== undefined ? counted(state, payload, at) : { state, calls: [] };
      default:
        return { state, calls: [] };
    }
  },
};

/** The head of a thread: its own stands first, and that of the thread that it was forked off may follow. */
function headed(state: CodexState, payload: Record<string, unknown>, at: string | undefined): CodexState {
  const id = textAt(payload, "id");
  if (state.thread === undefined)
    return { ...state, thread: id, forkedAt: textAt(payload, "forked_from_id") === undefined ? undefined : at };
  return id === state.thread || state.forkedAt !== undefined ? state : { ...state, forkedAt: at };
}

/** Whether a count is a copy of what another thread had: of a fork before its first turn, or of the moment that it was made. */
const isInherited = ({ forkedAt, turn }: CodexState, at: string): boolean =>
  forkedAt !== undefined && (turn === undefined || Date.parse(at) - Date.parse(forkedAt) < FORK_MS);
/** A fork is written within this time, and no call of a model is as short. */
const FORK_MS = 1_000;

/** A call that has a record. */
function recorded(state: CodexState, payload: Record<string, unknown>, at: string): ModelCall[] {
  const usage = payload["usage"];
  const response = textAt(payload, "response_id");
  const thread = textAt(payload, "thread_id") ?? state.thread;
  if (!isObject(usage) || response === undefined) return [];
  return [{ id: `codex:${response}`, at, agent: "codex", model: state.model, run: thread, ...tokensOf(usage) }];
}

/** A call by how much the thread has had more than before. */
function counted(state: CodexState, payload: Record<string, unknown>, at: string): { state: CodexState; calls: ModelCall[] } {
  const info = payload["info"];
  if (!isObject(info) || !isObject(info["total_token_usage"])) return { state, calls: [] };
  const total = info["total_token_usage"];
  const next = { ...state, total };
  if (state.hasRecords === true || key(total) === key(state.total ?? {}) || isInherited(state, at)) return { state: next, calls: [] };
  const last = info["last_token_usage"];
  const more = difference(total, state.total) ?? (isObject(last) ? last : total);
  // A fork's copy of its parent's lines has their turn, and so their ids.
  const id = `codex:${state.turn ?? state.thread ?? "?"}:${key(total)}`;
  return { state: next, calls: [{ id, at, agent: "codex", model: state.model, run: state.thread, ...tokensOf(more) }] };
}

const key = (total: Record<string, unknown>): string =>
  KNOWN.slice(0, -1)
    .map((each) => String(total[each] ?? 0))
    .join(".");

/** What a total has more than the one before; null where there was none, or it is less. */
function difference(total: Record<string, unknown>, before: Record<string, unknown> | undefined): Record<string, unknown> | null {
  if (before === undefined) return null;
  const more = Object.entries(total).map(([name, value]) => [name, Number(value) - Number(before[name] ?? 0)] as const);
  return more.every(([, count]) => count >= 0) ? Object.fromEntries(more) : null;
}

function tokensOf(usage: Record<string, unknown>): Pick<ModelCall, "tokens" | "unknown"> {
  const counts = new Counts(usage, KNOWN);
  const [whole, output] = [counts.need("input_tokens"), counts.need("output_tokens")];
  const [cached, written] = [counts.may("cached_input_tokens"), counts.may("cache_write_input_tokens")];
  const reasoning = Math.min(counts.may("reasoning_output_tokens"), output);
  const input = counts.without("cached_input_tokens", whole, cached + written);
  return counts.as({ input, cached, written, written1h: 0, output, reasoning });
}
