/**
 * The calls of OpenCode, which keeps them in a database: a message as its plug-in says it, or a step as `opencode run` prints it, both by the
 * message's id. The input is without what was read from the cache, and the output without its thoughts.
 */

import { isObject } from "../../core/format/schema.ts";
import { Counts, objectAt, type RecordReader, textAt } from "./agent-record.ts";

const KNOWN = ["input", "output", "reasoning", "total"];

/** Reads the calls of OpenCode; each line says all by itself. */
export const opencodeRecord: RecordReader<null> = {
  start: null,
  words: ['"tokens"'],
  read(_, line) {
    const part = objectAt(line, "part");
    const message = line["type"] === "step_finish" ? { ...part, id: part["messageID"] } : line;
    const { tokens } = message as Record<string, unknown>;
    const id = textAt(message, "id");
    const time = line["type"] === "step_finish" ? line["timestamp"] : objectAt(line, "time")["completed"];
    if (!isObject(tokens) || id === undefined || typeof time !== "number" || !Number.isSafeInteger(time) || Math.abs(time) > 8e15)
      return { state: null, calls: [] };
    const counts = new Counts(tokens, KNOWN);
    const cache = new Counts(objectAt(tokens, "cache"), ["read", "write"]);
    const [input, written, cached] = [counts.need("input"), cache.may("write"), cache.may("read")];
    const [said, reasoning] = [counts.need("output"), counts.may("reasoning")];
    const counted = counts.as({ input, cached, written, written1h: 0, output: said + reasoning, reasoning });
    const run = textAt(message, "sessionID");
    const model = textAt(message, "modelID");
    return { state: null, calls: [{ id: `opencode:${id}`, at: new Date(time).toISOString(), agent: "opencode", model, run, ...counted }] };
  },
};
