/**
 * The files of the dispatches that this clone runs, as it wrote them itself. Whoever can push can add a turn, an end or a close to any
 * dispatch; of one that runs here only what lies in `local/` counts, and what all clones see is a copy. spec/office.md, "Dispatches".
 */
import { dispatchFolder, inDispatch } from "../../objects/dispatch/dispatch.ts";
import { parseThreadId, type ThreadLocation, threadId } from "../../objects/format/id.ts";
import { exists } from "../../store/read/facts.ts";
import { names } from "../../store/read/list-folder.ts";
import type { Store } from "../../store/root.ts";
import { linkFile, publish } from "../../store/write/publish.ts";
import { localFolder } from "./local-files.ts";

const ownFolder = (key: ThreadLocation): string => `${localFolder(threadId(key))}/own`;

/** Where the files of a dispatch are read: what this clone wrote, where it runs it; else what all clones see. */
export const recordFolder = (store: Store, key: ThreadLocation): string =>
  exists(store, `${ownFolder(key)}/dispatch.md`) ? ownFolder(key) : dispatchFolder(key);

/** Where a file of a dispatch is read. @param path where all clones see it */
export function recordPath(store: Store, path: string): string {
  const { key, rest } = inDispatch(path) as NonNullable<ReturnType<typeof inDispatch>>;
  return `${recordFolder(store, key)}/${rest}`;
}

/** Whether a dispatch is closed; asked very often while its turn runs. @param id of the dispatch */
export function isClosed(store: Store, id: string): boolean {
  const key = parseThreadId(id);
  return key !== null && exists(store, `${recordFolder(store, key)}/closed.md`);
}

/** Where this clone has a file of a dispatch for itself. @param path where all clones see it */
function ownPath(path: string): string {
  const { key, rest } = inDispatch(path) as NonNullable<ReturnType<typeof inDispatch>>;
  return `${ownFolder(key)}/${rest}`;
}

/** Writes a file of a dispatch that this clone runs for itself alone, by exclusive create. @param path where all clones see it once it is shared */
export const publishOwn = (store: Store, path: string, text: string): "created" | "exists" => publish(store, ownPath(path), text);

/**
 * Writes a file of a dispatch that this clone runs: for itself, by exclusive create, and then for all to see.
 * @param path where all clones see it
 */
export function publishRecord(store: Store, path: string, text: string): "created" | "exists" {
  const made = publishOwn(store, path, text);
  if (made === "created") show(store, ownPath(path), path);
  return made;
}

/** Gives a file of this clone's own its name for all. The disk is not waited for: where it forgets that name, `shareRecord` gives it again. */
const show = (store: Store, own: string, path: string): void => void linkFile({ ...store, durable: false }, own, path);

/** Shows all clones what was written for this one alone: a dispatch that has its first message now, and what a process that was killed left. */
export function shareRecord(store: Store, id: string): void {
  const key = parseThreadId(id);
  if (key === null) return;
  for (const folder of ["", "turns/"]) {
    const there = new Set(names(store, `${dispatchFolder(key)}/${folder}`));
    for (const name of names(store, `${ownFolder(key)}/${folder}`)) {
      if (there.has(name) || !name.endsWith(".md")) continue;
      show(store, `${ownFolder(key)}/${folder}${name}`, `${dispatchFolder(key)}/${folder}${name}`);
    }
  }
}
