/**
 * Parts: the addresses that messages are sent to, their inboxes, and what one machine keeps of them under `run/`, never shared and
 * always disposable: who is connected, and the last sign of life. SPEC.md, "Parts" and "Inbox"; spec/messages.md, "Presence".
 */

import { orElse } from "../../core/format/file-error.ts";
import { partProblem } from "../../core/names.ts";

/** Where a part's unread messages lie. */
export const inboxNew = (part: string): string => `inbox/${part}/new`;
/** Where a part's acked messages lie, by the day of their thread. */
export const inboxRead = (part: string): string => `inbox/${part}/read`;
/** Where those who have only a shell leave what they write. */
export const OUTBOX = "outbox";
/** Ends the name of the file in an outbox that says why the draft beside it was refused. */
export const REFUSED = ".refused";
/** Where a part with only a shell puts finished messages. */
export const outboxOf = (part: string): string => `outbox/${part}`;

/**
 * The file that keeps `new/` there where git merges the home: once all of a folder's files moved from it, git takes the
 * folder for renamed, and would move new mail to where the acked went. spec/git.md, "In the tree".
 */
export const keptOpen = (part: string): string => `${inboxNew(part)}/.gitkeep`;

/** The inverse of `inboxNew`; null for any other path. */
export function partOfInbox(path: string): string | null {
  const match = /^inbox\/(.+)\/new$/.exec(path);
  return match !== null && partProblem(match[1]) === null ? (match[1] as string) : null;
}

/** Path of an unread message's link. */
export const unreadPath = (part: string, message: string): string => `${inboxNew(part)}/${message}.md`;
/** Path of an acked message's link; `day` is that of its thread, so the path hangs on the id alone. */
export const readPath = (part: string, message: string, day: string): string => `${inboxRead(part)}/${day}/${message}.md`;

/**
 * Where a message to a name lies, in one half or the other; null when nobody has the name.
 * @param renamed former name → name now
 */
export function mailPlaces(
  name: string,
  message: { id: string; day: string },
  isMember: (part: string) => boolean,
  renamed: ReadonlyMap<string, string>,
): { part: string; paths: string[] } | null {
  const part = isMember(name) ? name : (renamed.get(name) ?? name);
  if (!isMember(part)) return null;
  // Mail under a former name is there, and is moved by the next look.
  const under = part === name ? [part] : [part, name];
  return { part, paths: under.flatMap((each) => [unreadPath(each, message.id), readPath(each, message.id, message.day)]) };
}

/**
 * Whether a message to some names may lie in a part's inbox: one of them is the part's, now or formerly, or nobody's any
 * more: then the part may have had it before it was removed and added again.
 * @param parts every part with its former names
 */
export function mayHold(
  part: string,
  to: readonly string[],
  parts: ReadonlyMap<string, { formerly: readonly string[] }>,
  isMember: (name: string) => boolean,
): boolean {
  if (to.includes(part) || parts.get(part)?.formerly.some((name) => to.includes(name)) === true) return true;
  const former = new Set([...parts.values()].flatMap(({ formerly }) => formerly));
  return to.some((name) => !isMember(name) && !former.has(name));
}

/** A connection that lives: which part, which agent, which process, since when (ISO 8601). */
export interface Presence {
  part: string;
  /** What the agent calls itself (MCP `clientInfo.name`), and its version. */
  agent: { name: string; version?: string | undefined };
  /** Who owns the connection, as `store/process` writes a process. */
  process: string;
  /** The host's id of its session, where it gives its servers one: several servers of a session are one session. */
  session?: string | undefined;
  connectedAt: string;
  /** Set where the part is not the connection's own, but one that a call named. */
  named?: boolean | undefined;
  /** Set of a call that waits for something new. */
  waits?: boolean | undefined;
}

/** A heartbeat is renewed this often. */
export const HEARTBEAT_MS = 30_000;
/** A heartbeat older than this is over, where the process itself cannot be seen. */
export const HEARTBEAT_STALE_MS = 90_000;

/** Where the heartbeats of a part lie; of all parts for the empty one. */
export const presenceFolder = (part: string): string => (part === "" ? "run/presence" : `run/presence/${part}`);

/** Reads a heartbeat; null when it is none (it may be half written by a version to come). */
export function parsePresence(source: string): Presence | null {
  return orElse(null, () => {
    const value = JSON.parse(source) as Partial<Presence>;
    const whole =
      typeof value.part === "string" &&
      typeof value.process === "string" &&
      typeof value.connectedAt === "string" &&
      typeof value.agent?.name === "string";
    return whole ? (value as Presence) : null;
  });
}

/** Where the marks of life lie: a file for each part, whose time is that of the last sign. */
export const LIFE = "run/life";

/** The name of the mark of a part. Its segments are folders elsewhere, and one part's name may be the beginning of another's. */
export const markName = (part: string): string => part.replaceAll("/", "+");

/** Where the mark of a part lies. */
export const lifePath = (part: string): string => `${LIFE}/${markName(part)}`;
/** The inverse, for a name in the folder of marks. */
export const partOfMark = (name: string): string => name.replaceAll("+", "/");

/** A part is not woken before this, at most a day ahead. */
export const LIMITED_AT_MOST_MS = 24 * 60 * 60 * 1000;

/** Where the mark of a limited part lies; it holds the instant (ISO 8601) at which it may be woken again. */
export const limitedPath = (part: string): string => `run/limited/${part}/until.txt`;
