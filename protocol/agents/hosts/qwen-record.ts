/** The chats of Qwen Code. Cached input is a part of the input; whether thoughts are one of the output is its provider's affair, and the total says it. */

import { isObject } from "../../core/format/schema.ts";
import { Counts, type RecordReader, textAt } from "./agent-record.ts";

const KNOWN = ["promptTokenCount", "cachedContentTokenCount", "candidatesTokenCount", "thoughtsTokenCount", "totalTokenCount"];

/** Reads the chats of Qwen Code; each line says all by itself. */
export const qwenRecord: RecordReader<null> = {
  start: null,
  words: ['"usageMetadata"'],
  read(_, line) {
    const [id, at, tokens] = [textAt(line, "uuid"), textAt(line, "timestamp"), line["usageMetadata"]];
    if (line["type"] !== "assistant" || id === undefined || at === undefined || !isObject(tokens)) return { state: null, calls: [] };
    const counts = new Counts(tokens, KNOWN);
    const [whole, written] = [counts.need("promptTokenCount"), counts.need("candidatesTokenCount")];
    const [cached, reasoning] = [counts.may("cachedContentTokenCount"), counts.may("thoughtsTokenCount")];
    const isApart = counts.may("totalTokenCount") === whole + written + reasoning;
    const output = isApart ? written + reasoning : written;
    const input = counts.without("cachedContentTokenCount", whole, cached);
    const said = counts.as({ input, cached, written: 0, written1h: 0, output, reasoning: Math.min(reasoning, output) });
    const call = { id: `qwen:${id}`, at, agent: "qwen" as const, model: textAt(line, "model"), run: textAt(line, "sessionId"), ...said };
    return { state: null, calls: [call] };
  },
};
