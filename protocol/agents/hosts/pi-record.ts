/** The sessions of pi. Its input leaves out tokens of the cache. A fork copies all earlier lines with their ids. */

import { isObject } from "../../core/format/schema.ts";
import { Counts, objectAt, type RecordReader, textAt } from "./agent-record.ts";

const KNOWN = ["input", "output", "cacheRead", "cacheWrite", "cacheWrite1h", "reasoning", "totalTokens"];

/** Reads the sessions of pi; the state is the id of the session. */
export const piRecord: RecordReader<string | null> = {
  start: null,
  words: ['"usage"', '"type":"session"'],
  read(state, line) {
    const run = line["type"] === "session" ? (textAt(line, "id") ?? state) : state;
    const message = objectAt(line, "message");
    const usage = message["usage"];
    const [id, at] = [textAt(message, "responseId") ?? textAt(line, "id"), textAt(line, "timestamp")];
    if (message["role"] !== "assistant" || !isObject(usage) || id === undefined || at === undefined) return { state: run, calls: [] };
    const counts = new Counts(usage, KNOWN);
    const [input, output, cached] = [counts.need("input"), counts.need("output"), counts.may("cacheRead")];
    const [written, written1h, reasoning] = [counts.may("cacheWrite"), counts.may("cacheWrite1h"), counts.may("reasoning")];
    const said = counts.as({
      input,
      cached,
      written,
      written1h: Math.min(written1h, written),
      output,
      reasoning: Math.min(reasoning, output),
    });
    const call = { id: `pi:${id}`, at, agent: "pi" as const, model: textAt(message, "model"), run: run ?? undefined, ...said };
    return { state: run, calls: [call] };
  },
};
