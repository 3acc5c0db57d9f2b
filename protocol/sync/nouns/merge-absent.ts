/** Which files may be missing from a tree: absence is never a deletion, except where an operation recorded it. spec/git.md, "Merge". */

import { parseConfig } from "../../core/config/config.ts";
import { addTo } from "../../core/format/append.ts";
import { orElse } from "../../core/format/file-error.ts";
import type { BlobId, Tree } from "../../core/noun/merge-tree.ts";
import { nounAt } from "../../core/tree/layout.ts";
import { type InInbox, locateInInbox } from "../../mail/nouns/in-inbox.ts";
import { isMessageAt } from "../../mail/nouns/message.ts";
import { readPath, unreadPath } from "../../mail/nouns/part.ts";

/** Who there is, and who had a name before: also of a name that somebody else was given since. */
export interface Names {
  parts: ReadonlySet<string>;
  former: ReadonlyMap<string, readonly string[]>;
}

/** The names that a configuration knows; none where it cannot be read: then every part may still be one. */
export function namesIn(config: string | null): Names | null {
  return orElse(null, () => {
    const { parts } = parseConfig(config ?? "");
    const former = new Map<string, string[]>();
    for (const [part, { formerly }] of parts) for (const name of formerly) addTo(former, name, part);
    return { parts: new Set(parts.keys()), former };
  });
}

/** Whether a tree has a message's ack by a part. @param content what the part had unread */
export const hasAck = (tree: Tree, part: string, { message, key }: InInbox, content?: BlobId): boolean =>
  isMessageAt(tree, readPath(part, message, key.day), key, content);

/** Whether a tree that has not a path says, without reading anything, why: acked, put in place, kept beside, no guest any more. */
export function isSaidGone(path: string, content: BlobId, tree: Tree, before: Tree): boolean {
  if (path.includes("/.staged-")) return siblings(tree, path).includes(content);
  const found = nounAt(path);
  return found?.noun.absence?.(found.place, { path, content, tree, before }) === true;
}

/**
 * Tells whether an inbox's file that a tree has not is there under the name that the part has now, or, where that part was
 * removed since, under a name under which it was not before.
 * @param removed of which parts mail may lie with somebody who is no part and of whom nothing says that they had the name:
 *   of all, of those that are no parts, of none
 */
export function movedMail(
  tree: Tree,
  before: Tree,
  names: Names | null,
  removed: "all" | "gone" | "none" = "all",
): (path: string, content: BlobId) => boolean {
  let namesakes: Map<string, string[]> | undefined;
  // Who has a message now and had it not before, and who of them is no part: found once for a message, whose names may be many.
  const came = new Map<string, { all: ReadonlySet<string>; isStranger: boolean }>();
  return (path, content) => {
    const mail = locateInInbox(path);
    if (mail === null || names === null) return false;
    const has = (part: string, among: Tree): boolean =>
      hasAck(among, part, mail, content) || (mail.unread && isMessageAt(among, unreadPath(part, mail.message), mail.key, content));
    const heirs = names.former.get(mail.part) ?? [];
    const isTaken = names.parts.has(mail.part);
    if (!isTaken && heirs.some((part) => has(part, tree))) return true;
    namesakes ??= namesakesOf(tree);
    const key = `${mail.message} ${content} ${mail.unread}`;
    let holders = came.get(key);
    if (holders === undefined) {
      const parts = (namesakes.get(`${mail.message}.md`) ?? []).flatMap((other) => locateInInbox(other)?.part ?? []);
      const all = new Set(parts.filter((part) => has(part, tree) && !has(part, before)));
      holders = { all, isStranger: [...all].some((part) => !names.parts.has(part)) };
      came.set(key, holders);
    }
    const { all, isStranger } = holders;
    if (heirs.some((part) => all.has(part))) return true;
    // Whoever has the name now was given it after the mail went along with another, which may have been removed since.
    if (removed === "all" || (removed === "gone" && !isTaken)) return isTaken ? isStranger : all.size > 0;
    return false;
  };
}

/** The paths of inboxes by their last name, which is a message's: of most nobody asks whose they are. */
function namesakesOf(tree: Tree): Map<string, string[]> {
  const namesakes = new Map<string, string[]>();
  for (const path of tree.keys()) {
    if (!path.startsWith("inbox/")) continue;
    const name = path.slice(path.lastIndexOf("/") + 1);
    addTo(namesakes, name, path);
  }
  return namesakes;
}

/**
 * The paths that a home had and has no more, though nobody said so: they are to be restored, and never recorded as deleted.
 * @param config the text of its `relay.yml` as it is now; null where there is none
 */
export function lostPaths(before: Tree, now: Tree, config: string | null): string[] {
  const gone = [...before].filter(([path, content]) => !now.has(path) && !isSaidGone(path, content, now, before));
  if (gone.length === 0) return [];
  const isMoved = movedMail(now, before, namesIn(config));
  return gone.flatMap(([path, content]) => (isMoved(path, content) ? [] : [path]));
}

/** The contents beside a path, in its folder. Only asked of a staged content, which a killed writer left. */
function siblings(tree: Tree, path: string): BlobId[] {
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  return [...tree].flatMap(([other, content]) => (other.startsWith(folder) ? [content] : []));
}
