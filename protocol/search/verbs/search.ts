import * as z from "zod/mini";
import { compareNewest, decodeTime, type MessageLocation, parseMessageId, threadId } from "../../core/format/id.ts";
import { cursor, flag, instantOrDay, LIMITS, limit, line, maybe } from "../../core/format/schema.ts";
import type { Faults as FaultList } from "../../core/home/broken-files.ts";
import { defineOperation } from "../../core/operation.ts";
import { cursorAfter, isCursorOf, paginate, readCursor } from "../../core/paginate.ts";
import { Faults } from "../../core/shapes.ts";
import { withFaults } from "../../core/with-faults.ts";
import type { World } from "../../core/world.ts";
import { currentNames } from "../../mail/files/delivery-state.ts";
import { meantPart } from "../../mail/files/guests.ts";
import { knowsRecent, recentState } from "../../mail/files/recent-threads.ts";
import { resolveWithArchives } from "../../mail/files/threads.ts";
import { messagePath } from "../../mail/nouns/message.ts";
import { originsOf } from "../../trust/files/note-origins.ts";
import { broughtField, originField, senderShown } from "../../trust/nouns/origin.ts";
import { TEXT_KINDS } from "../files/found-text.ts";
import { type Query, searchMessages } from "../files/search-messages.ts";
import { type Newest, searchNewest, type Until } from "../files/search-newest.ts";
import { cutOut, matcherOf } from "../files/search-text.ts";
import { searchTexts, type TextHit } from "../files/search-texts.ts";

const KINDS = ["message", ...TEXT_KINDS] as const;

/** What was found, by the ids that lead to it. */
const Hit = z.object({
  kind: z.enum(KINDS),
  threadId: z.optional(z.string()),
  messageId: z.optional(z.string()),
  task_id: z.optional(z.string()),
  artifact_id: z.optional(z.string()),
  review_id: z.optional(z.string()),
  session_id: z.optional(z.string()),
  part: z.optional(z.string()),
  subject: z.string(),
  /** The sender of a message. */
  from: z.optional(z.string()),
  snippet: z.string(),
  origin: z.optional(z.string()),
  at: z.string(),
  /** How many messages of the thread fit, where it is more than the one shown. */
  matches: z.optional(z.number()),
});
type Hit = z.infer<typeof Hit>;

/** Finds whatever a home holds by what it says. */
export const search = defineOperation({
  name: "search",
  tool: "room",
  summary: "Search messages, tasks, artifacts, reviews, memory and the office, newest first; ignores case; --regex for patterns",
  when: "Find words in messages, tasks, artifacts and memory.",
  effect: "read",
  identity: "optional",
  positionals: ["query"],
  input: () => ({
    query: line(LIMITS.query, "words, all of which it has; case is ignored"),
    regex: flag("query is an RE2 expression"),
    kind: maybe(z.enum(KINDS)),
    part: maybe(z.string().check(z.describe("only from, to or about this part"))),
    thread: maybe(z.string().check(z.describe("only this thread"))),
    since: maybe(instantOrDay("day, or ISO 8601")),
    limit: limit(),
    cursor: cursor(),
  }),
  unlisted: ["regex", "kind", "limit"],
  output: () => ({
    hits: z.array(Hit),
    /** Null where the search stopped at a full page, or was given up for its time. */
    total: z.nullable(z.number()),
    cursor: z.nullable(z.string()),
    warning: maybe(z.string()),
    problems: Faults,
  }),
  example: { query: "deadline" },
  async run(world, input) {
    const problems: FaultList = [];
    const within = input.thread === undefined ? null : resolveWithArchives(world.home(), input.thread).key;
    const since = input.since === undefined ? 0 : Date.parse(input.since);
    const meant = input.part === undefined ? null : meantPart(world, input.part);
    const isPart = meant === null ? null : named(world, meant.part);
    const wording = { query: input.query, regex: input.regex ?? false };
    const match = await matcherOf(wording);
    const wanted = (location: MessageLocation): boolean => decodeTime(location.token) >= since;
    const query = { ...wording, match, within, wanted, isPart };
    const { from, after } = placeOf(input.cursor);
    const isOf = (kind: (typeof KINDS)[number]): boolean => input.kind === undefined || input.kind === kind;
    const page = { from, after, limit: input.limit, sinceMs: since };
    const { hits: messages, ended, upTo } = isOf("message") ? await searchThreads(world, query, page, problems) : NO_MESSAGES;
    const hasTexts = from === undefined && input.kind !== "message";
    const found = hasTexts ? await searchTexts(world, { ...wording, match, within, since, isPart }, problems) : new Map<string, TextHit>();
    const texts = new Map([...found].filter(([, { kind }]) => isOf(kind)));
    // A thread is one hit, its newest message that fits; asked about one thread alone, each message is.
    const groups = within === null ? newestOfThreads([...messages.keys()]) : new Map([...messages.keys()].map((id) => [id, 1]));
    const ids = [...groups.keys(), ...texts.keys()].sort(compareNewest);
    const shown = paginate(ids, input.limit, after === undefined ? undefined : cursorAfter(after), compareNewest);
    const originOf = originsOf(world);
    const hits = shown.items.flatMap((id): Hit[] => {
      const hit = texts.get(id);
      if (hit !== undefined) return [{ ...ofText(hit), ...broughtField(originOf(hit.path)) }];
      const read = messages.get(id)?.() ?? null;
      if (read === null) return [];
      const { thread: threadId, subject, body, at, from: sender } = read.message;
      const came = originOf(messagePath(parseMessageId(id) as MessageLocation));
      const matches = groups.get(id) as number;
      const more = matches > 1 ? { matches } : {};
      const by = { from: senderShown(sender, came), ...originField(came) };
      return [{ kind: "message", threadId, messageId: id, subject, snippet: cutOut(body, read.at), at, ...more, ...by }];
    });
    const total = ended === "whole" && from === undefined ? messages.size + texts.size : null;
    const answer = { hits, total, cursor: cursorOf(shown.cursor, { from, after }, ended === "given up" ? upTo : undefined) };
    return withFaults(meant?.warning === undefined ? answer : { ...answer, warning: meant.warning }, problems);
  },
});

/** No message is searched for. */
const NO_MESSAGES: Newest = { hits: new Map(), ended: "whole", upTo: undefined };
/** A regular expression is searched for so long; then the cursor goes on. */
const REGEX_MS = 1_500;
/** Where so many messages do not fill a page, packs are asked, which know of a rare word where it is. */
const READ_FOR_PAGE = 4_000;

/** The messages that fit: the newest that fill a page, where those of the threads written to last do, else all. */
async function searchThreads(
  world: World,
  query: Query,
  page: Pick<Until, "from" | "after" | "limit" | "sinceMs">,
  problems: FaultList,
): Promise<Newest> {
  const isRegex = query.regex && query.within === null;
  if (isRegex) return searchNewest(world, query, { ...page, messages: Number.POSITIVE_INFINITY, forMs: REGEX_MS }, problems);
  const { store } = world.home();
  const recent = query.within === null ? (recentState(store) ?? undefined) : undefined;
  // Of an earlier record nothing is packed, so all of it would be read.
  if (query.within === null && (store.recorded !== undefined || knowsRecent(store))) {
    const until = { ...page, messages: READ_FOR_PAGE, forMs: Number.POSITIVE_INFINITY, recent };
    const newest = await searchNewest(world, query, until, problems);
    if (newest.ended !== "given up") return newest;
  }
  return { ...(await searchMessages(world, query, page, problems, recent)), upTo: undefined };
}

/** Where a cursor goes on: after the thread of a message, and after a hit. */
function placeOf(cursor: string | undefined): { from: string | undefined; after: string | undefined } {
  if (cursor === undefined) return { from: undefined, after: undefined };
  if (!isCursorOf(cursor, "scan")) return { from: undefined, after: readCursor(cursor) };
  const [from, after] = readCursor(cursor, "scan").split(" ");
  return { from, after };
}

/** The cursor of the next page. @param cut of the hits that are left @param place where this page began @param upTo where the search was given up */
function cursorOf(cut: string | null, { from, after }: ReturnType<typeof placeOf>, upTo: string | undefined): string | null {
  if (cut !== null) return from === undefined ? cut : cursorAfter(`${from} ${readCursor(cut)}`, "scan");
  if (upTo === undefined) return null;
  // It came no further than to hits that were shown.
  const isShown = after !== undefined && compareNewest(upTo, after) < 0;
  return cursorAfter(isShown ? `${upTo} ${after}` : upTo, "scan");
}

/** The newest of the messages of each thread, and how many there are of it. */
function newestOfThreads(ids: readonly string[]): Map<string, number> {
  const threads = new Map<string, { newest: string; count: number }>();
  for (const id of ids) {
    const thread = threadId(parseMessageId(id) as MessageLocation);
    const { newest = id, count = 0 } = threads.get(thread) ?? {};
    threads.set(thread, { newest: compareNewest(id, newest) < 0 ? id : newest, count: count + 1 });
  }
  return new Map([...threads.values()].map(({ newest, count }) => [newest, count]));
}

/** Whether a name is a part's, now or formerly. */
function named(world: World, part: string): (name: string) => boolean {
  const renamed = currentNames(world);
  return (name) => name === part || renamed.get(name) === part;
}

const ofText = ({ kind, ids, subject, ms, snippet }: TextHit): Hit => ({
  kind,
  ...ids,
  subject,
  snippet: snippet(),
  at: new Date(ms).toISOString(),
});
