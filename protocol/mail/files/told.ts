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

/** What a part was told: the states of its board, and the messages that its last turn showed whole, by id, which `ack: "shown"` takes. */
export interface ToldPart {
  board: Readonly<Record<string, string>>;
  mail: readonly string[];
}

/** Reads what a part was told; null where nothing is known of that. */
export const readTold = (world: World, part: string): ToldPart | null =>
  orElse(null, () => {
    const source = readText(world.home().store, toldPath(part), TOLD_BYTES);
    const told = source === null ? null : (JSON.parse(source) as Partial<ToldPart> | null);
    if (typeof told?.board !== "object" || told.board === null) return null;
    const mail: unknown = told.mail;
    return { board: told.board, mail: Array.isArray(mail) ? mail.filter((id) => typeof id === "string") : [] };
  });

/** The messages that the last turn of a part showed whole, as far as they are unread. */
export function lastShown(world: World, part: string, unread: readonly string[]): string[] {
  const isUnread = new Set(unread);
  return (readTold(world, part)?.mail ?? []).filter((id) => isUnread.has(id));
}

/** Notes, best effort, what a part was told. */
export function writeTold(world: World, part: string, told: ToldPart): void {
  quietly(() => place(world.home().store, toldPath(part), JSON.stringify(told)));
}

/** Notes that a part begins a session, so that it is told all that follows. */
export function noteBegun(world: World, part: string, session: string): void {
  if (readTold(world, part) === null) writeTold(world, part, { board: { session }, mail: [] });
}
