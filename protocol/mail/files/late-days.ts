/** Until when the threads of a day were written to: most end on the day that they began, so that only later ones are noted. */
import { decodeTime, isAhead, type MessageLocation, parseMessageId } from "../../core/format/id.ts";
import type { RecentState } from "./recent-state.ts";

const DAY_MS = 86_400_000;

/** Of which days threads were written to after their end, with some messages more. */
export function lateOf(newest: readonly string[], known: Readonly<Record<string, number>>): Record<string, number> {
  const late = { ...known };
  for (const id of newest) {
    const { day, token } = parseMessageId(id) as MessageLocation;
    // One of a time to come counts as of its day.
    if (isAhead(token)) continue;
    const ms = decodeTime(token);
    if (ms > (late[day] ?? endOfDay(day))) late[day] = ms;
  }
  return late;
}

const endOfDay = (day: string): number => Date.parse(day) + DAY_MS - 1;

/** No message of a day's threads is newer, in milliseconds since the epoch. */
export const newestMs = ({ days, late }: RecentState, day: string): number =>
  days[day] === undefined ? Number.POSITIVE_INFINITY : (late[day] ?? (endOfDay(day) || Number.POSITIVE_INFINITY));

/** Whether none of a day's threads was written to after its end. */
export const isOfItsDay = ({ days, late }: RecentState, day: string): boolean => days[day] !== undefined && late[day] === undefined;
