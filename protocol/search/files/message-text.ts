/** What a message says, for a search: without the cost of reading its header. spec/messages.md, "Search". */
import { readOr } from "../../core/format/file-error.ts";
import type { MessageLocation } from "../../core/format/id.ts";
import { LIMITS } from "../../core/format/schema.ts";
import type { Faults } from "../../core/home/broken-files.ts";
import { Refusal } from "../../core/refusal.ts";
import { readMessage } from "../../mail/files/read-message.ts";
import { type Message, messagePath } from "../../mail/nouns/message.ts";
import { facts } from "../../store/read/facts.ts";
import { readText } from "../../store/read/read-file.ts";
import type { Store } from "../../store/root.ts";

/** The texts of a message that are searched. */
export type MessageText = Pick<Message, "subject" | "body">;

/** Texts read in this process, by path: people search for a word letter by letter, and the newest messages are read each time. */
const kept = new Map<string, { sign: string; text: MessageText }>();
const KEPT_TEXTS = 1_000;
const KEPT_LENGTH = 4_096;

/**
 * What a message says; null where it is not there, or cannot be read: then `faults` says why.
 * @param keeps whether the text is kept for the next search
 */
export function textOf(store: Store, location: MessageLocation, keeps: boolean, faults: Faults): MessageText | null {
  const path = messagePath(location);
  if (!keeps || store.recorded !== undefined) return readTexts(store, location, path, faults);
  const fact = facts(store, path);
  if (fact === null) return null;
  const [place, sign] = [`${store.root} ${path}`, `${fact.inode} ${fact.size} ${fact.modifiedMs}`];
  const known = kept.get(place);
  if (known?.sign === sign) return known.text;
  const text = readTexts(store, location, path, faults);
  if (text !== null && text.body.length <= KEPT_LENGTH) {
    if (kept.size >= KEPT_TEXTS) kept.delete(kept.keys().next().value as string);
    kept.set(place, { sign, text });
  }
  return text;
}

function readTexts(store: Store, location: MessageLocation, path: string, faults: Faults): MessageText | null {
  const text = textAt(store, path);
  const end = text === null ? null : /\r?\n---\r?\n/.exec(text);
  // What is wrong with a file, the reader of messages says. It may be a message all the same.
  if (text === null || end === null || text.includes("\0")) return readMessage(store, location, path, faults);
  const subject = /^subject: (.*)$/m.exec(text.slice(0, end.index))?.[1] ?? "";
  return { subject: unquoted(subject), body: text.slice(end.index + end[0].length) };
}

const OF_GIT: ReadonlySet<string> = new Set(["missing_object", "git_failed"]);

function textAt(store: Store, path: string): string | null {
  try {
    return readOr(null, () => readText(store, path, LIMITS.messageBytes));
  } catch (error) {
    // Where git cannot say what a message was, it may fit all the same.
    if (error instanceof Refusal && !OF_GIT.has(error.code)) return null;
    throw error;
  }
}

function unquoted(value: string): string {
  try {
    return String(JSON.parse(value));
  } catch {
    return value;
  }
}
