/** Pages of a list: cursors are opaque, name the last entry shown, and page to older entries. spec/messages.md, "Pages". */
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
 * thread that it came to, by its newest message, and the last entry shown of those after it; of a text, how many characters were shown.
 */
const KINDS = { "1": /^1 [\w-]+$/, log: /^log \d{1,9}$/, scan: /^scan [\w-]+(?: [\w-]+)?$/, text: /^text \d{1,9}$/ } as const;

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

/** Characters of texts in one answer over a connection: what clients let through of a tool's answer. */
const PAGE_CHARACTERS = 20_000;
/** Characters of a text that stands alone: a message's body may have as many. */
const TEXT_CHARACTERS = 65_536;

/** Characters of texts that one answer has room for: any other caller than one over a connection takes all. */
export const roomIn = (world: World): number => (world.connection.lasting ? PAGE_CHARACTERS : Number.POSITIVE_INFINITY);

/** The first of some items that an answer has room for, and one in any case. @param size characters of an item's texts */
export function fitting<T>(world: World, items: readonly T[], size: (item: T) => number): T[] {
  let left = roomIn(world);
  const end = items.findIndex((item, at) => {
    left -= size(item);
    return left < 0 && at > 0;
  });
  return items.slice(0, end === -1 ? items.length : end);
}

/**
 * The part of a text that an answer over a connection has room for, and the cursor that goes on; all of it for any other caller.
 * @throws Refusal `invalid_argument` for a cursor that no answer gave
 */
export function textPage(world: World, text: string, cursor: string | undefined): { content: string; cursor?: string } {
  const from = cursor === undefined ? 0 : Number(readCursor(cursor, "text"));
  const most = from + TEXT_CHARACTERS;
  if (!world.connection.lasting || text.length <= most) return { content: text.slice(from) };
  // No character of two units is cut within.
  const end = /[\ud800-\udbff]/.test(text.charAt(most - 1)) ? most - 1 : most;
  return { content: text.slice(from, end), cursor: cursorAfter(String(end), "text") };
}
