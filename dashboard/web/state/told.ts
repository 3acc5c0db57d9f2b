/** What is told and kept in no file: who is writing, and what turns print. It is forgotten when the page is closed. */
import { signal } from "@preact/signals";
import { nowMs } from "./time.ts";

/** A line of the local feed. Whatever its writer says in it is data. */
export interface Told {
  type: string;
  part: string;
  [detail: string]: unknown;
}

/** Who is writing, by part: until when that is believed, in milliseconds since the epoch, and in which thread, where they said it. */
const writing = signal<ReadonlyMap<string, { untilMs: number; thread: string }>>(new Map());
/** What the turn that runs printed last, by the id of its dispatch. */
export const printed = signal<ReadonlyMap<string, { turn: number; text: string }>>(new Map());

const WRITING_MS = 20_000;
const TEXT_LENGTH = 16_384;
const MOST_TURNS = 50;

const asText = (value: unknown): string => (typeof value === "string" ? value : "");

/** Takes what was told. */
export function hearTold(lines: readonly Told[]): void {
  const now = new Map(writing.value);
  const turns = new Map(printed.value);
  for (const line of lines) {
    if (line.type === "event:composing") now.set(line.part, { untilMs: Date.now() + WRITING_MS, thread: threadIn(line["detail"]) });
    else if (line.type === "message:sent" || line.type.startsWith("event:")) now.delete(line.part);
    else printOn(turns, line);
  }
  writing.value = now;
  printed.value = turns;
}

function printOn(turns: Map<string, { turn: number; text: string }>, line: Told): void {
  const [dispatch, turn, chunk] = [asText(line["dispatch"]), Number(line["turn"]), asText(line["chunk"])];
  if (dispatch === "" || !Number.isInteger(turn)) return;
  const before = turns.get(dispatch);
  const text = before?.turn === turn ? joined(before.text, chunk) : chunk;
  turns.delete(dispatch);
  turns.set(dispatch, { turn, text: text.slice(-TEXT_LENGTH) });
  for (const oldest of [...turns.keys()].slice(0, -MOST_TURNS)) turns.delete(oldest);
}

/** A text and the end of what it is now: what both have is kept once. */
function joined(text: string, end: string): string {
  for (let both = Math.min(text.length, end.length); both > 0; both -= 1)
    if (text.endsWith(end.slice(0, both))) return text + end.slice(both);
  return text === "" ? end : `${text}\n${end}`;
}

/** The thread that somebody says to write in; empty where they name none. */
const threadIn = (detail: unknown): string =>
  typeof detail === "object" && detail !== null ? asText((detail as Record<string, unknown>)["threadId"]) : "";

/** Who of some parts is writing now, in a thread. */
export const writersIn = (thread: string, parts: readonly string[]): string[] =>
  parts.filter((part) => {
    const said = writing.value.get(part);
    return said !== undefined && said.untilMs > nowMs.value && (said.thread === "" || said.thread === thread);
  });
