/**
 * The events of Copilot CLI's sessions. Each call has a line of its own; the sums of `session.shutdown` hold the calls of earlier runs too,
 * and are not read. What was read from the cache and written to it is a part of the input.
 */

import { isObject } from "../../core/format/schema.ts";
import { Counts, objectAt, type RecordReader, textAt } from "./agent-record.ts";

const KNOWN = ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "reasoningTokens"];
const COUNTS = /Tokens$/;

/** Reads the events of Copilot CLI; the state is the id of the session. */
export const copilotRecord: RecordReader<string | null> = {
  start: null,
  words: ['"session.usage_record"', '"session.start"'],
  read(state, line) {
    const data = objectAt(line, "data");
    const run = line["type"] === "session.start" ? (textAt(data, "sessionId") ?? state) : state;
    const usage = data["usage"];
    const [id, at] = [textAt(line, "id"), textAt(line, "timestamp")];
    if (line["type"] !== "session.usage_record" || !isObject(usage) || id === undefined || at === undefined)
      return { state: run, calls: [] };
    // Limits of the model stand among the counts.
    const given = Object.fromEntries(Object.entries(usage).filter(([key]) => COUNTS.test(key) && !key.startsWith("max")));
    const counts = new Counts(given, KNOWN);
    const [whole, output] = [counts.need("inputTokens"), counts.need("outputTokens")];
    const [cached, written, reasoning] = [counts.may("cacheReadTokens"), counts.may("cacheWriteTokens"), counts.may("reasoningTokens")];
    const input = counts.without("cacheReadTokens", whole, cached + written);
    const said = counts.as({ input, cached, written, written1h: 0, output, reasoning: Math.min(reasoning, output) });
    const call = { id: `copilot:${id}`, at, agent: "copilot" as const, model: textAt(usage, "model"), run: run ?? undefined, ...said };
    return { state: run, calls: [call] };
  },
};
