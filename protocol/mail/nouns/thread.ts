/** Threads: the stored facts about one, and those that follow from its messages. SPEC.md, "Thread". */
import * as z from "zod/mini";
import { FileError } from "../../core/format/file-error.ts";
import {
  formatFrontmatter,
  type Header,
  headerError,
  lineOfKey,
  parseFrontmatter,
  withoutUndefined,
} from "../../core/format/frontmatter.ts";
import { lineProblem } from "../../core/format/hidden.ts";
import { type ThreadLocation, threadId } from "../../core/format/id.ts";
import { LIMITS } from "../../core/format/schema.ts";
import { partProblem } from "../../core/names.ts";
import { type Message, threadFolder } from "./message.ts";

/** Every status a thread can be given. `open` and `answered` follow from the messages unless one was set. */
export const THREAD_STATUSES = ["open", "answered", "holding", "closed", "canceled"] as const;
/** A status of a thread. */
export type ThreadStatus = (typeof THREAD_STATUSES)[number];

/** What `thread.md` stores. Participants, last activity and `answered` are derived. */
export interface Thread {
  id: string;
  subject: string;
  createdBy: string;
  createdAt: string;
  tags?: string[] | undefined;
  /** The status somebody set; absent while nobody did. */
  status?: ThreadStatus | undefined;
  /** The number of the thread's last message when it was set: what comes after may change it. */
  statusAfter?: number | undefined;
  /** What a close cleared from inboxes: `<part> <message id>` each. */
  closedUnread?: string[] | undefined;
  /** Keys this version does not know, kept as they are. */
  other: Header;
  /** Notes that people wrote below the header, kept as they are. */
  body: string;
}

const ThreadHeader = z.looseObject({
  id: z.string(),
  subject: z.string(),
  created_by: z.string(),
  created_at: z.string(),
  tags: z.optional(z.array(z.string())),
  status: z.optional(z.enum(THREAD_STATUSES)),
  status_after: z.optional(z.int()),
  closed_unread: z.optional(z.array(z.string())),
});
const KNOWN = new Set(["id", "subject", "created_by", "created_at", "tags", "status", "status_after", "closed_unread"]);

/** Where a thread's own file lies. */
export const threadPath = (location: ThreadLocation): string => `${threadFolder(location)}/thread.md`;

/** Writes `thread.md`; keys this version does not know stay. */
export function formatThread(thread: Thread): string {
  return formatFrontmatter(
    {
      id: thread.id,
      subject: thread.subject,
      created_by: thread.createdBy,
      created_at: thread.createdAt,
      tags: thread.tags,
      status: thread.status,
      status_after: thread.statusAfter,
      closed_unread: thread.closedUnread,
      ...thread.other,
    },
    thread.body,
  );
}

/** Reads `thread.md`. @throws FileError, with the line. */
export function parseThread(source: string, expected: ThreadLocation): Thread {
  const { header, body } = parseFrontmatter(source);
  const parsed = ThreadHeader.safeParse(header);
  if (!parsed.success) {
    throw headerError(source, header, parsed.error.issues);
  }
  const fields = parsed.data;
  if (fields.id !== threadId(expected)) {
    throw new FileError(
      `id and path disagree: expected "${threadId(expected)}", it says ${JSON.stringify(fields.id)}`,
      lineOfKey(source, "id"),
    );
  }
  const tagged = fields.tags?.map((tag) => lineProblem(tag, LIMITS.tag)).find((each) => each !== null);
  const subject = lineProblem(fields.subject, LIMITS.subject);
  if (subject !== null) throw new FileError(`subject: ${subject}`, lineOfKey(source, "subject"));
  if (tagged !== undefined) throw new FileError(`tags: ${tagged}`, lineOfKey(source, "tags"));
  const problem = partProblem(fields.created_by);
  if (problem !== null) {
    throw new FileError(`${JSON.stringify(fields.created_by)} is not a part id: ${problem}`, lineOfKey(source, "created_by"));
  }
  return withoutUndefined({
    id: fields.id,
    subject: fields.subject,
    createdBy: fields.created_by,
    createdAt: fields.created_at,
    tags: fields.tags,
    status: fields.status,
    statusAfter: fields.status_after,
    closedUnread: fields.closed_unread,
    other: Object.fromEntries(Object.entries(header).filter(([key]) => !KNOWN.has(key))),
    body,
  });
}

/** What a thread's first message says about it: `thread.md` can always be made again, but for a status that was set. */
export function threadFromFirst(message: Message): Thread {
  return withoutUndefined({
    id: message.thread,
    subject: message.subject,
    createdBy: message.from,
    createdAt: message.at,
    tags: message.tags,
    other: {},
    body: "",
  });
}

/** What is said of a thread whose first message nobody can read. */
export const unreadableThread = (id: string): Thread => ({
  id,
  subject: "(unreadable)",
  createdBy: "human",
  createdAt: new Date(0).toISOString(),
  other: {},
  body: "",
});

/** Whether a status ends a thread: replies are refused until it is reopened. */
export const isEnded = (status: ThreadStatus): boolean => status === "closed" || status === "canceled";

/** Who wrote a message of a thread, to whom, and its number. */
export type Spoken = Pick<Message, "n" | "from" | "to">;

/**
 * A thread's status: the one that was set, unless a message came after. Then, as where none was set, the last one that who
 * asked wrote or was written to decides: `answered` when it went to them; else `open`, or still `holding`.
 * @param messages those of the thread that can be read, in its order
 * @param renamed former name → name now
 */
export function statusOf(thread: Thread, messages: readonly Spoken[], renamed: ReadonlyMap<string, string> = new Map()): ThreadStatus {
  const { status: set, statusAfter } = thread;
  if (set !== undefined && (isEnded(set) || (statusAfter === undefined && set !== "open"))) return set;
  const now = (part: string): string => renamed.get(part) ?? part;
  const asker = now(thread.createdBy);
  const last = messages.findLast(
    ({ n, from, to }) => (statusAfter === undefined || n > statusAfter) && (now(from) === asker || to.map(now).includes(asker)),
  );
  if (last === undefined) return set ?? "open";
  return now(last.from) !== asker ? "answered" : set === "holding" ? "holding" : "open";
}

/**
 * Everybody who wrote or was written to, who began it first.
 * @param renamed former name → name now
 */
export function participantsOf(
  thread: Thread,
  messages: Iterable<Pick<Message, "from" | "to">>,
  renamed: ReadonlyMap<string, string>,
): string[] {
  const parts = new Set([thread.createdBy]);
  for (const message of messages) for (const part of [message.from, ...message.to]) parts.add(part);
  return [...new Set([...parts].map((part) => renamed.get(part) ?? part))];
}
