/** The members, for a process that asks every few seconds: nothing is listed or read again while the folders of `inbox/` stand as they did. */
import type { Config } from "../../core/config/config.ts";
import type { World } from "../../core/world.ts";
import { type FileFacts, facts, isFresh } from "../../store/read/facts.ts";
import type { Store } from "../../store/root.ts";
import { guestPath } from "../nouns/part-nouns.ts";
import { inboxFolders, members } from "./members.ts";

/** What the list hangs on: names below the home, and what each was before it was read. */
interface Known {
  parts: Config["parts"];
  looked: Map<string, FileFacts | null>;
  list: string[];
}

/** Makes a list that is asked again and again. @returns gives every part and guest by name, in the order of `members` */
export function createMemberList(): (world: World) => readonly string[] {
  let known: Known | null = null;
  return (world) => {
    const { store, config } = world.home();
    const { parts } = config();
    if (known !== null && known.parts === parts && stands(store, known.looked)) return known.list;
    const looked = new Map<string, FileFacts | null>();
    const look = (target: string): void => void looked.set(target, facts(store, target));
    const folders = inboxFolders(store, look);
    // A guest's record may be corrected in its place, which shows in no folder.
    for (const part of folders) if (!parts.has(part)) look(guestPath(part));
    const list = members(world, folders).map(({ part }) => part);
    known = { parts, looked, list };
    return list;
  };
}

/** Whether all is as it was, for longer than a change could hide. What is no folder, such as a link to one, is asked anew. */
function stands(store: Store, looked: Known["looked"]): boolean {
  for (const [target, before] of looked) {
    const found = facts(store, target);
    if (found?.inode !== before?.inode || found?.modifiedMs !== before?.modifiedMs || found?.kind !== before?.kind) return false;
    if (found?.kind === "link" || isFresh(found)) return false;
  }
  return true;
}
