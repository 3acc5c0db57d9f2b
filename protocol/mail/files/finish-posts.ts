/** Completes what killed or suspended writers sent, and withdraws what they never committed. SPEC.md, "How a message is delivered". */

import path from "node:path";
import { orElse, succeeds } from "../../core/format/file-error.ts";
import { type MessageLocation, messageId, parseMessageId } from "../../core/format/id.ts";
import { LIMITS } from "../../core/format/schema.ts";
import type { World } from "../../core/world.ts";
import { sha256 } from "../../store/digest.ts";
import { lifeOf, thisThread } from "../../store/process.ts";
import { ageMs, exists, facts } from "../../store/read/facts.ts";
import { names } from "../../store/read/list-folder.ts";
import { readText } from "../../store/read/read-file.ts";
import type { Store } from "../../store/root.ts";
import { removeEmptyFolder, removeFile } from "../../store/write/move-file.ts";
import { linkFile, place } from "../../store/write/publish.ts";
import { removals } from "../asks.ts";
import { type Message, messagePath, parseMessage, threadFolder } from "../nouns/message.ts";
import { unreadPath } from "../nouns/part.ts";
import { noteMissedArrival } from "./arrivals.ts";
import { complete, dropPending, isBeingFlushed } from "./complete-post.ts";
import { isAcked } from "./inbox-files.ts";
import { PENDING } from "./post.ts";

/** A committed send whose writer still lives is completed by others after this long: completing twice is harmless. */
const PATIENCE_MS = 10_000;
/** What a writer that cannot be seen (another container) left uncommitted is taken for abandoned after this long. */
const ABANDONED_MS = 86_400_000;

/** Completes what killed or suspended writers left, and withdraws what they never committed. Every operation begins with it. */
export function completePending(world: World): void {
  const { store } = world.home();
  for (const name of names(store, PENDING)) {
    const match = /^([\w-]+)\.(m-[0-9a-z-]+)\.md$/.exec(name);
    const location = match === null ? null : parseMessageId(match[2] as string);
    if (match === null || location === null || isBeingFlushed(store, `${PENDING}/${name}`)) continue;
    const life = match[1] === thisThread() ? "gone" : lifeOf(match[1] as string);
    // One intent that cannot be completed must not keep the others from it.
    succeeds(() => completeOrWithdraw(world, `${PENDING}/${name}`, location, life));
  }
}

function completeOrWithdraw(world: World, pending: string, location: MessageLocation, life: "alive" | "gone" | "unknown"): void {
  const { store } = world.home();
  const age = ageMs(store, pending) ?? 0;
  // Nearly always it is one that another process sends just now.
  if (life === "alive" && age < PATIENCE_MS) return;
  const target = messagePath(location);
  if (!exists(store, target) && life !== "alive") commitAgain(world, pending, location);
  if (!exists(store, target)) {
    if (life === "alive" || (life === "unknown" && age < ABANDONED_MS)) return;
    removeFile(store, pending);
    // Its writer may have committed just before the intent was taken away; then it counts.
    if (!exists(store, target)) {
      removeEmptyFolder(store, threadFolder(location));
      return;
    }
  }
  if (facts(store, target)?.size === 0 && (ageMs(store, target) ?? 0) > PATIENCE_MS) {
    // A disk lost its bytes, or a name was reserved and nothing says by whom: a note would have freed it.
    const content = readText(store, pending, LIMITS.messageBytes);
    if (content !== null) place(store, target, content);
  }
  const message = parsePosted(store, target, location);
  if (message !== null) noteMissedArrival(world, message.id);
  const grown = [path.posix.dirname(threadFolder(location)), "threads"];
  if (message === null || complete(world, message, location, target, grown)) dropPending(store, pending);
}

/**
 * Gives a message its name in its thread once more, where a loss of power took that name and left one in an inbox: a name in an
 * inbox comes only after the commit. The intent has the whole message then. One that was forgotten, or whose thread was archived,
 * is in its thread no more because somebody wanted so.
 */
function commitAgain(world: World, pending: string, location: MessageLocation): void {
  const { store } = world.home();
  const message = parsePosted(store, pending, location);
  const isInInbox = message?.to.some((part) => exists(store, unreadPath(part, message.id)) || isAcked(store, part, message.id));
  if (isInInbox === true && !removals().isForgottenHere(world, messageId(location)) && !removals().hasArchive(store, location))
    linkFile(store, pending, messagePath(location));
}

function parsePosted(store: Store, at: string, location: MessageLocation): Message | null {
  // Somebody broke the file after it was posted: `doctor` names it, and it is delivered to nobody.
  return orElse(null, () => {
    const source = readText(store, at, LIMITS.messageBytes);
    return source === null ? null : parseMessage(source, location, sha256);
  });
}
