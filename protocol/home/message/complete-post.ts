/** Everything of a send after its commit: the inboxes, the flushes, and the end of its intent. SPEC.md, "How a message is delivered". */
import { quietly, succeeds } from "../../objects/format/file-error.ts";
import type { MessageLocation } from "../../objects/format/id.ts";
import { type Message, threadFolder } from "../../objects/message/message.ts";
import { inboxNew } from "../../objects/part/part.ts";
import { absolute, type Store } from "../../store/root.ts";
import { flushFiles } from "../../store/write/flush-files.ts";
import { flushFolder } from "../../store/write/make-folder.ts";
import { removeFile } from "../../store/write/move-file.ts";
import type { World } from "../../world.ts";
import { putInInbox } from "../part/inbox-files.ts";

/**
 * Everything after the commit: the inboxes, and the flushes of all its names together. Doing it twice changes nothing.
 * @param grown folders above the thread's that grew for it
 * @param isNew as `putInInbox` takes it
 * @returns whether all of it is done; one inbox that fails does not keep the message from the others
 */
export function complete(
  world: World,
  { to, id }: Message,
  location: MessageLocation,
  source: string,
  grown: readonly string[] = [],
  isNew = false,
): boolean {
  const { store } = world.home();
  const folders = [threadFolder(location), ...grown, ...to.map(inboxNew)];
  const steps = [
    ...to.map((part) => () => putInInbox(store, part, id, source, isNew)),
    // A folder that cannot be flushed does not keep the others from it.
    ...[...new Set(folders)].map((folder) => () => flushFolder(store, folder)),
  ];
  return steps.map(succeeds).every((done) => done);
}

/** The inboxes of more recipients than this are flushed after the answer. */
const FLUSHED_FIRST = 64;
/** Intents whose inboxes this thread still flushes, by absolute path. */
const beingFlushed = new Set<string>();

/** Whether this thread still flushes the inboxes of an intent, so that nobody need complete it. */
export const isBeingFlushed = (store: Store, pending: string): boolean => beingFlushed.has(absolute(store, pending));

/** Completes a send of this process: its inboxes, the flushes, and the end of its intent. What fails is left to the next look. */
export function completeOwn(world: World, message: Message, key: MessageLocation, pending: string, grown: readonly string[]): void {
  if (message.to.length > FLUSHED_FIRST) completeBroadcast(world, message, key, pending, grown);
  else if (complete(world, message, key, pending, grown, true)) dropPending(world.home().store, pending);
}

/**
 * The same as `complete` for very many recipients, whose inboxes are flushed while the sender is answered. Its name in the thread is flushed
 * before that, and its intent stays until the last inbox is: after a loss of power meanwhile, the next look completes it.
 */
function completeBroadcast(world: World, { to, id }: Message, key: MessageLocation, pending: string, grown: readonly string[]): void {
  const { store } = world.home();
  const inboxes = to.map((part) => () => putInInbox(store, part, id, pending, true));
  const folders = [threadFolder(key), ...grown].map((folder) => () => flushFolder(store, folder));
  if (![...inboxes, ...folders].map(succeeds).every((done) => done)) return;
  const at = absolute(store, pending);
  beingFlushed.add(at);
  void flushFiles(store, to.map(inboxNew), [])
    .then(
      () => dropPending(store, pending),
      // The next look flushes them.
      () => {},
    )
    .finally(() => beingFlushed.delete(at));
}

/** Removes the intent of a send that is complete. Never throws. */
export function dropPending(store: Store, pending: string): void {
  // What stays is completed again by the next look, which changes nothing.
  quietly(() => removeFile(store, pending));
}
