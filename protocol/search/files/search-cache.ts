/**
 * Packs: the texts of a day's messages in one file under `run/search/`, so that a search reads a hundred files and not a
 * hundred thousand. Disposable, and never trusted: a pack speaks for a thread only while the thread's folder is just as it
 * was when the pack was made. Before the texts it says which three bytes follow one another in them. spec/messages.md, "Search".
 */
import { orElse, quietly } from "../../core/format/file-error.ts";
import { type MessageLocation, messageId, parseMessageId, type ThreadLocation, threadId } from "../../core/format/id.ts";
import { threadFolder } from "../../mail/nouns/message.ts";
import { sha256 } from "../../store/digest.ts";
import { facts } from "../../store/read/facts.ts";
import { readBytes, readPart } from "../../store/read/read-file.ts";
import type { Store } from "../../store/root.ts";
import { place } from "../../store/write/publish.ts";

const FOLDER = "run/search";
/** A folder that changed within this time may change again without a new time of change; it is not packed. */
const SETTLED_MS = 2_000;
/** So many threads that the pack does not speak for are worth a new one, and so large a share of the day's threads. */
const WORTH_PACKING = { threads: 3, share: 1 / 20 };
/** A larger pack is none: it would have to be in the memory whole. */
const PACK_BYTES = 128 * 1_048_576;
/** A bit for each of what three bytes can be, folded into 16 bits. */
const GRAMS_BYTES = 8_192;
const ID = 0x00;
const TEXT = 0x01;

/** What a pack says: the messages that hold the needle, the threads it speaks for and the others, and which messages could not be read. */
interface CacheAnswer {
  hits: MessageLocation[];
  /** Of the threads that it speaks for: they are read again each time. */
  unread: MessageLocation[];
  known: ThreadLocation[];
  unknown: ThreadLocation[];
}

const pathOf = (day: string): string => `${FOLDER}/${day}.pack`;

function signOf(store: Store, thread: ThreadLocation): string {
  const fact = facts(store, threadFolder(thread));
  return fact === null ? "" : `${fact.inode} ${fact.modifiedMs}`;
}

/**
 * Looks for a text among the messages of a day's threads, without regard to case.
 * @param threads every thread of the day
 * @param needle without line breaks
 */
export function searchCache(store: Store, day: string, threads: readonly ThreadLocation[], needle: string): CacheAnswer {
  const bytes = readBytes(store, pathOf(day), PACK_BYTES);
  const header = bytes === null ? null : headerOf(bytes);
  if (bytes === null || header === null) return { hits: [], known: [], unknown: [...threads], unread: [] };
  const { signs } = header;
  const isKnown = (thread: ThreadLocation): boolean => {
    const sign = signs[threadId(thread)];
    return sign !== undefined && sign === signOf(store, thread);
  };
  const known = threads.filter(isKnown);
  const ids = new Set(known.map(threadId));
  const unknown = threads.filter((thread) => !ids.has(threadId(thread)));
  const isOfKnown = (location: MessageLocation): boolean => ids.has(threadId(location));
  const hits = [...find(bytes, needle.toLowerCase())].filter(isOfKnown);
  return { hits, known, unknown, unread: header.unread.flatMap((id) => parseMessageId(id) ?? []).filter(isOfKnown) };
}

/** The threads in a pack, each with what its folder was, and the messages that could not be read; null when the file is no pack. */
function headerOf(bytes: Buffer): { signs: Record<string, string>; unread: string[] } | null {
  return orElse(null, () => {
    const end = bytes.indexOf("\n", GRAMS_BYTES);
    const { threads, grams, unread = [] } = JSON.parse(bytes.toString("latin1", GRAMS_BYTES, end)) as Record<string, unknown>;
    if (grams !== sha256(bytes.subarray(0, GRAMS_BYTES)) || typeof threads !== "object" || threads === null) return null;
    return { signs: threads as Record<string, string>, unread: Array.isArray(unread) ? unread.map(String) : [] };
  });
}

/** What tells a day's pack from every other file; null where there is none. */
export function packSign(store: Store, day: string): string | null {
  const fact = facts(store, pathOf(day));
  return fact === null ? null : `${fact.inode} ${fact.size} ${fact.modifiedMs}`;
}

/** Whether the texts of a pack may hold a needle: false is sure, of a file that was seen to be whole. */
export function mayHold(store: Store, day: string, needle: string): boolean {
  return orElse(true, () => {
    const grams = readPart(store, pathOf(day), 0, GRAMS_BYTES);
    return (
      grams.length < GRAMS_BYTES || gramsOf(needle.toLowerCase()).every((gram) => ((grams[gram >> 3] as number) & (1 << (gram & 7))) !== 0)
    );
  });
}

/** Any three bytes of a text that follow one another, as numbers below the bits that a pack has for them. */
function gramsOf(text: string): number[] {
  const bytes = Buffer.from(text);
  const grams: number[] = [];
  for (let at = 2; at < bytes.length; at += 1) {
    const three = ((bytes[at - 2] as number) << 16) | ((bytes[at - 1] as number) << 8) | (bytes[at] as number);
    grams.push(Math.imul(three, 0x9e3779b1) >>> 16);
  }
  return grams;
}

function* find(bytes: Buffer, needle: string): Generator<MessageLocation> {
  const wanted = Buffer.from(needle);
  let at = bytes.indexOf(ID, GRAMS_BYTES);
  while (at !== -1) {
    const found = bytes.indexOf(wanted, at);
    if (found === -1) return;
    const start = bytes.lastIndexOf(ID, found);
    const text = bytes.indexOf(TEXT, start);
    const location = found > text ? parseMessageId(bytes.toString("latin1", start + 1, text)) : null;
    if (location !== null) yield location;
    // After a hit in the text the next message follows; after one in the id, its text.
    at = found > text ? bytes.indexOf(ID, found) : text;
  }
}

/** Whether a day is worth a new pack, by how many of its threads the present one does not speak for: of a day of few threads, all. */
export const isWorthCaching = (unknown: number, all: number): boolean =>
  unknown > 0 && unknown >= Math.min(all, Math.max(WORTH_PACKING.threads, all * WORTH_PACKING.share));

/** A pack in the making. */
export class NewCache {
  readonly #unchangedSince = Date.now() - SETTLED_MS;
  readonly #signs: Record<string, string> = {};
  readonly #records: string[] = [];
  readonly #unread: string[] = [];
  readonly #grams = Buffer.alloc(GRAMS_BYTES);
  readonly #store: Store;
  #packing = false;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Begins a thread: before its messages are listed, so that what comes meanwhile makes the pack outdated and not wrong. */
  begin(thread: ThreadLocation): void {
    this.#packing = (facts(this.#store, threadFolder(thread))?.modifiedMs ?? Number.POSITIVE_INFINITY) < this.#unchangedSince;
    if (this.#packing) this.#signs[threadId(thread)] = signOf(this.#store, thread);
  }

  /** Adds a message of the thread. @param text its subject, a line break, its body; null of one that could not be read */
  add(location: MessageLocation, text: string | null): void {
    if (!this.#packing) return;
    if (text === null) {
      this.#unread.push(messageId(location));
      // So no word is ruled out of the day, and the message is asked for each time.
      this.#grams.fill(0xff);
      return;
    }
    const lower = text.toLowerCase().replaceAll("\0", " ");
    this.#records.push(`\0${messageId(location)}\u0001${lower}`);
    for (const gram of gramsOf(lower)) this.#grams[gram >> 3] = (this.#grams[gram >> 3] as number) | (1 << (gram & 7));
  }

  /** Keeps the pack; where it cannot be written, nothing is lost. */
  write(day: string): void {
    if (Object.keys(this.#signs).length === 0) return;
    const header = `${JSON.stringify({ grams: sha256(this.#grams), threads: this.#signs, unread: this.#unread })}\n`;
    const pack = Buffer.concat([this.#grams, Buffer.from(`${header}${this.#records.join("")}`)]);
    if (pack.length > PACK_BYTES) return;
    // A home that cannot be written is searched without packs.
    quietly(() => place(this.#store, pathOf(day), pack));
  }
}
