/**
 * What followers on this machine are told: the local feed, by the name of this clone, and a line for each message that arrived.
 *
 * A line is there only when all before it are, so who has read up to a number misses nothing, also when a sender was suspended
 * between storing and appending; `arrivals.ts` reads them. spec/messages.md, "Events" and "Arrival order".
 */

import { facts } from "../../store/read/facts.ts";
import { names } from "../../store/read/list-folder.ts";
import { readText } from "../../store/read/read-file.ts";
import type { Store } from "../../store/root.ts";
import { appendLine } from "../../store/write/append-line.ts";
import { makeFolder } from "../../store/write/make-folder.ts";
import { removeFile } from "../../store/write/move-file.ts";
import { publish } from "../../store/write/publish.ts";
import type { Deed } from "../act.ts";
import { quietly } from "../format/file-error.ts";
import { dayOf } from "../format/id.ts";
import type { World } from "../world.ts";

/** Where the feed lies, a file for each day. */
export const FEED_FOLDER = "run/feed";
const feedPath = (day: string): string => `${FEED_FOLDER}/${day}.jsonl`;
/** Days of the feed that are kept. */
const KEPT_DAYS = 7;
const CLONE_PATH = "local/clone";

/** Tells viewers that something happened. The feed is disposable: what fails here fails nobody's operation. */
function tell(world: World, line: Omit<FeedLine, "at">): void {
  const { store } = world.home();
  const nowMs = world.now();
  const at = new Date(nowMs).toISOString();
  const target = feedPath(at.slice(0, 10));
  const told: FeedLine = { at, ...line } as FeedLine;
  for (const listener of listeners) setImmediate(() => void hear(listener, told));
  try {
    const { from } = appendLine(store, target, JSON.stringify(told), false);
    if (from === 0) dropOld(store, dayOf(nowMs - KEPT_DAYS * 86_400_000));
  } catch {
    // Viewers miss a line; the files themselves are the truth.
  }
}

/** Who is told in this process. */
const listeners = new Set<(line: FeedLine) => unknown>();

/** Tells a listener. One that throws, or takes its time, is nobody's concern. */
async function hear(listener: (line: FeedLine) => unknown, line: FeedLine): Promise<void> {
  try {
    await listener(line);
  } catch {
    // What a listener does with what it hears is its own.
  }
}

/** Tells a listener, from now on, what this process tells viewers: after the operation that tells it, and one after the other. @returns ends it */
export function listen(listener: (line: FeedLine) => unknown): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Makes the folder of the feed for whoever follows it; a home that cannot be written is followed all the same. */
export function makeFeed(world: World): void {
  // Where it fails, the viewer looks on all the same.
  quietly(() => makeFolder(world.home().store, FEED_FOLDER));
}

function dropOld(store: Store, before: string): void {
  for (const name of names(store, FEED_FOLDER)) if (name < before) removeFile(store, `${FEED_FOLDER}/${name}`);
}

/** Changes whenever an operation told the feed of something. */
export function feedSign(world: World): string {
  const { store } = world.home();
  const last = names(store, FEED_FOLDER).sort().at(-1);
  const fact = last === undefined ? null : facts(store, `${FEED_FOLDER}/${last}`);
  return fact === null ? "" : `${last} ${fact.size}`;
}

/** The name of this clone, made once by whoever needs it first. It keeps two machines' lines apart. */
export function cloneName(world: World): string {
  const { store } = world.home();
  const known = knownClone(store);
  if (known !== null) return known;
  publish(store, CLONE_PATH, `${world.random(8)}\n`);
  return (readText(store, CLONE_PATH, 64) as string).trim();
}

/** The names of clones that this process read, by home, with what the file was: it is written once. */
const clonesRead = new Map<string, { sign: string; name: string }>();

/** The name of this clone, where it has one by now. */
export function knownClone(store: Store): string | null {
  const fact = facts(store, CLONE_PATH);
  if (fact === null) return null;
  const sign = `${fact.inode} ${fact.size} ${fact.modifiedMs}`;
  const before = clonesRead.get(store.root);
  if (before?.sign === sign) return before.name;
  const name = readText(store, CLONE_PATH, 64)?.trim() ?? "";
  if (!/^[0-9a-z]{8}$/.test(name)) return null;
  clonesRead.set(store.root, { sign, name });
  return name;
}

/** Where the order of arrival lies: a message id a line. */
export const ARRIVALS = "local/arrivals";

/** Notes a message that was stored just now. What fails here fails no send: a later operation notes it. */
function noteArrival(world: World, id: string): void {
  // Where it fails, the message is stored, and it gets its number when somebody finds it without one.
  quietly(() => appendLine(world.home().store, ARRIVALS, id, false));
}

/** Tells viewers of an act that has something to tell, and the order of arrival of a message. */
export function announceActs(world: World, { message, event }: Deed): void {
  if (message !== undefined) noteArrival(world, message);
  if (event !== undefined) tell(world, event);
}

/** One line of the local feed: `type` is a noun and what happened to it (`message:sent`). `at` is ISO 8601. */
export interface FeedLine {
  at: string;
  type: string;
  part: string | null;
  [detail: string]: unknown;
}
