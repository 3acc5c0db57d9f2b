/**
 * The files of the dispatches that this clone runs, as it wrote them itself. Whoever can push can add a turn, an end or a close to any
 * dispatch; of one that runs here only what this machine keeps counts, and what all clones see is a copy. spec/office.md, "Dispatches".
 */

import { parseThreadId, type ThreadLocation, threadId } from "../../core/format/id.ts";
import { FILE_BYTES } from "../../core/format/schema.ts";
import { exists } from "../../store/read/facts.ts";
import { names } from "../../store/read/list-folder.ts";
import { readText } from "../../store/read/read-file.ts";
import type { Store } from "../../store/root.ts";
import { publish } from "../../store/write/publish.ts";
import { dispatchFolder, inDispatch } from "../nouns/dispatch.ts";
import { localFolder } from "./local-files.ts";
import { inOffice, officeToWrite } from "./office-folder.ts";

const ownFolder = (key: ThreadLocation): string => `${localFolder(threadId(key))}/own`;

/** A folder as a store has it. */
interface FolderIn {
  store: Store;
  folder: string;
}

/** Where the files of a dispatch are read: what this clone wrote, where it runs it; else what all clones see. */
export const recordFolder = (store: Store, key: ThreadLocation): FolderIn =>
  inOffice<FolderIn | null>(store, null, (office) =>
    exists(office, `${ownFolder(key)}/dispatch.md`) ? { store: office, folder: ownFolder(key) } : null,
  ) ?? { store, folder: dispatchFolder(key) };

/** The text of a turn as it counts here; null where there is none. @param path where all clones see it @throws FileError */
export function readTurnText(store: Store, path: string): string | null {
  const { key, rest } = inDispatch(path) as NonNullable<ReturnType<typeof inDispatch>>;
  const at = recordFolder(store, key);
  return readText(at.store, `${at.folder}/${rest}`, FILE_BYTES.turnText);
}

/** Whether a dispatch is closed; asked very often while its turn runs. @param id of the dispatch */
export function isClosed(store: Store, id: string): boolean {
  const key = parseThreadId(id);
  if (key === null) return false;
  const at = recordFolder(store, key);
  return exists(at.store, `${at.folder}/closed.md`);
}

/** Where this clone has a file of a dispatch for itself. @param path where all clones see it */
function ownPath(path: string): string {
  const { key, rest } = inDispatch(path) as NonNullable<ReturnType<typeof inDispatch>>;
  return `${ownFolder(key)}/${rest}`;
}

/** Writes a file of a dispatch that this clone runs for itself alone, by exclusive create. @param path where all clones see it once it is shared */
export const publishOwn = (store: Store, path: string, text: string): "created" | "exists" =>
  publish(officeToWrite(store), ownPath(path), text);

/**
 * Writes a file of a dispatch that this clone runs: for itself, by exclusive create, and then for all to see.
 * @param path where all clones see it
 */
export function publishRecord(store: Store, path: string, text: string): "created" | "exists" {
  const made = publishOwn(store, path, text);
  if (made === "created") show(store, path, text);
  return made;
}

/** Gives a text of this clone's own its name for all. The disk is not waited for: where it forgets that name, `shareRecord` gives it again. */
const show = (store: Store, path: string, text: string): void => void publish({ ...store, durable: false }, path, text);

/** Shows all clones what was written for this one alone: a dispatch that has its first message now, and what a process that was killed left. */
export function shareRecord(store: Store, id: string): void {
  const key = parseThreadId(id);
  if (key === null) return;
  inOffice(store, undefined, (office) => {
    for (const folder of ["", "turns/"]) {
      const there = new Set(names(store, `${dispatchFolder(key)}/${folder}`));
      for (const name of names(office, `${ownFolder(key)}/${folder}`)) {
        if (there.has(name) || !name.endsWith(".md")) continue;
        const text = readText(office, `${ownFolder(key)}/${folder}${name}`, FILE_BYTES.turnText);
        if (text !== null) show(store, `${dispatchFolder(key)}/${folder}${name}`, text);
      }
    }
  });
}
