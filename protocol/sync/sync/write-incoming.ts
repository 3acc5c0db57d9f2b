/**
 * Laying recorded files out in the home: each whole, one by one, mail as second names of its message, so that whoever
 * watches sees what comes as it sees local mail. What is on the disk is never overwritten unseen. spec/git.md, "Syncing".
 */
import fs from "node:fs";
import { CONFIG_PATH } from "../../core/config/config-schema.ts";
import { FileError, orElse } from "../../core/format/file-error.ts";
import { isKept } from "../../core/noun/merge-tree.ts";
import { type FileFault, Refusal } from "../../core/refusal.ts";
import { countThings } from "../../core/tree/record.ts";
import type { World } from "../../core/world.ts";
import { readAll } from "../../git/git-blobs.ts";
import type { Change } from "../../git/git-changes.ts";
import type { Repository } from "../../git/git-run.ts";
import { locateInInbox, messageAt } from "../../mail/nouns/in-inbox.ts";
import { forgottenHere } from "../../removal/files/forget-message.ts";
import { errorCode, type Store } from "../../store/root.ts";
import { flushFiles } from "../../store/write/flush-files.ts";
import { clearRevisionsOfRemoved, waitedIn } from "../../store/write/replace.ts";
import { type Admitted, admit, type Most } from "../guard/admit-files.ts";
import { type Arrived, dirname, writeOne } from "./write-file.ts";

/**
 * The order: what others need first (parts before mail, messages before their names in inboxes), what goes away last.
 * Messages come in the order of their tokens, so every clone that gets them at once numbers them alike.
 */
function orderOf({ path, after }: Change): string {
  if (after === null) return `9 ${path}`;
  const location = messageAt(path);
  const mail = locateInInbox(path);
  if (location !== null && mail?.unread !== false) return `3 ${location.token} ${mail === null ? 0 : 1} ${path}`;
  if (mail !== null) return `4 ${path}`;
  if (path.endsWith("/thread.md")) return `5 ${path}`;
  return path === CONFIG_PATH ? "1" : `2 ${path}`;
}

/** Changes in the order in which they are checked out. */
function inOrder(changes: readonly Change[]): Change[] {
  return changes
    .map((change) => ({ change, order: orderOf(change) }))
    .sort((a, b) => (a.order < b.order ? -1 : a.order > b.order ? 1 : 0))
    .map(({ change }) => change);
}

/** Files, and bytes of their contents, that are read at a time. */
const BATCH = { files: 1_000, bytes: 8_388_608 };
/** New files that a call checks out at the most, and the bytes of what it does; the next call takes the others. */
const A_CALL: Most = { files: 50_000, bytes: 268_435_456 };
/**
 * So much of the disk new files leave free, and this part of it where that is less. On a disk with less they go on in small steps: a
 * call takes so much, and no more than this part of what is free.
 */
const FREE = { bytes: 1_073_741_824, part: 0.1, least: 8_388_608, step: 0.01 };

/** What a call may check out, as the disk has room. */
function mostNow(store: Store): Most {
  const disk = orElse(null, () => fs.statfsSync(store.root));
  // A disk that does not say it counts as one with room.
  if (disk === null || disk.blocks === 0) return A_CALL;
  const free = disk.bavail * disk.bsize;
  const room = free - Math.min(FREE.bytes, FREE.part * disk.blocks * disk.bsize);
  return { ...A_CALL, bytes: Math.max(Math.min(FREE.least, FREE.step * free), Math.min(A_CALL.bytes, room)) };
}

/** What is checked out together; a content larger than a batch is one by itself. */
function* batches(lay: Admitted["files"]): Generator<Change[]> {
  let batch: Change[] = [];
  let held = 0;
  for (const { change, bytes } of lay) {
    if (batch.length > 0 && (batch.length >= BATCH.files || held + bytes > BATCH.bytes)) {
      yield batch;
      [batch, held] = [[], 0];
    }
    batch.push(change);
    held += bytes;
  }
  if (batch.length > 0) yield batch;
}

/** How changes are checked out. */
interface IncomingOptions {
  /** New files at the most, and bytes. */
  most?: Most;
  /** Parts whose files stand before those that differ from them in case, of a home that has no relay.yml yet. */
  members?: readonly string[];
  /** Hears of changes before they are checked out. What it throws keeps them from it. */
  onComing?: (changes: readonly Change[]) => void;
}

/**
 * Puts changes into the home, those that may be there. Doing it twice changes nothing. They are flushed together at the
 * end, because whoever calls remembers on the disk what is being checked out, and a file that a loss of power left torn is
 * checked out again. A file that cannot be checked out is named and left, and the others are.
 */
export async function writeIncoming(
  world: World,
  repository: Repository,
  changes: readonly Change[],
  { most, members = [], onComing }: IncomingOptions = {},
): Promise<Arrived> {
  const { store } = world.home();
  const isForgotten = forgottenHere(world);
  // A mode alone is never checked out.
  const differing = changes.filter(({ path, before, after }) => before !== after && !isForgotten(path));
  const { files: lay, strangers, skipped, later } = await admit(store, repository, inOrder(differing), most ?? mostNow(store), members);
  const arrived: Arrived = {
    messages: 0,
    mail: [],
    files: 0,
    things: new Map(),
    gaveWay: [],
    did: [],
    toUndo: [],
    strangers,
    skipped,
    later,
    unfit: [],
  };
  let done = 0;
  for (const batch of batches(lay)) {
    const ids = [...new Set(batch.flatMap(({ before, after }) => [before, after]).filter((id) => id !== null))];
    const contents = await readAll(repository, ids);
    const bytesOf = (id: string | null): Buffer | null => (id === null ? null : (contents.get(id) as Buffer));
    world.progress?.(`checking out ${done} of ${lay.length}`);
    onComing?.(batch);
    for (const { path, before, after } of batch) {
      const change = { path, before: bytesOf(before), after: bytesOf(after) };
      await unlessOdd(path, skipped, () => writeOne(world, change, arrived));
    }
    // A name in an inbox is its message once more.
    const files = batch.flatMap(({ path }) => (locateInInbox(path) === null ? [path] : []));
    const gone = batch.filter(({ path, after }) => after === null && waitedIn(store, path).length > 0);
    const folders = [...batch.map(({ path }) => dirname(path) || "."), ...gone.flatMap(({ path }) => waitedIn(store, path))];
    await flushFiles(store, files, folders);
    for (const { path } of gone) clearRevisionsOfRemoved(store, path);
    done += batch.length;
  }
  const left = new Set([...strangers, ...[...skipped, ...arrived.unfit].map(({ path }) => path)]);
  // What lies beside a file is told as kept beside, and is none of what came.
  const came = lay.filter(({ change: { path, after } }) => after !== null && !isKept(path) && !left.has(path));
  return { ...arrived, things: countThings(came.map(({ change }) => change)) };
}

/** What the place of one file can give, such as a folder that stands there; what the disk itself gives concerns all. */
const OF_ONE = ["ENAMETOOLONG", "EISDIR", "ENOTDIR", "EEXIST", "ENOTEMPTY", "ELOOP", "EINVAL", "EILSEQ", "EPERM", "EACCES"];

async function unlessOdd(path: string, skipped: FileFault[], step: () => Promise<void>): Promise<void> {
  try {
    await step();
  } catch (error) {
    const isOdd = error instanceof FileError || (error instanceof Refusal && error.code === "outside_home");
    if (!isOdd && !OF_ONE.includes(errorCode(error) ?? "")) throw error;
    skipped.push({ path, problem: `it cannot be checked out here (${(error as Error).message}), so it stays in the branch` });
  }
}
