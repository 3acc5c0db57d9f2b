/**
 * Parts: the addresses that messages are sent to, their inboxes, and what one machine keeps of them under `run/`, never shared and
 * always disposable: who is connected, and the last sign of life. SPEC.md, "Parts" and "Inbox"; spec/messages.md, "Presence".
 */
import { distance } from "fastest-levenshtein";
import { orElse } from "../format/file-error.ts";

const SEGMENT = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
/** Names that Windows keeps for devices, with or without an ending. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)$/i;
/** Whether Windows keeps a name for a device, so that no file or folder can have it there. */
export const isDevice = (name: string): boolean => DEVICE.test(name);
/** Segments that are folders of an inbox or an outbox. */
const RESERVED = new Set(["new", "read", "tmp", "sent"]);

/** The part that stands for people; it always exists and is never woken in a terminal. */
export const HUMAN = "human";

/** Says what is wrong with a part id; null when it is one. Part ids are checked before they become paths. */
export function partProblem(id: unknown): string | null {
  if (typeof id !== "string") return "it is not a text";
  if (id === "") return "it is empty";
  const segments = id.split("/");
  if (segments.length > 3) return `it has ${segments.length} segments, at most 3 are allowed`;
  for (const segment of segments) {
    if (segment === "") return 'it has an empty segment ("/" at an end, or two in a row)';
    if (!SEGMENT.test(segment)) return `the segment ${JSON.stringify(segment.slice(0, 80))} has other characters or is too long`;
    if (isDevice(segment)) return `${JSON.stringify(segment)} is the name of a device on Windows`;
    if (RESERVED.has(segment.toLowerCase())) return `${JSON.stringify(segment)} is the name of a folder of an inbox`;
  }
  return null;
}

/** Who is calling, and what to tell them about it. */
export interface Caller {
  part: string;
  /** What there is to say about the name. */
  warning?: string | undefined;
  /** Set when the id is no part or guest yet. */
  isNew?: boolean;
}

/** Where a part's unread messages lie. */
export const inboxNew = (part: string): string => `inbox/${part}/new`;
/** Where a part's acked messages lie, by the day of their thread. */
export const inboxRead = (part: string): string => `inbox/${part}/read`;
/** Where those with only a shell put finished messages. */
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

/** The letters of a name, whatever their order. */
const lettersOf = (name: string): string => [...name].sort().join("");

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

/** A longer text is no mistyped name, and comparing it takes long. */
const LONGEST_NEAR = 128;

/**
 * The known names nearest to one that is not known, best first, at most three. Of a name of two letters any other is two
 * letters away, so there only one that it begins, or that has its letters, is near; of three letters one may be another.
 */
export function nearest(name: string, known: Iterable<string>): string[] {
  if (name.length > LONGEST_NEAR) return [];
  const lower = name.toLowerCase();
  const reach = name.length < 3 ? 0.5 : name.length === 3 ? 1 : Math.max(2, Math.ceil(name.length / 3));
  return [...known]
    .map((candidate) => ({
      candidate,
      far:
        candidate.toLowerCase().startsWith(lower) || lettersOf(candidate.toLowerCase()) === lettersOf(lower)
          ? 0.5
          : distance(lower, candidate.toLowerCase()),
    }))
    .filter(({ candidate, far }) => far <= reach && far < candidate.length)
    .sort((a, b) => a.far - b.far || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, 3)
    .map(({ candidate }) => candidate);
}

/** The two things whose names are nearest to one that nothing has, best first: those that hold it, then those that are spelt nearly so. */
export function nearestOf<T>(name: string, things: readonly T[], nameOf: (thing: T) => string): T[] {
  const wanted = name.trim().toLowerCase();
  const holding = wanted.length < 3 ? [] : things.filter((thing) => nameOf(thing).toLowerCase().includes(wanted));
  const spelt = nearest(wanted, new Set(things.map(nameOf))).flatMap((near) => things.filter((thing) => nameOf(thing) === near));
  return [...new Set([...holding, ...spelt])].slice(0, 2);
}

/** The two ids whose random characters are nearest to a piece that begins none. @param before how many characters come before these */
export const nearestIds = (piece: string, ids: readonly string[], before: number): string[] =>
  nearestOf(piece, ids, (id) => id.slice(before, before + piece.length));

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
