/**
 * The transcripts of Claude Code, one for each session and one for each subagent. A message is written once for each of its blocks, and
 * again by a fork or where a compaction keeps it: its id is the same each time, and a copy that a compaction keeps has no tokens.
 */

import { isObject } from "../../core/format/schema.ts";
import { Counts, objectAt, type RecordReader, textAt } from "./agent-record.ts";
import { isCount, type ModelCall, NO_TOKENS } from "./model-call.ts";

const KNOWN = ["input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"];
/** The model of lines that no model wrote, such as an error. */
const NO_MODEL = "<synthetic>";

/** Reads the transcripts of Claude Code; each line says all by itself. */
export const claudeRecord: RecordReader<null> = {
  start: null,
  words: ['"usage"', '"compact_boundary"'],
  read: (_, line) => ({ state: null, calls: callsOf(line) }),
};

function callsOf(line: Record<string, unknown>): ModelCall[] {
  const at = textAt(line, "timestamp") ?? "";
  const run = textAt(line, "sessionId");
  if (line["type"] === "system" && line["subtype"] === "compact_boundary") {
    // The call that wrote the summary stands nowhere in the transcript.
    const uuid = textAt(line, "uuid");
    const unknown = ["compaction"];
    return uuid === undefined ? [] : [{ id: `claude:${uuid}`, at, agent: "claude", run, tokens: NO_TOKENS, unknown }];
  }
  const message = objectAt(line, "message");
  const usage = message["usage"];
  const model = textAt(message, "model");
  const id = textAt(message, "id") ?? textAt(line, "uuid");
  if (line["type"] !== "assistant" || !isObject(usage) || id === undefined || model === NO_MODEL) return [];
  return [{ id: `claude:${id}`, at, agent: "claude", model, run, ...tokensOf(usage) }];
}

function tokensOf(usage: Record<string, unknown>): Pick<ModelCall, "tokens" | "unknown"> {
  const counts = new Counts(usage, KNOWN);
  const [input, output] = [counts.need("input_tokens"), counts.need("output_tokens")];
  const [cached, written] = [counts.may("cache_read_input_tokens"), counts.may("cache_creation_input_tokens")];
  const hour = objectAt(usage, "cache_creation")["ephemeral_1h_input_tokens"];
  const isCopy = input + output + cached + written === 0;
  const written1h = isCount(hour) && !isCopy ? Math.min(hour, written) : 0;
  return counts.as({ input, cached, written, written1h, output, reasoning: 0 });
}
