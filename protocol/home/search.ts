/**
 * Searching without an index that could go stale: git names the files that may match, and each is read to be sure.
 * SPEC.md, "Search".
 */
import { type MessageKey, messageId, type ThreadKey } from "../objects/id.ts";
import { locateMessage, type Message, messagePath } from "../objects/message.ts";
import { LIMITS } from "../objects/schema.ts";
import { Refusal, refuse } from "../refusal.ts";
import { ContentError, readText, type Store } from "../store/files.ts";
import { git } from "../store/git.ts";
import type { World } from "../world.ts";
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

/** A message that fits: where in the body, null when in the subject; it is parsed when asked for. */
export interface Hit {
  message: () => Message | null;
  at: { start: number; length: number } | null;
}

type Matcher = (text: string) => { start: number; length: number } | null;

/** Files read before other work gets its turn. */
const SLICE = 500;
/** What git can look for without knowing about letters: the escapes of a quoted subject are not among it. */
const PLAIN_RUN = /[ !#-[\]-~]+/g;

/** Every message that fits, by id. */
export async function searchMessages(world: World, query: Query, faults: Faults): Promise<Map<string, Hit>> {
  const { store } = world.home();
  const match = await matcherOf(query);
  const hits = new Map<string, Hit>();
  const renamed = currentNames(world);
  let read = 0;
  for (const key of await candidates(world, query)) {
    if (!query.wanted(key)) continue;
    read += 1;
    if (read % SLICE === 0) await new Promise(setImmediate);
    const path = messagePath(key);
    const text = readQuietly(() => readText(store, path, LIMITS.messageBytes));
    if (text === null) continue;
    const at = fits(text, match);
    if (at === undefined) continue;
    const message = (): Message | null => readMessage(store, key, path, faults);
    if (query.part !== undefined) {
      const parsed = message();
      if (parsed === null || ![parsed.from, ...parsed.to].some((part) => part === query.part || renamed.get(part) === query.part)) continue;
    }
    hits.set(messageId(key), { message, at });
  }
  return hits;
}

/** A file that is no text, or lies behind a link out of the home, cannot fit; `doctor` names it. */
function readQuietly(read: () => string | null): string | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof ContentError || error instanceof Refusal) return null;
    throw error;
  }
}

/** Where a message's text fits, in the body or (null) in the subject; undefined when it does not. */
function fits(text: string, match: Matcher): Hit["at"] | undefined {
  const end = /\r?\n---\r?\n/.exec(text);
  if (end === null) return undefined;
  const close = end.index;
  const body = match(text.slice(close + end[0].length));
  if (body !== null) return body;
  const subject = /^subject: (.*)$/m.exec(text.slice(0, close))?.[1] ?? "";
  return match(unquoted(subject)) === null ? undefined : null;
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

/** The messages that may fit, by git where it can tell, else all of them. */
async function candidates(world: World, query: Query): Promise<MessageKey[]> {
  const { store } = world.home();
  if (query.within !== null) return messageKeys(store, query.within);
  const run = query.regex ? undefined : (query.query.match(PLAIN_RUN) ?? []).sort((a, b) => b.length - a.length)[0];
  if (threadDays(store).length === 0) return [];
  if (run === undefined) return everyMessage(store);
  const args = ["grep", "--no-color", "--no-index", "--text", "-l", "-z", "-i", "-F", "-e", run, "--", "threads"];
  const printed = await git(store.root, args, { LC_ALL: "C" }).catch(() => null);
  // Without git, or where it only complains, every message is read.
  return printed === null ? everyMessage(store) : printed.split("\0").flatMap((path) => locateMessage(path) ?? []);
}

function everyMessage(store: Store): MessageKey[] {
  return threadDays(store).flatMap((day) => threadsOfDay(store, day).flatMap((thread) => messageKeys(store, thread)));
}
