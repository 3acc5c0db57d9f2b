/** The readers of all agents' records. */

import { type RecordReader, recordLine } from "../../agents/hosts/agent-record.ts";
import { HOSTS, type HostName, hostOf } from "../../agents/hosts/index.ts";
import type { ModelCall } from "../../agents/hosts/model-call.ts";
import { orElse } from "../../core/format/file-error.ts";
import { isObject } from "../../core/format/schema.ts";

/** The agents that write records of their own. */
export type RecordAgent = HostName;
export const RECORD_AGENTS: readonly RecordAgent[] = HOSTS.flatMap(({ name, records }) => (records === undefined ? [] : [name]));

/** Whether an agent writes records that are read here. */
export const isRecordAgent = (name: HostName): boolean => RECORD_AGENTS.includes(name);

/** Of one that has no records no line says anything. */
const NO_READER: RecordReader<unknown> = { start: null, words: [], read: () => ({ state: null, calls: [] }) };

/**
 * Reads some lines of a record, where the last reading ended.
 * @param state what the last reading left; undefined at the beginning of the file
 * @returns the calls of these lines, and what the next reading needs
 */
export function readRecord(agent: RecordAgent, lines: readonly string[], state: unknown): { state: unknown; calls: ModelCall[] } {
  const { start, words, read } = hostOf(agent).records?.reader ?? NO_READER;
  const calls: ModelCall[] = [];
  let now = state ?? start;
  for (const line of lines) {
    if (!words.some((word) => line.includes(word))) continue;
    const found = recordLine(line);
    if (found === null) continue;
    const next = read(now, found);
    now = next.state;
    calls.push(...next.calls);
  }
  return { state: now, calls };
}

/**
 * The lines of a record that is one object, as Gemini CLI wrote it before it wrote lines: the object without its messages, and each message.
 * @returns no line of a text that is none
 */
export function wholeRecord(text: string): string[] {
  const value = orElse(null, (): unknown => JSON.parse(text));
  if (!isObject(value)) return [];
  const { messages, ...head } = value;
  return [head, ...(Array.isArray(messages) ? messages : [])].map((each) => JSON.stringify(each));
}
