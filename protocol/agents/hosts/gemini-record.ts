/**
 * The chats of Gemini CLI. A message of the model is written again when its tools have answered, and a resumed session writes the history
 * once more without tokens. Cached input is a part of the input; thoughts are not a part of the output there, and are here.
 */

import { isObject } from "../../core/format/schema.ts";
import { Counts, type RecordReader, textAt } from "./agent-record.ts";

const KNOWN = ["input", "output", "cached", "thoughts", "tool", "total"];

/** What a chat said so far. */
interface GeminiState {
  run?: string | undefined;
}

/** Reads the chats of Gemini CLI, with the session that they are of. */
export const geminiRecord: RecordReader<GeminiState> = {
  start: {},
  words: ['"tokens"', '"sessionId"'],
  read(state, line) {
    const run = textAt(line, "sessionId") ?? state.run;
    const id = textAt(line, "id");
    const at = textAt(line, "timestamp");
    const tokens = line["tokens"];
    if (line["type"] !== "gemini" || !isObject(tokens) || id === undefined || at === undefined) return { state: { run }, calls: [] };
    const counts = new Counts(tokens, KNOWN);
    const [whole, written] = [counts.need("input"), counts.need("output")];
    const [cached, reasoning, tool] = [counts.may("cached"), counts.may("thoughts"), counts.may("tool")];
    const input = counts.without("cached", whole, cached) + tool;
    const call = {
      id: `gemini:${id}`,
      at,
      agent: "gemini" as const,
      model: textAt(line, "model"),
      run,
      ...counts.as({ input, cached, written: 0, written1h: 0, output: written + reasoning, reasoning }),
    };
    return { state: { run }, calls: [call] };
  },
};
