/** The messages of a dispatch before a turn. A program whose session is lost reads them instead. */

import { type MessageLocation, parseMessageId, parseThreadId, type ThreadLocation } from "../../core/format/id.ts";
import type { World } from "../../core/world.ts";
import { readMessage } from "../../mail/files/read-message.ts";
import { messageKeys } from "../../mail/files/threads.ts";
import { type Message, messagePath } from "../../mail/nouns/message.ts";
import type { Store } from "../../store/root.ts";
import { quoted } from "../nouns/envelope.ts";
import { childrenOf } from "./children.ts";
import { fromShown } from "./dispatch-mail.ts";
import { takenByCalls } from "./local-files.ts";
import { type DispatchFiles, readDispatchFiles } from "./read-dispatch.ts";
import { wholeText } from "./reply-text.ts";

/** Characters of all that is told again: what a program reads at once has a limit of 1,048,576, and the new message is to have room as well. */
export const EARLIER = 400_000;

/**
 * The whole texts of the turns before one, in order: what the dispatch was given, what it gave to others and heard of them, and what it
 * replied. Where that is too much, the oldest are left out, and the text says how many.
 * @returns an empty text where there was none
 */
export function earlierTurns(world: World, id: string, turn: number): string {
  const { store } = world.home();
  const files = readDispatchFiles(store, id);
  const said = files === null ? [] : saidBefore(store, files, turn);
  if (said.length === 0) return "";
  const kept: string[] = [];
  let room = EARLIER;
  for (const message of said.reverse()) {
    const text = `## From ${fromShown(world, message)} to ${message.to.join(", ")}\n\n${quoted(wholeText(store, message))}`;
    if (text.length > room && kept.length > 0) break;
    kept.unshift(text.length > room ? `${text.slice(0, room).toWellFormed()}\n\n[The rest of this message is left out.]` : text);
    room -= text.length;
  }
  const left = said.length - kept.length;
  const gap = left === 0 ? "" : `[The ${left} oldest of ${said.length} messages are left out.]\n\n`;
  return `Your earlier session is lost. These are its messages:\n\n${gap}${kept.join("\n\n")}\n\n---\n\nNow:\n\n`;
}

/** The messages of the turns before one, by the times of their writers. */
function saidBefore(store: Store, { dispatch, turns, ends }: DispatchFiles, turn: number): Message[] {
  const before = turns.filter((each) => each.turn < turn);
  const begins = turns.find((each) => each.turn === turn)?.at;
  const heard = before.flatMap((each) => [...each.inputs, ...takenByCalls(store, dispatch.id, each.turn)]);
  const replied = ends.flatMap((end) => (end.turn < turn && end.reply !== undefined ? [end.reply] : []));
  const told = childrenOf(store, dispatch.id).flatMap((child) =>
    messageKeys(store, parseThreadId(child.id) as ThreadLocation).flatMap((each) => messageAt(store, each) ?? []),
  );
  const own = told.filter(({ from, at }) => from === dispatch.recipient && (begins === undefined || at < begins));
  // What an interrupted turn was given is given again.
  const again = turns.find((each) => each.turn === turn)?.inputs ?? [];
  const ids = [...new Set([...heard, ...replied])].filter((each) => !again.includes(each));
  const read = ids.flatMap((each) => messageAt(store, parseMessageId(each)) ?? []);
  return [...read, ...own].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

const messageAt = (store: Store, location: MessageLocation | null): Message | null =>
  location === null ? null : readMessage(store, location, messagePath(location), []);
