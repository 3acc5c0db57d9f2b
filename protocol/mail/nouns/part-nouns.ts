/** Guests, which joined without being in the configuration, as files of a home. spec/messages.md, "Guest". */
import { FileError } from "../../core/format/file-error.ts";
import { formatFrontmatter, parseFrontmatter } from "../../core/format/frontmatter.ts";
import { FILE_BYTES } from "../../core/format/schema.ts";
import { partProblem } from "../../core/names.ts";
import type { Tree } from "../../core/noun/merge-tree.ts";
import { agree, defineNoun, earliest, type Gone, saidBy } from "../../core/noun/noun.ts";

/** Who a guest is: the session it joined, and when (ISO 8601). */
export interface Guest {
  part: string;
  session: string;
  joinedAt: string;
}

/** Where the record of a guest lies: beside its inbox. */
export const guestPath = (part: string): string => `inbox/${part}/guest.md`;

/** Writes a guest's record. */
export const formatGuest = (guest: Guest): string =>
  formatFrontmatter({ part: guest.part, session: guest.session, joined_at: guest.joinedAt }, "");

/** Reads a guest's record. @throws FileError. */
export function parseGuest(source: string): Guest {
  const { header } = parseFrontmatter(source);
  const { part, session, joined_at: joinedAt } = header;
  if (typeof part !== "string" || typeof session !== "string" || typeof joinedAt !== "string") {
    throw new FileError('expected "part", "session" and "joined_at" in the header', 1);
  }
  return { part, session, joinedAt };
}

/** A guest; it may go and come again. */
export const guest = defineNoun({
  kind: "guest",
  words: ["guest", "guests"],
  at: "inbox",
  path: ({ part }: { part: string }) => guestPath(part),
  locate(path) {
    const part = /^inbox\/(.+)\/guest\.md$/.exec(path)?.[1];
    return part !== undefined && partProblem(part) === null ? { part } : null;
  },
  limit: FILE_BYTES.guest,
  section: "spec/messages.md, Guest",
  expected: "a guest",
  parse(source, { part }) {
    const read = parseGuest(source);
    agree(source, "part", read.part, part);
    return read;
  },
  format: formatGuest,
  name: ({ part }) => part,
  refersTo: (_where, read) => (read === null ? [] : [{ kind: "session", name: read.session, key: "session", code: "dangling_guest" }]),
  author: saidBy("part"),
  merge: earliest("joined_at"),
  guard: "kept",
  absence: ({ part }, gone) => hasMail(part, gone),
  mayReturn: true,
});

/** Whether the mail of a guest that is none any more is still there: a folder deleted by hand says nothing. */
function hasMail(part: string, { tree, before }: Gone): boolean {
  const folder = `inbox/${part}/`;
  return !mailFoldersOf(before).has(folder) || mailFoldersOf(tree).has(folder);
}

/** The folders of inboxes in which a tree has anything but a guest's own file, found once for a tree. */
const mailFolders = new WeakMap<Tree, { size: number; folders: ReadonlySet<string> }>();

function mailFoldersOf(tree: Tree): ReadonlySet<string> {
  const known = mailFolders.get(tree);
  if (known?.size === tree.size) return known.folders;
  const folders = new Set<string>();
  for (const path of tree.keys())
    if (path.startsWith("inbox/"))
      for (let at = path.indexOf("/", 6); at !== -1; at = path.indexOf("/", at + 1)) {
        const folder = path.slice(0, at + 1);
        if (path !== `${folder}guest.md`) folders.add(folder);
      }
  mailFolders.set(tree, { size: tree.size, folders });
  return folders;
}
