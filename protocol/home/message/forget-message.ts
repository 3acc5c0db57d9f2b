/** Messages that are to be forgotten, on the disk. spec/removal.md, "Forget". */
import { posix } from "node:path";
import { type MessageLocation, messageId, parseMessageId, type ThreadLocation, threadId } from "../../objects/format/id.ts";
import { FILE_BYTES, LIMITS } from "../../objects/format/schema.ts";
import {
  FORGOTTEN_FOLDER,
  type Forgotten,
  forgottenPath,
  formatForgotten,
  keptForgotten,
  locateForgotten,
  parseForgotten,
  refusedPath,
} from "../../objects/message/forget-request.ts";
import { messagePath, parseMessage, threadFolder } from "../../objects/message/message.ts";
import { readPath, unreadPath } from "../../objects/part/part.ts";
import { exists } from "../../store/read/facts.ts";
import { names } from "../../store/read/list-folder.ts";
import { readText } from "../../store/read/read-file.ts";
import { flushFolders, type Store } from "../../store/root.ts";
import { removeEmptyFolder, removeFile, removeForGood } from "../../store/write/move-file.ts";
import { place, publish } from "../../store/write/publish.ts";
import type { World } from "../../world.ts";
import { commitThenFinish } from "../commit-then-finish.ts";
import { noteHere } from "../note-origins.ts";
import { putInInbox } from "../part/inbox-files.ts";
import { inboxFolders, isMember } from "../part/members.ts";
import { readMessage } from "../thread/read-message.ts";
import { dropText } from "./idempotency.ts";

/** A request that stands, and whether this machine still has the bytes. */
export interface Request extends Forgotten {
  kept: boolean;
}

/** Whether a message is asked to be forgotten, and nobody refused that. */
export const isForgottenHere = (store: Store, id: string): boolean => exists(store, forgottenPath(id)) && !exists(store, refusedPath(id));

/** The requests that stand for messages of a thread, in no order. */
export function requestsIn(store: Store, thread: ThreadLocation): Request[] {
  return names(store, FORGOTTEN_FOLDER).flatMap((name) => {
    const located = locateForgotten(`${FORGOTTEN_FOLDER}/${name}`);
    if (located?.kind !== "forgotten" || threadId(located.key) !== threadId(thread)) return [];
    const id = messageId(located.key);
    if (!isForgottenHere(store, id)) return [];
    return [{ ...requestOf(store, id), kept: exists(store, keptForgotten(id)) }];
  });
}

/** The requests that stand and that this machine still keeps the bytes for, so that a person has to answer. */
export function openRequests(store: Store): Request[] {
  return names(store, "local/forgotten").flatMap((name) => {
    const id = name.endsWith(".md") ? name.slice(0, -3) : "";
    return parseMessageId(id) === null || !isForgottenHere(store, id) ? [] : [{ ...requestOf(store, id), kept: true }];
  });
}

/** Whether a message whose bytes this machine keeps is from a part, or to it. */
export function isPartyOfKept(store: Store, id: string, part: string): boolean {
  const [key, bytes] = [parseMessageId(id), readText(store, keptForgotten(id), LIMITS.messageBytes)];
  if (key === null || bytes === null) return false;
  const { from, to } = parseMessage(bytes, key, null);
  return from === part || to.includes(part);
}

function requestOf(store: Store, id: string): Forgotten {
  try {
    const { by, at, reason } = parseForgotten(readText(store, forgottenPath(id), FILE_BYTES.forgotten) ?? "");
    return { id, by, at, ...(reason === undefined ? {} : { reason }) };
  } catch {
    return { id, by: "nobody named", at: new Date(0).toISOString() };
  }
}

/** Asks to forget a message, and takes its bytes out of this home. Doing it again finishes it. */
export async function forgetMessage(world: World, location: MessageLocation, by: string, reason: string | undefined): Promise<void> {
  const { store } = world.home();
  const id = messageId(location);
  const at = new Date(world.now()).toISOString();
  const ask = (): true => {
    publish(store, forgottenPath(id), formatForgotten({ id, by, at, reason }));
    return true;
  };
  let failure: unknown = null;
  await commitThenFinish(world, ["forget", id], ask, () => {
    noteHere(world, [forgottenPath(id)]);
    try {
      takeOut(store, location);
    } catch (error) {
      failure = error;
      throw error;
    }
  });
  // The next operation tries again; but who is told that a secret is gone must find it gone.
  if (failure !== null) throw failure;
}

/** Takes out a message that somebody was killed over, or lost power over, where its request stands. */
export function finishForgetting(world: World, id: string): void {
  const location = parseMessageId(id);
  if (location !== null && isForgottenHere(world.home().store, id)) takeOut(world.home().store, location);
}

/** Removes a message and its names in inboxes, and what a search remembers of it; no loss of power brings it back. */
function takeOut(store: Store, location: MessageLocation): void {
  const id = messageId(location);
  // Its name in the thread goes last: who dies before that is finished by the next call.
  const mail = inboxFolders(store).flatMap((part) => [unreadPath(part, id), readPath(part, id, location.day)]);
  const removed = [...mail, `run/search/${location.day}.pack`].filter((path) => removeFile(store, path));
  dropText(store, id);
  removeFile(store, messagePath(location));
  const folder = threadFolder(location);
  removeEmptyFolder(store, folder);
  const shrunk = [...removed.map((path) => posix.dirname(path)), folder, posix.dirname(folder)];
  flushFolders(
    store,
    shrunk.filter((at) => exists(store, at)),
  );
}

/** Keeps the bytes of a message that a sync takes away because somebody asked to forget it. */
export function keepForgotten(store: Store, id: string, bytes: Buffer): void {
  if (!exists(store, keptForgotten(id))) place(store, keptForgotten(id), bytes);
}

/** Lets the bytes go that this machine kept. @returns whether there were any */
export const confirmForgotten = (world: World, id: string): boolean => removeForGood(world.home().store, keptForgotten(id));

/**
 * Refuses a request: the message is back, unread for those it went to, in every clone that has its bytes.
 * @returns whether this machine had the bytes
 */
export function refuseForgotten(world: World, location: MessageLocation, by: string): boolean {
  const { store } = world.home();
  const id = messageId(location);
  const bytes = readText(store, keptForgotten(id), LIMITS.messageBytes);
  publish(store, refusedPath(id), formatForgotten({ id, by, at: new Date(world.now()).toISOString() }));
  noteHere(world, [refusedPath(id)]);
  if (bytes === null) return false;
  publish(store, messagePath(location), bytes);
  const message = readMessage(store, location, messagePath(location), []);
  for (const part of message?.to ?? []) if (isMember(world, part)) putInInbox(store, part, id, messagePath(location));
  removeFile(store, keptForgotten(id));
  return true;
}
