/** Messages: immutable, each in one thread. SPEC.md, "Message". */
import { FileError } from "../../core/format/file-error.ts";
import { formatFrontmatter, lineOfKey, parseFrontmatter, withoutUndefined } from "../../core/format/frontmatter.ts";
import { lineProblem } from "../../core/format/hidden.ts";
import {
  type Digest,
  decodeTime,
  type MessageLocation,
  messageId,
  parseInThread,
  parseMessageId,
  sealProblem,
  type ThreadLocation,
  threadId,
  withId,
} from "../../core/format/id.ts";
import { LIMITS } from "../../core/format/schema.ts";
import { partProblem } from "../../core/names.ts";
import { type Fields, fieldsOf } from "./header.ts";

/** A message as it lies on disk. `at` is ISO 8601 in UTC with milliseconds, as the sender's clock had it. */
export interface Message {
  id: string;
  thread: string;
  n: number;
  from: string;
  /** Every recipient by name: `*` is resolved when the message is sent. */
  to: string[];
  at: string;
  subject: string;
  tags?: string[] | undefined;
  urgent?: boolean | undefined;
  needsHuman?: boolean | undefined;
  /** False of one that rings nobody. */
  expectsReply?: boolean | undefined;
  /** The session it was sent in, by a tool of the board. */
  session?: string | undefined;
  /** The name under which the session knows the thread. */
  label?: string | undefined;
  /** Whether it is for everybody of the session, also who joins later. */
  broadcast?: boolean | undefined;
  metadata?: Record<string, string> | undefined;
  body: string;
}

/** The folder of a thread. */
export const threadFolder = (key: { day: string; random: string }): string => `threads/${key.day}/${threadId(key)}`;

/** A message's file name inside its thread: what orders it. */
export const messageName = (location: MessageLocation): string => `${location.n}-${location.token}.md`;

/** Where a message lies. */
export const messagePath = (location: MessageLocation): string => `${threadFolder(location)}/${messageName(location)}`;

/**
 * Whether a tree has a message under a name of an inbox. Other bytes than the message's stand for nothing: no clone may be able to check them
 * out.
 * @param content what the part had until then
 */
export function isMessageAt(tree: ReadonlyMap<string, string>, path: string, key: MessageLocation, content?: string): boolean {
  const [id, message] = [tree.get(path), tree.get(messagePath(key))];
  return id !== undefined && (id === content || id === message || (message === undefined && content === undefined));
}

/** The inverse of `messagePath`; null for any other path. Dotted names and `.md.sig` are never messages. */
export function locateMessage(path: string): MessageLocation | null {
  const match = /^threads\/(\d{4}-\d\d-\d\d)\/t-(\d{8})-([^/]+)\/(\d+)-([^/]+)\.md$/.exec(path);
  if (match === null) return null;
  const [, day, compact, random, n, token] = match as unknown as [string, string, string, string, string, string];
  const location = parseMessageId(`m-${compact}-${random}-${n}-${token}`);
  return location !== null && location.day === day ? location : null;
}

/** Key of a message from its name inside a thread's folder; null for other files. */
export const keyInThread = (thread: ThreadLocation, name: string): MessageLocation | null =>
  name.endsWith(".md") ? parseInThread(thread, name.slice(0, -3)) : null;

/** Writes a message's file. The law `parseMessage(formatMessage(m)) = m` holds for every message. */
export const formatMessage = (message: Message): string => withId(formatUnnamed(message), message.id);

/** A message's file without the line of its id: what the token in the id is made from. */
export function formatUnnamed(message: Omit<Message, "id" | "n">): string {
  return formatFrontmatter(
    {
      thread: message.thread,
      from: message.from,
      to: message.to,
      at: message.at,
      subject: message.subject,
      tags: message.tags,
      urgent: message.urgent,
      needs_human: message.needsHuman,
      expects_reply: message.expectsReply,
      session: message.session,
      label: message.label,
      broadcast: message.broadcast,
      metadata: message.metadata,
    },
    message.body,
  );
}

/**
 * Reads a message's file.
 * @param expected the key its path says; a text that does not match it, and a header that disagrees, is an error
 * @param digest null where the text was compared with its name already
 * @throws FileError, with the line.
 */
export function parseMessage(source: string, expected: MessageLocation, digest: Digest | null): Message {
  const changed = digest === null ? null : sealProblem(source, expected, digest);
  if (changed !== null) throw new FileError(changed);
  const { header, body } = parseFrontmatter(source);
  const fields = fieldsOf(source, header);
  const id = messageId(expected);
  if (fields.id !== id) {
    throw new FileError(`id and path disagree: expected "${id}", it says ${JSON.stringify(fields.id)}`, lineOfKey(source, "id"));
  }
  if (fields.thread !== threadId(expected)) {
    throw new FileError(
      `thread and path disagree: expected "${threadId(expected)}", it says ${JSON.stringify(fields.thread)}`,
      lineOfKey(source, "thread"),
    );
  }
  for (const part of [fields.from, ...fields.to]) {
    const problem = partProblem(part);
    if (problem !== null)
      throw new FileError(`${JSON.stringify(part)} is not a part id: ${problem}`, lineOfKey(source, part === fields.from ? "from" : "to"));
  }
  const over = overLimit(fields, body);
  if (over !== null) throw new FileError(over.problem, lineOfKey(source, over.key));
  if (Number.isNaN(Date.parse(fields.at))) {
    throw new FileError(`"at" is not a time: ${JSON.stringify(fields.at)}`, lineOfKey(source, "at"));
  }
  return withoutUndefined({
    id,
    thread: fields.thread,
    n: expected.n,
    from: fields.from,
    to: fields.to,
    at: fields.at,
    subject: fields.subject,
    tags: fields.tags,
    urgent: fields.urgent,
    needsHuman: fields.needs_human,
    expectsReply: fields.expects_reply,
    session: fields.session,
    label: fields.label,
    broadcast: fields.broadcast,
    metadata: fields.metadata,
    body,
  });
}

/** What of a message is over a limit: whoever wrote the file, no reader shows more than a call could have sent. */
function overLimit(fields: Fields, body: string): { key: string; problem: string } | null {
  const { subject, tags = [], label, session, metadata = {} } = fields;
  const pairs = Object.entries(metadata);
  const texts: [key: string, text: string, most: number][] = [
    ["subject", subject, LIMITS.subject],
    ...tags.map((tag): [string, string, number] => ["tags", tag, LIMITS.tag]),
    ...(label === undefined ? [] : [["label", label, LIMITS.label] as [string, string, number]]),
    ...(session === undefined ? [] : [["session", session, LIMITS.sessionId] as [string, string, number]]),
  ];
  const counts: [key: string, count: number, most: number, what: string][] = [
    ["tags", tags.length, LIMITS.tags, "tags"],
    ["metadata", pairs.length, LIMITS.metadataKeys, "keys"],
    ...pairs.flatMap(([name, value]): [string, number, number, string][] => [
      ["metadata", name.length, LIMITS.metadataKey, "characters a key"],
      ["metadata", value.length, LIMITS.metadataValue, "characters a value"],
    ]),
    ["body", body.length, LIMITS.body, "characters"],
  ];
  const many = counts.find(([, count, most]) => count > most);
  if (many !== undefined) return { key: many[0], problem: `${many[0]}: expected at most ${many[2]} ${many[3]}, it has ${many[1]}` };
  for (const [key, text, most] of texts) {
    const problem = lineProblem(text, most);
    if (problem !== null) return { key, problem: `${key}: ${problem}` };
  }
  return null;
}

/** When a message was sent by its id alone, without reading it: ISO 8601. */
export const timeInId = (location: MessageLocation): string => new Date(decodeTime(location.token)).toISOString();

/** The first characters of a body, as JavaScript counts them, white space folded to one space. */
export function preview(body: string, length = 160): string {
  // Nearly always twice the length is enough; of more only white space is folded away.
  const near = body.length > 2 * length ? folded(body, 2 * length) : "";
  const cut = (near.length > length ? near : folded(body, length * 32)).slice(0, length);
  // Cut between characters, never inside one of two units.
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}

/** The first characters of a text, up to the end of a word. */
export const cutAtWord = (text: string, length: number): string =>
  text.slice(0, length + 1).replace(/\s*\S*$/, "") || text.slice(0, length).toWellFormed();

const folded = (body: string, most: number): string => body.slice(0, most).toWellFormed().replace(/\s+/g, " ").trim();
