/** Pages of a list: cursors are opaque, name the last entry shown, and page to older entries. spec/messages.md, "Pages". */
import { escapedJson } from "./format/hidden.ts";
import { countWithin } from "./format/many.ts";
import { refuse } from "./refusal.ts";
import type { World } from "./world.ts";

/**
 * One page of a sorted list of keys.
 * @param compare the order the list is in; an entry that came or went meanwhile does not shift the pages
 * @throws Refusal `invalid_argument` for a cursor that no answer gave
 */
export function paginate(
  keys: readonly string[],
  limit: number,
  cursor: string | undefined,
  compare: (a: string, b: string) => number,
): { items: string[]; cursor: string | null } {
  const after = cursor === undefined ? null : readCursor(cursor);
  const rest = after === null ? keys : keys.filter((key) => compare(key, after) > 0);
  const items = rest.slice(0, limit);
  return { items, cursor: rest.length > limit ? cursorAfter(items.at(-1) as string) : null };
}

/**
 * What a cursor names: the last entry shown; of the records of the home, how many were shown; of a search that took too long, the
 * thread that it came to, by its newest message, and the last entry shown of those after it; of a text, how many characters were shown; of an
 * answer that was too long, how much of it was given, and the cursor of its call.
 */
const KINDS = {
  ...{ "1": /^1 [\w-]+$/, log: /^log \d{1,9}$/, scan: /^scan [\w-]+(?: [\w-]+)?$/, text: /^text \d{1,9}$/ },
  rest: /^rest \d{1,9}(?: [\w-]+)?$/,
} as const;

/** The cursor that continues after an entry. */
export const cursorAfter = (key: string, kind: keyof typeof KINDS = "1"): string => Buffer.from(`${kind} ${key}`).toString("base64url");

/** Whether a cursor is of a kind. */
export const isCursorOf = (cursor: string, kind: keyof typeof KINDS): boolean =>
  KINDS[kind].test(Buffer.from(cursor, "base64url").toString());

/** The entry that a cursor continues after. @throws Refusal `invalid_argument`, also for a cursor of another kind of list */
export function readCursor(cursor: string, kind: keyof typeof KINDS = "1"): string {
  const text = Buffer.from(cursor, "base64url").toString();
  if (!KINDS[kind].test(text)) {
    throw refuse("invalid_argument", {
      argument: "cursor",
      expected: "a cursor as an earlier answer gave it",
      given: cursor,
      example: kind === "log" ? cursorAfter("30", kind) : cursorAfter("m-20260131-k3f9x2ab-1-1kg9p6je0khyvdn0me1qn97a8"),
    });
  }
  return text.slice(kind.length + 1);
}

/** Characters of an answer at the most: as a client of MCP reads it, and of what a command prints of a list or of a memory. */
export const ANSWER_CHARACTERS = 25_000;

/** Characters of texts in one answer over a connection: what clients let through of a tool's answer. */
const PAGE_CHARACTERS = 20_000;

/** Characters of a value as an answer shows it: as JSON, with hidden characters as escapes. */
export const sizeOf = (value: unknown): number => escapedJson(JSON.stringify(value) ?? "").length;

/** The place up to which there is room for a text, from another place on; no character of two units is cut within. */
export function endWithin(text: string, from: number, room: number): number {
  let [low, high] = [Math.min(from, text.length), Math.min(text.length, from + room)];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (sizeOf(text.slice(from, middle)) - 2 <= room) low = middle;
    else high = middle - 1;
  }
  return low < text.length && /[\ud800-\udbff]/.test(text.charAt(low - 1)) ? low - 1 : low;
}

/** Characters of texts that one answer has room for: any other caller than one over a connection takes all. */
export const roomIn = (world: World): number => (world.connection.lasting ? PAGE_CHARACTERS : Number.POSITIVE_INFINITY);

/** The first of some items that an answer has room for, and one in any case. @param size characters of an item's texts */
export function fitting<T>(world: World, items: readonly T[], size: (item: T) => number): T[] {
  const room = roomIn(world);
  return items.slice(0, room === Number.POSITIVE_INFINITY ? items.length : Math.max(1, countWithin(items, room, size)));
}

/**
 * The part of a text that an answer over a connection has room for, and the cursor that goes on; all of it for any other caller.
 * @throws Refusal `invalid_argument` for a cursor that no answer gave
 */
export function textPage(world: World, text: string, cursor: string | undefined): { content: string; cursor?: string } {
  const from = cursor === undefined ? 0 : Number(readCursor(cursor, "text"));
  const end = world.connection.lasting ? endWithin(text, from, PAGE_CHARACTERS) : text.length;
  return { content: text.slice(from, end), ...(end < text.length ? { cursor: cursorAfter(String(end), "text") } : {}) };
}
