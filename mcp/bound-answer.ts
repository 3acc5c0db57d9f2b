/** Answers of a size that clients let through, whatever was pushed: what is longer comes in pieces. spec/messages.md, "Pages". */
import { countWithin } from "../protocol/core/format/many.ts";
import { cursorAfter, endWithin, isCursorOf, ANSWER_CHARACTERS as MOST, readCursor, sizeOf } from "../protocol/core/paginate.ts";

/** Characters of all but the longest list or text of an answer. */
const BESIDE = 12_000;
/** Characters kept for the warning and the cursor. */
const NOTE = 800;
/** A field that has less room than this is left out. */
const LEAST = 24;

/** A call that may go on with what an earlier answer had no room for. */
export interface Continued {
  /** Entries or characters that were given before. */
  from: number;
  /** The arguments of the operation, with its own cursor. */
  args: Record<string, unknown>;
}

/** The arguments of a call: those of its operation, and what was given before. */
export function continued(given: Record<string, unknown>): Continued {
  const { cursor, ...rest } = given;
  if (typeof cursor !== "string" || !isCursorOf(cursor, "rest")) return { from: 0, args: given };
  const [from, own] = readCursor(cursor, "rest").split(" ");
  return { from: Number(from), args: own === undefined ? rest : { ...rest, cursor: own } };
}

/** Words for a model, cut where they are too long. @param command the command that prints all of them */
export function boundedWords(words: string, command: string): string {
  const end = endWithin(words, 0, MOST - NOTE);
  return end === words.length
    ? words
    : `${words.slice(0, end)}…\nwarning: too long for one answer; \`relay ${command} --json\` prints it whole`;
}

/**
 * An answer as long as a client lets through: its longest list or text comes in pieces, and other long ones are cut.
 * @param isAgain whether the same call gives the same again, so that a cursor can go on
 * @param command the command that prints all of it
 */
export function bounded<T extends object>(answer: T, { from, args }: Continued, isAgain: boolean, command: string): T {
  if (from === 0 && sizeOf(answer) <= MOST) return answer;
  const path = wayToLongest(answer);
  const long = path.reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], answer);
  const isText = typeof long === "string";
  if (!isText && !Array.isArray(long)) return shortened(answer, MOST) as T;
  const others = replaced(answer, path, isText ? "" : []) as T;
  const beside = shortened(others, BESIDE) as T;
  const room = MOST - NOTE - sizeOf(beside);
  const end = isText ? endWithin(long, from, room) : from + Math.max(1, countWithin(long.slice(from), room, sizeInList));
  const piece = isText ? long.slice(from, end) : shortened(long.slice(from, end), room);
  const given = replaced(beside, path, piece) as T & { warning?: string };
  const isLast = end >= long.length;
  if (isLast && beside === others) return given;
  const own = typeof args["cursor"] === "string" ? ` ${args["cursor"]}` : "";
  const canGoOn = isAgain && !isLast;
  const said = [
    `too long for one answer: ${path.join(".")} has ${isText ? "characters" : "entries"} ${from + 1} to ${end} of ${long.length}`,
    ...(beside === others ? [] : ["other fields are cut"]),
    ...(canGoOn ? ["the same call with this cursor goes on"] : []),
    `\`relay ${command} --json\` prints all`,
  ];
  return {
    ...given,
    ...(canGoOn ? { cursor: cursorAfter(`${end}${own}`, "rest") } : {}),
    warning: [...(given.warning === undefined ? [] : [given.warning]), ...said].join("; "),
  };
}

/** The way to what makes a value long: its largest field, and so on within that; a list of one goes on within its entry. */
function wayToLongest(value: unknown): string[] {
  if (typeof value !== "object" || value === null || (Array.isArray(value) && value.length !== 1)) return [];
  const [largest] = Object.entries(value).toSorted(([, a], [, b]) => sizeOf(b) - sizeOf(a));
  return largest === undefined ? [] : [largest[0], ...wayToLongest(largest[1])];
}

/** A value with another one at a place within it. */
function replaced(value: unknown, [key, ...path]: readonly string[], by: unknown): unknown {
  if (key === undefined) return by;
  if (Array.isArray(value)) return [replaced(value[0], path, by)];
  const fields = value as Record<string, unknown>;
  return { ...fields, [key]: replaced(fields[key], path, by) };
}

const sizeInList = (item: unknown): number => sizeOf(item) + 1;

/** The beginning of a value: the first entries of a list, and of the fields of an object all of the short ones and the beginnings of others. */
function shortened(value: unknown, room: number): unknown {
  if (sizeOf(value) <= room) return value;
  if (typeof value === "string") return `${value.slice(0, endWithin(value, 0, room))}…`;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const count = countWithin(value, room, sizeInList);
    return count === 0 ? [shortened(value[0], room)] : value.slice(0, count);
  }
  const fields = Object.entries(value).map(([name, item]) => ({ name, item, size: sizeOf(item) + sizeOf(name) + 2 }));
  const kept = new Map<string, unknown>();
  let left = room;
  for (const [at, { name, item, size }] of fields.toSorted((a, b) => a.size - b.size).entries()) {
    const share = Math.floor(left / (fields.length - at)) - sizeOf(name) - 2;
    if (share < LEAST && size > share) continue;
    kept.set(name, shortened(item, share));
    left -= sizeOf(kept.get(name)) + sizeOf(name) + 2;
  }
  return Object.fromEntries(fields.flatMap(({ name }) => (kept.has(name) ? [[name, kept.get(name)]] : [])));
}
