/** Everything of a send after its commit: the inboxes, the flushes, and the end of its intent. SPEC.md, "How a message is delivered". */
import { quietly, succeeds } from "../../core/format/file-error.ts";
import type { MessageLocation } from "../../core/format/id.ts";
import type { World } from "../../core/world.ts";
import { absolute, type Store } from "../../store/root.ts";
import { flushFiles } from "../../store/write/flush-files.ts";
import { flushFolder } from "../../store/write/make-folder.ts";
import { removeFile } from "../../store/write/move-file.ts";
import { removeLater } from "../../store/write/remove-later.ts";
import { type Message, threadFolder } from "../nouns/message.ts";
import { inboxNew } from "../nouns/part.ts";
import { putInInbox } from "./inbox-files.ts";

/**
 * Everything after the commit, for whoever finishes another's send: the inboxes, and the flushes of all its names. Doing it twice changes
 * nothing.
 * @param grown folders above the thread's that grew for it
 * @returns whether all of it is done; one inbox that fails does not keep the message from the others
 */
export function complete(
  world: World,
  { to, id }: Message,
  location: MessageLocation,
  source: string,
  grown: readonly string[] = [],
): boolean {
  const { store } = world.home();
  const folders = [threadFolder(location), ...grown, ...to.map(inboxNew)];
  const steps = [
    ...to.map((part) => () => putInInbox(store, part, id, source)),
    // A folder that cannot be flushed does not keep the others from it.
    ...[...new Set(folders)].map((folder) => () => flushFolder(store, folder)),
  ];
  return steps.map(succeeds).every((done) => done);
}

/** Intents whose names this thread still flushes, by absolute path. */
const beingFlushed = new Set<string>();

/** Whether this thread still flushes the names of an intent, so that nobody need complete it. */
export const isBeingFlushed = (store: Store, pending: string): boolean => beingFlushed.has(absolute(store, pending));

/** A command flushes at most so many folders before it answers; of more, all follow the answer. */
const WAITED_FOR = 64;

/**
 * Completes a send of this process. One of its names is flushed first, in an inbox: with the intent it says that the message was committed,
 * and the sender of a server is answered. The other names are flushed meanwhile, and the intent stays until they are: after a loss of power
 * the next look makes them anew. What fails is left to the next look.
 * @param grown folders above the thread's that grew for it
 */
export function completeOwn(world: World, message: Message, key: MessageLocation, pending: string, grown: readonly string[]): void {
  const { store } = world.home();
  const flushAll = (folders: readonly string[]): boolean => folders.every((folder) => succeeds(() => flushFolder(store, folder)));
  const inThread = [threadFolder(key), ...grown];
  const reached = message.to.filter((part) => succeeds(() => putInInbox(store, part, message.id, pending, true))).map(inboxNew);
  const [first, ...others] = reached;
  const isKnown = first !== undefined && flushAll([first]);
  if ((!isKnown && !flushAll(inThread)) || reached.length < message.to.length) return;
  const rest = isKnown ? [...inThread, ...others] : reached;
  if (store.durable && (world.connection.lasting || rest.length > WAITED_FOR)) flushThenDrop(store, rest, pending);
  else if (flushAll(rest)) dropPending(store, pending);
}

/** Flushes folders while the sender is answered, and then removes the intent. */
function flushThenDrop(store: Store, folders: readonly string[], pending: string): void {
  const at = absolute(store, pending);
  const end = (): void => void beingFlushed.delete(at);
  beingFlushed.add(at);
  // Where that fails, the next look flushes them.
  void flushFiles(store, folders, []).then(() => removeLater(store, pending, end), end);
}

/** Removes the intent of a send that is complete. Never throws. */
export function dropPending(store: Store, pending: string): void {
  // What stays is completed again by the next look, which changes nothing.
  quietly(() => removeFile(store, pending));
}
