/**
 * The board as a part's last turn told it, in one small file of this machine: never a history. Relay writes it once the agent received
 * that turn. Without the file the part is told again. spec/messages.md, "A turn".
 */
import { orElse, quietly } from "../../core/format/file-error.ts";
import type { World } from "../../core/world.ts";
import { readText } from "../../store/read/read-file.ts";
import { place } from "../../store/write/publish.ts";
import { markName } from "../nouns/part.ts";

/** Where the file of a part lies. */
export const toldPath = (part: string): string => `run/turn/${markName(part)}.json`;
const TOLD_BYTES = 4_194_304;

/**
 * What a part was told: the states of its board; the messages that its last turn showed whole, by id, which `ack: "shown"` takes; and those
 * that answers to other calls ended with since, which it takes after the next turn: whoever made that call may not have read them yet.
 */
export interface ToldPart {
  board: Readonly<Record<string, string>>;
  mail: readonly string[];
  beside: readonly string[];
  /** Instant of the last of those, in milliseconds since the epoch. */
  besideMs: number;
  /** Keys of reviews and ready tasks that such answers ended with: a `wait` tells them once more, where nothing was done about them. */
  owed: readonly string[];
}

/** Reads what a part was told; null where nothing is known of that. */
export const readTold = (world: World, part: string): ToldPart | null =>
  orElse(null, () => {
    const source = readText(world.home().store, toldPath(part), TOLD_BYTES);
    const told = source === null ? null : (JSON.parse(source) as Partial<ToldPart> | null);
    if (typeof told?.board !== "object" || told.board === null) return null;
    const idsOf = (list: unknown): string[] => (Array.isArray(list) ? list.filter((id) => typeof id === "string") : []);
    return {
      board: told.board,
      mail: idsOf(told.mail),
      beside: idsOf(told.beside),
      besideMs: typeof told.besideMs === "number" ? told.besideMs : 0,
      owed: idsOf(told.owed),
    };
  });

/** The messages that the last turn of a part showed whole, as far as they are unread. */
export function lastShown(world: World, part: string, unread: readonly string[]): string[] {
  const isUnread = new Set(unread);
  return (readTold(world, part)?.mail ?? []).filter((id) => isUnread.has(id));
}

/** A call within this time, in milliseconds, was begun before anybody read what the answer before it ended with: both are of one line. */
const UNREAD_MS = 2_000;

/**
 * The messages that the answer just before ended with, as far as they are unread: whoever waits in the same line did not read them yet. A
 * client makes its next call once it has the answer.
 */
export function shownJustNow(world: World, part: string, unread: readonly string[]): string[] {
  const told = world.connection.lasting ? null : readTold(world, part);
  if (told === null || Math.abs(world.now() - told.besideMs) > UNREAD_MS) return [];
  const isUnread = new Set(unread);
  return told.beside.filter((id) => isUnread.has(id));
}

/** Notes, best effort, what a part was told. */
export function writeTold(world: World, part: string, told: ToldPart): void {
  quietly(() => place(world.home().store, toldPath(part), JSON.stringify(told)));
}

/** Notes that a part begins a session, so that it is told all that follows. */
export function noteBegun(world: World, part: string, session: string): void {
  if (readTold(world, part) === null) writeTold(world, part, { board: { session }, mail: [], beside: [], besideMs: 0, owed: [] });
}
