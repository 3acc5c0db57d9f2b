/**
 * Messages that are to be forgotten, on the disk. A person takes one out of this clone; of the others a request asks. What a person
 * took out here is noted in the user's state folder. spec/removal.md, "Forget".
 */

import { posix } from "node:path";
import { acted } from "../../core/act.ts";
import { orElse } from "../../core/format/file-error.ts";
import { type MessageLocation, messageId, parseMessageId, type ThreadLocation, threadId } from "../../core/format/id.ts";
import { FILE_BYTES } from "../../core/format/schema.ts";
import { commitThenFinish } from "../../core/home/commit-then-finish.ts";
import type { World } from "../../core/world.ts";
import { dropText } from "../../mail/files/idempotency.ts";
import { inboxFolders } from "../../mail/files/members.ts";
import { messageAt } from "../../mail/nouns/in-inbox.ts";
import { messagePath, threadFolder } from "../../mail/nouns/message.ts";
import { readPath, unreadPath } from "../../mail/nouns/part.ts";
import { exists } from "../../store/read/facts.ts";
import { names } from "../../store/read/list-folder.ts";
import { readText } from "../../store/read/read-file.ts";
import { flushFolders, type Store } from "../../store/root.ts";
import { removeEmptyFolder, removeFile, removeForGood } from "../../store/write/move-file.ts";
import { place, publish } from "../../store/write/publish.ts";
import { findMachineStore, machineStore } from "../../trust/files/machine.ts";
import {
  FORGOTTEN_FOLDER,
  type Forgotten,
  forgottenPath,
  formatForgotten,
  isRequest,
  locateForgotten,
  parseForgotten,
  refusedPath,
} from "../nouns/forget-request.ts";

/** A request that nobody refused, and whether it waits for a person here: the message is there. */
export interface Request extends Forgotten {
  open: boolean;
}

/** The folder of this machine's store that has a file for each message that a person took out here. */
const TAKEN_OUT = "forgotten";

/** Whether a person took a message out of this clone. */
export function isForgottenHere(world: World, id: string): boolean {
  const store = findMachineStore(world);
  return store !== null && exists(store, `${TAKEN_OUT}/${id}`);
}

/** The first message of a thread that a person took out of this clone; null where none was. */
export function forgottenOf(world: World, thread: ThreadLocation): string | null {
  const store = findMachineStore(world);
  const ids = store === null ? [] : names(store, TAKEN_OUT);
  const isOfThread = (of: MessageLocation | null): boolean => of !== null && threadId(of) === threadId(thread);
  return ids.find((id) => isOfThread(parseMessageId(id))) ?? null;
}

/** Tells of paths whether they are of a message that a person took out of this clone: in its thread, or in an inbox. */
export function forgottenHere(world: World): (path: string) => boolean {
  const store = findMachineStore(world);
  const ids = new Set(store === null ? [] : names(store, TAKEN_OUT));
  return (path) => {
    const location = ids.size === 0 ? null : messageAt(path);
    return location !== null && ids.has(messageId(location));
  };
}

/** The folder of this machine's store that has a file for each request that stands here though a push refused it. */
const STANDING = "asked-again";

/** Makes a request that a push refused stand again in this clone. @returns whether it did not @throws Refusal `no_state_folder` */
export const askAgain = (world: World, id: string): boolean => publish(machineStore(world), `${STANDING}/${id}`, "") !== "exists";

/** Whether a request asks for nothing here. */
function isRefused(store: Store, id: string): boolean {
  if (!exists(store, refusedPath(id))) return false;
  const machine = store.outside?.find() ?? null;
  return machine === null || !exists(machine, `${STANDING}/${id}`);
}

/** Who asked to forget a message; null where no request can be read. */
export const askedBy = (store: Store, id: string): string | null =>
  orElse(null, () => parseForgotten(requestText(store, forgottenPath(id)) ?? "").by);

/** The requests that nobody refused. @param isAsked of which messages */
function* requests(store: Store, isAsked: (location: MessageLocation) => boolean): Generator<Request> {
  for (const name of names(store, FORGOTTEN_FOLDER)) {
    const at = `${FORGOTTEN_FOLDER}/${name}`;
    const located = locateForgotten(at);
    if (located?.kind !== "forgotten" || !isAsked(located.key) || isRefused(store, messageId(located.key))) continue;
    const text = requestText(store, at);
    if (text !== null && isRequest(at, text)) yield { ...parseForgotten(text), open: exists(store, messagePath(located.key)) };
  }
}

const requestText = (store: Store, at: string): string | null => orElse(null, () => readText(store, at, FILE_BYTES.forgotten));

/** The requests to forget messages of a thread that nobody refused, in no order. */
export const requestsIn = (store: Store, thread: ThreadLocation): Request[] => [
  ...requests(store, (location) => threadId(location) === threadId(thread)),
];

/** The first requests that wait for a person here. @param most how many */
export function openRequests(store: Store, most: number): Request[] {
  const open: Request[] = [];
  for (const request of requests(store, (location) => exists(store, messagePath(location)))) {
    if (open.length === most) break;
    open.push(request);
  }
  return open;
}

/**
 * Takes a message out of this clone, and asks the others to. Doing it again finishes it.
 * @throws Refusal `no_state_folder`
 */
export async function forgetMessage(world: World, location: MessageLocation, by: string, reason: string | undefined): Promise<void> {
  const { store } = world.home();
  const machine = machineStore(world);
  const id = messageId(location);
  const at = new Date(world.now()).toISOString();
  const takeOutHere = (): true => {
    const asked = forgottenPath(id);
    const text = formatForgotten({ id, by, at, reason });
    // What nobody can read asks for nothing.
    if (publish(store, asked, text) === "exists" && !isRequest(asked, requestText(store, asked))) place(store, asked, text);
    publish(machine, `${TAKEN_OUT}/${id}`, "");
    return true;
  };
  let failure: unknown = null;
  await commitThenFinish(world, ["forget", id], takeOutHere, () => {
    acted(world, { paths: [forgottenPath(id)] });
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

/** Takes out a message that somebody was killed over, or lost power over. */
export function finishForgetting(world: World, id: string): void {
  const location = parseMessageId(id);
  if (location !== null && isForgottenHere(world, id)) takeOut(world.home().store, location);
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

/**
 * Refuses a request for everybody: it asks for nothing from then on.
 * @returns whether the message was taken out here; the record has it
 */
export function refuseForgotten(world: World, id: string, by: string): boolean {
  publish(world.home().store, refusedPath(id), formatForgotten({ id, by, at: new Date(world.now()).toISOString() }));
  acted(world, { paths: [refusedPath(id)] });
  const machine = findMachineStore(world);
  if (machine !== null) removeFile(machine, `${STANDING}/${id}`);
  return machine !== null && removeForGood(machine, `${TAKEN_OUT}/${id}`);
}
