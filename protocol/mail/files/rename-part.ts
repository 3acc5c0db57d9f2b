/**
 * A renamed part's mail goes with it. `relay.yml` commits the rename; the mail follows at once, or at the next operation when
 * the renaming process died, or when a sender that had not seen the new name delivered under the old one.
 * SPEC.md, "Parts".
 */
import { quietly } from "../../core/format/file-error.ts";
import type { World } from "../../core/world.ts";
import { exists } from "../../store/read/facts.ts";
import { names } from "../../store/read/list-folder.ts";
import { errorCode, type Store } from "../../store/root.ts";
import { flushFolder } from "../../store/write/make-folder.ts";
import { moveFile, removeEmptyFolder, removeFile } from "../../store/write/move-file.ts";
import { linkFile } from "../../store/write/publish.ts";
import { inboxNew, inboxRead, unreadPath } from "../nouns/part.ts";
import { guestPath } from "../nouns/part-nouns.ts";
import { idInInbox, inboxesOf, isAcked, makeInbox } from "./inbox-files.ts";

/** Former name → name now, of every renamed part whose old inbox may hold mail of its own. A name that was taken again is not former. */
export function formerNames(world: World): Map<string, string> {
  const { store, config } = world.home();
  const { parts } = config();
  const former = [...parts].flatMap(([part, { formerly }]) => formerly.map((name) => [name, part] as const));
  const hasMail = (name: string): boolean => exists(store, inboxNew(name)) || exists(store, inboxRead(name));
  const mayBeThere = inboxesOf(store);
  return new Map(former.filter(([name]) => !parts.has(name) && mayBeThere(name) && hasMail(name) && !exists(store, guestPath(name))));
}

/** Moves all mail that lies under a former name. */
export function followRenames(world: World): void {
  for (const [from, to] of formerNames(world)) {
    // If it fails, the next operation moves the rest.
    quietly(() => moveMail(world, from, to));
  }
}

/**
 * Moves a part's mail to its new name; parts inside its name keep theirs. What was acked goes first, so that none of it
 * shows as unread at any moment.
 */
export function moveMail(world: World, from: string, to: string): void {
  const { store, config } = world.home();
  makeInbox(store, to, config().inTree);
  for (const day of names(store, inboxRead(from))) moveFolder(store, `${inboxRead(from)}/${day}`, `${inboxRead(to)}/${day}`);
  // What goes after it, the names of then, must not be gone before it is sure: else a loss of power leaves neither.
  flushFolder(store, inboxRead(to));
  removeEmptyFolder(store, inboxRead(from));
  const unread = names(store, inboxNew(from));
  for (const name of unread) {
    const id = idInInbox(name);
    if (id === null) moveFile(store, `${inboxNew(from)}/${name}`, `${inboxNew(to)}/${name}`);
    else if (!isAcked(store, to, id)) linkFile(store, `${inboxNew(from)}/${name}`, unreadPath(to, id));
  }
  flushFolder(store, inboxNew(to));
  for (const name of unread) removeFile(store, `${inboxNew(from)}/${name}`);
  removeEmptyFolder(store, inboxNew(from));
  removeEmptyFolder(store, `inbox/${from}`);
}

/** Moves a folder whole where nothing is in the way, else file by file. */
function moveFolder(store: Store, from: string, to: string): void {
  try {
    moveFile(store, from, to);
    store.checked.delete(from);
    return;
  } catch (error) {
    if (!["ENOTEMPTY", "EEXIST", "EPERM", "ENOTDIR"].includes(errorCode(error) ?? "")) throw error;
  }
  const all = names(store, from);
  for (const name of all) {
    linkFile(store, `${from}/${name}`, `${to}/${name}`);
  }
  flushFolder(store, to);
  for (const name of all) removeFile(store, `${from}/${name}`);
  removeEmptyFolder(store, from);
}
