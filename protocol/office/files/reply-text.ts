/** The reply of a turn as a message: its head, and the whole text beside the turn where it is too long. spec/office.md, "Long texts". */

import { orElse } from "../../core/format/file-error.ts";
import { parseThreadId, type ThreadLocation } from "../../core/format/id.ts";
import { FILE_BYTES } from "../../core/format/schema.ts";
import { withoutEnd } from "../../core/format/without-end.ts";
import type { Message } from "../../mail/nouns/message.ts";
import type { Store } from "../../store/root.ts";
import { dispatchFolder } from "../nouns/dispatch.ts";
import { OUTCOMES, type Outcome, textPath } from "../nouns/turn.ts";
import { publishRecord, readTurnText } from "./own-files.ts";

/** Characters that a reply holds; a longer text lies whole beside its turn. */
const HEAD = 60_000;
/** Bytes of the note that a text was cut. */
const NOTE_BYTES = 128;

/** Puts the final text of a turn where it has room. @returns what the reply says, and whether the rest lies in a file of its own */
export function storeText(store: Store, key: ThreadLocation, turn: number, given: string): { body: string; isWhole: boolean } {
  const text = given.toWellFormed().replaceAll("\0", "");
  if (text.length <= HEAD) return { body: text, isWhole: true };
  publishRecord(store, textPath(key, turn), withinLimit(text));
  const head = text.slice(0, HEAD).toWellFormed();
  return { body: `${head}\n\n[The text goes on: all ${text.length} characters are in ${textPath(key, turn)}.]`, isWhole: false };
}

/** A text of at most so many bytes as the file may have. What is over is cut, and the end says so. */
function withinLimit(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= FILE_BYTES.turnText) return text;
  const kept = withoutEnd(bytes.subarray(0, FILE_BYTES.turnText - NOTE_BYTES).toString("utf8"), "\uFFFD");
  return `${kept}\n\n[The text had ${bytes.length} bytes; the rest was cut.]\n`;
}

/** The whole text of a reply. */
export function wholeText(store: Store, message: Message): string {
  const key = parseThreadId(message.thread);
  const turn = Number(message.metadata?.["turn"]);
  if (key === null || message.metadata?.["text"] === undefined || !Number.isSafeInteger(turn)) return message.body;
  return orElse(message.body, () => readTurnText(store, textPath(key, turn)) ?? message.body);
}

/** What a reply says of itself, for programs. */
export const metadataOf = (key: ThreadLocation, turn: number, outcome: Outcome, isWhole: boolean): Record<string, string> => ({
  turn: String(turn),
  outcome,
  ...(isWhole ? {} : { text: `${dispatchFolder(key)}/turns/${turn}.text.md` }),
});

/** How the turn ended of which a message is the reply; `ok` where it does not say it. */
export const outcomeOf = (message: Message): Outcome => OUTCOMES.find((each) => each === message.metadata?.["outcome"]) ?? "ok";
