/** What may be missing from a tree: absence is never a deletion, but for what an operation said. SPEC.md, "Merge". */
import { parseConfig } from "./config.ts";
import { guestPath } from "./guest.ts";
import { type MessageKey, parseMessageId } from "./id.ts";
import type { BlobId, Tree } from "./merge-tree.ts";
import { readPath, unreadPath } from "./part.ts";

/** A message in a part's inbox. */
export interface InInbox {
  part: string;
  message: string;
  key: MessageKey;
  unread: boolean;
}

const IN_INBOX = /^inbox\/(.+)\/(?:new|read\/(\d{4}-\d\d-\d\d))\/(m-[^/]+)\.md$/;

/** What a path of an inbox says; null for any other path, and for an ack under a day that is not the message's. */
export function locateInInbox(path: string): InInbox | null {
  const match = path.startsWith("inbox/") ? IN_INBOX.exec(path) : null;
  const key = match === null ? null : parseMessageId(match[3] as string);
  if (match === null || key === null || (match[2] !== undefined && match[2] !== key.day)) return null;
  return { part: match[1] as string, message: match[3] as string, key, unread: match[2] === undefined };
}

/** Former name → name now, as a configuration says; a name that somebody has now is not former. */
export function renamedIn(config: string | null): ReadonlyMap<string, string> {
  const renamed = new Map<string, string>();
  try {
    const { parts } = parseConfig(config ?? "");
    for (const [part, { formerly }] of parts) for (const name of formerly) if (!parts.has(name)) renamed.set(name, part);
  } catch {
    // A configuration that cannot be read renames nobody.
  }
  return renamed;
}

/** Whether a tree has a message's ack by a part. */
export const hasAck = (tree: Tree, part: string, { message, key }: InInbox): boolean => tree.has(readPath(part, message, key.day));

/** Whether a tree that has not a path says, without reading anything, why: acked, put in place, no guest any more. */
export function isSaidGone(path: string, content: BlobId, tree: Tree, before: Tree): boolean {
  const mail = locateInInbox(path);
  if (mail !== null) return mail.unread && hasAck(tree, mail.part, mail);
  if (path.includes("/.staged-")) return siblings(tree, path).includes(content);
  const guest = /^inbox\/(.+)\/guest\.md$/.exec(path)?.[1];
  return guest !== undefined && guestPath(guest) === path && keptInbox(guest, tree, before);
}

/** Whether a tree that has not an inbox's file has it under the name that the part has now. */
export function isMovedMail(path: string, tree: Tree, renamed: ReadonlyMap<string, string>): boolean {
  const mail = locateInInbox(path);
  const now = mail === null ? undefined : renamed.get(mail.part);
  if (mail === null || now === undefined) return false;
  return hasAck(tree, now, mail) || (mail.unread && tree.has(unreadPath(now, mail.message)));
}

/**
 * The paths that a home had and has no more, though nobody said so: they are to be restored, and never recorded as deleted.
 * @param config the text of its `relay.yml` as it is now; null where there is none
 */
export function lostPaths(before: Tree, now: Tree, config: string | null): string[] {
  const gone = [...before].filter(([path, content]) => !now.has(path) && !isSaidGone(path, content, now, before));
  if (gone.length === 0) return [];
  const renamed = renamedIn(config);
  return gone.map(([path]) => path).filter((path) => !isMovedMail(path, now, renamed));
}

/** The contents beside a path, in its folder. Only asked of a staged content, which a killed writer left. */
function siblings(tree: Tree, path: string): BlobId[] {
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  return [...tree].flatMap(([other, content]) => (other.startsWith(folder) ? [content] : []));
}

/** Whether the mail of a guest that is none any more is still there: a folder deleted by hand says nothing. */
function keptInbox(guest: string, tree: Tree, before: Tree): boolean {
  const prefix = `inbox/${guest}/`;
  const mail = [...before.keys()].filter((path) => path.startsWith(prefix) && path !== guestPath(guest));
  return mail.length === 0 || mail.some((path) => tree.has(path)) || [...tree.keys()].some((path) => path.startsWith(prefix));
}
