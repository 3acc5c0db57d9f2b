/** Messages, their names in inboxes and threads, as files of a home. SPEC.md, "Message". */
import {
  type Digest,
  isSealed,
  type MessageLocation,
  messageId,
  parseMessageId,
  parseThreadId,
  sealProblem,
  type ThreadLocation,
  threadId,
} from "../../core/format/id.ts";
import { FILE_BYTES } from "../../core/format/schema.ts";
import { partProblem } from "../../core/names.ts";
import { defineNoun, type Merge, type Reference, saidBy } from "../../core/noun/noun.ts";
import { joinedThread, mergeThread, readThread } from "./merge-thread.ts";
import { formatMessage, isMessageAt, locateMessage, type Message, messagePath, parseMessage, threadFolder } from "./message.ts";
import { mailEffects, threadEffects } from "./message-effects.ts";
import { readPath, unreadPath } from "./part.ts";
import { formatThread, parseThread, threadPath } from "./thread.ts";

/** What the path of a message says. */
export interface OfMessage {
  key: MessageLocation;
}
/** What the path of a file of a thread says. */
export interface OfThread {
  key: ThreadLocation;
}

/** Of two texts of one name the one stays that can be read. */
const readableFirst: Merge<OfMessage> = { by: "first", key: (source, { key }) => parseMessage(source, key, null).id };

const nameOfMessage = ({ key }: OfMessage): string => messageId(key);

const MESSAGE = {
  limit: FILE_BYTES.message,
  parse: (source: string, { key }: OfMessage, digest: Digest): Message => parseMessage(source, key, digest),
  format: formatMessage,
  merge: readableFirst,
  series: ({ key }: OfMessage) => ({ folder: threadFolder(key), n: key.n }),
} as const;

/** A message, in its thread. */
export const message = defineNoun({
  ...MESSAGE,
  kind: "message",
  words: ["message", "messages"],
  at: "threads",
  path: ({ key }: OfMessage) => messagePath(key),
  locate(path) {
    const location = locateMessage(path);
    return location === null ? null : { key: location };
  },
  section: "SPEC.md, Message",
  name: nameOfMessage,
  expected: "a message",
  author: saidBy("from"),
  refersTo: ({ key }, read): readonly Reference[] => [
    { kind: "thread", name: threadId(key), key: "thread" },
    ...(read?.session === undefined ? [] : [{ kind: "session", name: read.session, key: "session", code: "unlawful" } as const]),
  ],
  guard: "once",
  // A name without a seal says of no text that it is another.
  isIntact: (text, { key }, digest) => !isSealed(key.token) || sealProblem(text, key, digest) === null,
});

/** What the path of a message in an inbox says. */
export interface InInbox extends OfMessage {
  part: string;
}
const IN_INBOX = {
  ...MESSAGE,
  at: "inbox",
  section: "SPEC.md, Inbox",
  expected: "the message of its name",
  refersTo: ({ key }: OfMessage): readonly Reference[] => [{ kind: "message", name: messageId(key), code: "dangling_mail" }],
} as const;

/** Whose inbox a path is in, and of which message; null for any other path. @param half what the path has @param pattern its groups are the part and the message */
function inInbox(path: string, half: string, pattern: RegExp): InInbox | null {
  // Every name of a home is asked: most are in the other half.
  if (!path.includes(half)) return null;
  const [, part = "", id = ""] = pattern.exec(path) ?? [];
  const location = part === "" || partProblem(part) !== null ? null : parseMessageId(id);
  return location === null ? null : { part, key: location };
}

/** The name of a message that a part has not acked. */
export const unread = defineNoun({
  ...IN_INBOX,
  kind: "unread",
  words: null,
  path: ({ part, key }: InInbox) => unreadPath(part, messageId(key)),
  locate: (path) => inInbox(path, "/new/m-", /^inbox\/(.+)\/new\/(m-[^/]+)\.md$/),
  author: saidBy("from"),
  effects: { ...mailEffects, of: () => [] },
  guard: "unread",
  absence: ({ part, key }, { tree, content }) => isMessageAt(tree, readPath(part, messageId(key), key.day), key, content),
});

/** The name of a message that a part acked. */
export const acked = defineNoun({
  ...IN_INBOX,
  kind: "acked",
  words: ["ack", "acks"],
  path: ({ part, key }: InInbox) => readPath(part, messageId(key), key.day),
  locate(path) {
    const found = inInbox(path, "/read/", /^inbox\/(.+)\/read\/\d{4}-\d\d-\d\d\/(m-[^/]+)\.md$/);
    return found !== null && path.includes(`/read/${found.key.day}/`) ? found : null;
  },
  name: ({ part, key }) => `${part} acked ${messageId(key)}`,
  author: ({ part }) => part,
  effects: mailEffects,
  guard: "once",
  // Its message says what it is.
  isIntact: () => true,
});

/** What is stored about a thread. What a close cleared, and what merges noted, stays. */
export const thread = defineNoun({
  kind: "thread",
  words: ["thread", "threads"],
  at: "threads",
  path: ({ key }: OfThread) => threadPath(key),
  locate(path) {
    const location = path.endsWith("/thread.md") ? parseThreadId(path.split("/")[2] ?? "") : null;
    return location !== null && threadPath(location) === path ? { key: location } : null;
  },
  limit: FILE_BYTES.thread,
  section: "SPEC.md, Thread",
  expected: "a thread",
  parse: (source, { key }) => parseThread(source, key),
  format: formatThread,
  name: ({ key }) => threadId(key),
  author: saidBy("created_by"),
  merge: {
    by: "text",
    join: (base, ours, theirs, { key }) => ({ text: mergeThread(key, base, ours.text, theirs.text), isWhole: true }),
  },
  effects: threadEffects,
  guard: "kept",
  isEdited: true,
  edits: {
    isReadable: (text, { key }) => readThread(key, text) !== null,
    joined: (before, now, { key }) => joinedThread(key, before, now),
  },
});
