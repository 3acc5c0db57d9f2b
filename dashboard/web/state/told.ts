/** News that no file keeps: who is writing, and what turns print. The page forgets it when it closes. */
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
/** What each part thought last, since the page was opened. */
export const thoughts = signal<ReadonlyMap<string, string>>(new Map());
/** What the turn that runs printed last, by the id of its dispatch. */
export const printed = signal<ReadonlyMap<string, Printed>>(new Map());

/** What a turn printed, and how many bytes that was. */
interface Printed {
  turn: number;
  text: string;
  bytes: number;
}

const WRITING_MS = 20_000;
const TEXT_LENGTH = 16_384;
const MOST_TURNS = 50;

const asText = (value: unknown): string => (typeof value === "string" ? value : "");

/** Takes one piece of news. */
export function hearTold(lines: readonly Told[]): void {
  const now = new Map(writing.value);
  const turns = new Map(printed.value);
  // What did not change is not drawn again.
  let [isWriting, isPrinted] = [false, false];
  for (const line of lines) {
    if (line.type === "event:composing") {
      now.set(line.part, { untilMs: Date.now() + WRITING_MS, thread: threadIn(line["detail"]) });
      isWriting = true;
    } else if (line.type === "agent:thinking") thoughts.value = new Map(thoughts.value).set(line.part, asText(line["chunk"]));
    else if (line.type === "message:sent" || line.type.startsWith("event:")) isWriting = now.delete(line.part) || isWriting;
    else {
      printOn(turns, line);
      isPrinted = true;
    }
  }
  if (isWriting) writing.value = now;
  if (isPrinted) printed.value = turns;
}

function printOn(turns: Map<string, Printed>, line: Told): void {
  const [dispatch, turn, bytes] = [asText(line["dispatch"]), Number(line["turn"]), Number(line["bytes"])];
  if (dispatch === "" || !Number.isInteger(turn) || !Number.isInteger(bytes)) return;
  const before = turns.get(dispatch);
  const known = before?.turn === turn ? before : { turn, text: "", bytes: 0 };
  // A stream that is opened anew tells it again.
  if (bytes <= known.bytes) return;
  const text = typeof line["said"] === "string" ? withWords(known.text, line["said"]) : withEnd(known, asText(line["chunk"]), bytes);
  turns.delete(dispatch);
  turns.set(dispatch, { turn, text: text.slice(-TEXT_LENGTH), bytes });
  for (const oldest of [...turns.keys()].slice(0, -MOST_TURNS)) turns.delete(oldest);
}

const withWords = (text: string, said: string): string => (text === "" ? said : `${text}\n${said}`);

/** A text with what was printed after it. @param end of all that was printed by now @param bytes how much that is */
function withEnd({ text, bytes: before }: Printed, end: string, bytes: number): string {
  const encoded = new TextEncoder().encode(end);
  const fresh = bytes - before;
  if (fresh <= 0) return text;
  if (fresh > encoded.length) return text === "" ? end : `${text}…${end}`;
  return text + new TextDecoder().decode(encoded.subarray(encoded.length - fresh));
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
