/** A thread as its archives have it, for reading. spec/removal.md, "Archive". */

import { compareInThread, type MessageLocation, parseMessageId, type ThreadLocation } from "../../core/format/id.ts";
import { type Faults, faultOf } from "../../core/home/broken-files.ts";
import type { World } from "../../core/world.ts";
import { currentNames, type Receipt } from "../../mail/files/delivery-state.ts";
import { locateMessage, type Message, messagePath, parseMessage } from "../../mail/nouns/message.ts";
import { readPath } from "../../mail/nouns/part.ts";
import { parseThread, type Thread, threadFromFirst, threadPath } from "../../mail/nouns/thread.ts";
import { sha256 } from "../../store/digest.ts";
import { archivePath } from "../nouns/archive.ts";
import { archivedFiles } from "./archives.ts";

/** A thread out of its archives. */
export interface ArchivedThread {
  thread: Thread;
  /** In the thread's order. */
  messages: Message[];
  /** How far each message came, by its id. */
  receiptsOf(id: string): Receipt[];
}

/** Reads a thread out of its archives; null where they hold no message that can be read. */
export function readArchivedThread(world: World, location: ThreadLocation, faults: Faults): ArchivedThread | null {
  const files = archivedFiles(world.home().store, location, faults);
  const read = <T>(path: string, parse: () => T): T | null => {
    try {
      return parse();
    } catch (error) {
      faults.push({ ...faultOf(error, path), path: archivePath(location) });
      return null;
    }
  };
  const keys = [...files.keys()].flatMap((path) => locateMessage(path) ?? []).sort(compareInThread);
  const messages = keys.flatMap((each) => {
    const path = messagePath(each);
    return read(path, () => parseMessage(files.get(path) as string, each, sha256)) ?? [];
  });
  const [first] = messages;
  if (first === undefined) return null;
  const text = files.get(threadPath(location));
  const thread = text === undefined ? null : read(threadPath(location), () => parseThread(text, location));
  const shown = thread ?? threadFromFirst(first);
  return { thread: shown, messages, receiptsOf: (id) => receiptsOf(world, shown, messages, files, id) };
}

/** How far a message came for each recipient, as its thread's archives say. */
function receiptsOf(world: World, thread: Thread, messages: readonly Message[], files: ReadonlyMap<string, string>, id: string): Receipt[] {
  const renamed = currentNames(world);
  const index = messages.findIndex((each) => each.id === id);
  const later = messages.slice(index + 1);
  const { day } = parseMessageId(id) as MessageLocation;
  return (messages[index] as Message).to.map((recipient) => {
    const part = renamed.get(recipient) ?? recipient;
    const names = [part, ...[...renamed].flatMap(([name, now]) => (now === part ? [name] : []))];
    if (names.some((name) => thread.closedUnread?.includes(`${name} ${id}`))) return { part: recipient, state: "closed-unread" };
    if (later.some(({ from }) => names.includes(from))) return { part: recipient, state: "replied" };
    return { part: recipient, state: names.some((name) => files.has(readPath(name, id, day))) ? "acked" : "stored" };
  });
}
