/** Guests, which joined without being in the configuration, as files of a home. spec/messages.md, "Guest". */
import { FILE_BYTES } from "../format/size-limits.ts";
import type { Gone } from "../noun/noun.ts";
import { defineNoun } from "../noun/noun.ts";
import { agree, earliest, saidBy } from "../noun/parsing.ts";
import { formatGuest, guestPath, parseGuest } from "./guest.ts";
import { partProblem } from "./part.ts";

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
  thing: ({ part }) => part,
  author: saidBy("part"),
  merge: earliest("joined_at"),
  guard: "kept",
  absence: ({ part }, gone) => hasMail(part, gone),
});

/** Whether the mail of a guest that is none any more is still there: a folder deleted by hand says nothing. */
function hasMail(part: string, { tree, before }: Gone): boolean {
  const prefix = `inbox/${part}/`;
  const mail = [...before.keys()].filter((path) => path.startsWith(prefix) && path !== guestPath(part));
  return mail.length === 0 || mail.some((path) => tree.has(path)) || [...tree.keys()].some((path) => path.startsWith(prefix));
}
