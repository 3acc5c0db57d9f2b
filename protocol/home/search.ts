/**
 * Searching without an index that could go stale: a day's pack names the messages that fit where it still speaks for
 * their threads, and all others are read. SPEC.md, "Search".
 */
import { type MessageKey, messageId, type ThreadKey } from "../objects/id.ts";
import { type Message, messagePath } from "../objects/message.ts";
import { LIMITS } from "../objects/schema.ts";
import { Refusal, refuse } from "../refusal.ts";
import { ContentError, readText } from "../store/read.ts";
import type { Store } from "../store/root.ts";
import type { World } from "../world.ts";
import { isWorthPacking, NewPack, searchPack } from "./packs.ts";
import { currentNames } from "./receipts.ts";
import { type Faults, messageKeys, readMessage, threadDays, threadsOfDay } from "./threads.ts";

/** What is searched for. */
export interface Query {
  query: string;
  regex: boolean;
  /** One thread only. */
  within: ThreadKey | null;
  wanted: (key: MessageKey) => boolean;
  /** Only messages from or to this part. */
  part: string | undefined;
}

/** Where a query fits a message: a place in its body, or null when it is in the subject. */
export type Place = { start: number; length: number } | null;

/** A message that fits; it is read when it is asked for. Null when it cannot be read. */
export type Hit = () => { message: Message; at: Place } | null;

type Matcher = (text: string) => Place;

/** Files read before other work gets its turn. */
const SLICE = 500;

/** Every message that fits, by id. */
export async function searchMessages(world: World, query: Query, faults: Faults): Promise<Map<string, Hit>> {
  const { store } = world.home();
  const match = await matcherOf(query);
  const hits = new Map<string, Hit>();
  const renamed = currentNames(world);
  const involved = ({ from, to }: Message): boolean =>
    query.part === undefined || [from, ...to].some((part) => part === query.part || renamed.get(part) === query.part);
  let looked = 0;
  for (const key of candidates(store, query, match)) {
    looked += 1;
    if (looked % SLICE === 0) {
      world.progress?.(`${looked} messages`);
      await new Promise(setImmediate);
    }
    if (key === null || !query.wanted(key)) continue;
    const read = (): Message | null => readMessage(store, key, messagePath(key), faults);
    if (query.part !== undefined) {
      const message = read();
      if (message === null || !involved(message)) continue;
    }
    hits.set(messageId(key), () => {
      const message = read();
      return message === null ? null : { message, at: match(message.body) };
    });
  }
  return hits;
}

/** The messages whose text fits; null for each that was read and does not, so that others get their turn between. */
function* candidates(store: Store, query: Query, match: Matcher): Generator<MessageKey | null> {
  if (query.within !== null) return yield* readThrough(store, [query.within], match);
  for (const day of threadDays(store)) {
    const threads = threadsOfDay(store, day);
    if (query.regex) {
      yield* readThrough(store, threads, match);
      continue;
    }
    const { hits, known, unknown } = searchPack(store, day, threads, query.query);
    yield* hits;
    const pack = isWorthPacking(unknown.length) ? new NewPack(store) : null;
    yield* readThrough(store, unknown, match, pack);
    if (pack === null) continue;
    yield* readThrough(store, known, () => null, pack);
    pack.write(day);
  }
}

/** Reads every message of some threads; what is read goes into a pack, if there is one. */
function* readThrough(
  store: Store,
  threads: readonly ThreadKey[],
  match: Matcher,
  pack: NewPack | null = null,
): Generator<MessageKey | null> {
  for (const thread of threads) {
    pack?.begin(thread);
    for (const key of messageKeys(store, thread)) {
      const text = textOf(store, key);
      if (text !== null) pack?.add(key, `${text.subject}\n${text.body}`);
      yield text !== null && (match(text.body) !== null || match(text.subject) !== null) ? key : null;
    }
  }
}

/**
 * A message's subject and body, without the cost of reading its header. Null for a file that is no message, no text, or
 * lies behind a link out of the home: `doctor` names it.
 */
function textOf(store: Store, key: MessageKey): { subject: string; body: string } | null {
  const text = readQuietly(() => readText(store, messagePath(key), LIMITS.messageBytes));
  const end = text === null ? null : /\r?\n---\r?\n/.exec(text);
  if (text === null || end === null) return null;
  const subject = /^subject: (.*)$/m.exec(text.slice(0, end.index))?.[1] ?? "";
  return { subject: unquoted(subject), body: text.slice(end.index + end[0].length) };
}

function readQuietly(read: () => string | null): string | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof ContentError || error instanceof Refusal) return null;
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

async function matcherOf({ query, regex }: Query): Promise<Matcher> {
  if (!regex) {
    const needle = query.toLowerCase();
    return (text) => {
      const start = text.toLowerCase().indexOf(needle);
      return start === -1 ? null : { start, length: needle.length };
    };
  }
  // RE2 takes time in proportion to the text, whatever the expression: a query cannot hang a server.
  const { RE2JS } = await import("re2js");
  try {
    const expression = RE2JS.compile(query, RE2JS.CASE_INSENSITIVE | RE2JS.MULTILINE);
    return (text) => {
      const matcher = expression.matcher(text);
      return matcher.find() ? { start: matcher.start(), length: matcher.end() - matcher.start() } : null;
    };
  } catch (error) {
    throw refuse("invalid_argument", {
      argument: "query",
      expected: `an RE2 expression (${(error as Error).message})`,
      given: query,
      example: "dead(line|lock)",
    });
  }
}
