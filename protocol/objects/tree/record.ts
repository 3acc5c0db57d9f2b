/** What a record of the home may hold, and how it says what it holds. spec/git.md, "Recording". */
import { locateMessage } from "../message/message.ts";

/** Folders that belong to one machine, and what git keeps for itself; compared without case, as some disks do. */
const PRIVATE = new Set(["outbox", "local", "run", ".git"]);

/** Whether a path is one that clones share: inside the home, in no folder of one machine, and nothing half made. */
export function isShared(path: string): boolean {
  const segments = path.split("/");
  if (PRIVATE.has((segments[0] as string).toLowerCase())) return false;
  if (path.includes("\0") || hasOddName(path)) return false;
  return segments.every((segment) => segment !== "" && segment !== "." && segment !== ".." && !isMachinery(segment));
}

/** Whether a path is one that not every disk can have: bytes that are no UTF-8, and what some take for a folder. */
export const hasOddName = (path: string): boolean => /[\\\ufffd]|\p{Surrogate}/u.test(path);

/** Names that git would take for its own, in any spelling that a disk folds into it. */
const isMachinery = (segment: string): boolean =>
  /^(\.git|git~1)$/i.test(segment.replace(/[. ]+$/, "")) || /^\.(staged|copy|sending)[-.]/.test(segment);

/** Git's mode of an ordinary file. */
export const PLAIN_MODE = "100644";
/** Whether git calls a thing an ordinary file; links and repositories inside the home are not recorded. */
export const isPlainMode = (mode: string): boolean => mode.startsWith("100");

/** One path that a record changes; null where it has none. */
export interface RecordedChange {
  path: string;
  before: string | null;
  after: string | null;
}

/** What can be in a record, in the order in which it is told; one of it, and many. */
const NOUNS = {
  message: "messages",
  ack: "acks",
  claim: "claims",
  task: "tasks",
  artifact: "artifacts",
  review: "reviews",
  session: "sessions",
  team: "teams",
  memory: "memories",
  event: "events",
  setting: "settings",
  thread: "threads",
  guest: "guests",
  archive: "archives",
  removal: "removals",
  file: "files",
} as const;
/** A kind of thing in a home. */
export type Noun = keyof typeof NOUNS;

const RULES: readonly [RegExp, Noun][] = [
  [/^threads\/[^/]+\/([^/]+)\/thread\.md$/, "thread"],
  [/^inbox\/(.+)\/guest\.md$/, "guest"],
  [/^inbox\/(.+\/read\/[^/]+\/m-[^/]+)\.md$/, "ack"],
  [/^sessions\/([^/]+\/claims\/[^/]+\/[^/]+)\.md$/, "claim"],
  [/^sessions\/([^/]+\/tasks\/[^/]+)\.md$/, "task"],
  [/^sessions\/([^/]+\/artifacts\/[^/]+\/[^/.]+)\./, "artifact"],
  [/^sessions\/([^/]+\/reviews\/[^/.]+)\./, "review"],
  [/^sessions\/([^/]+)\//, "session"],
  [/^(?:session-agents-.+|agents\.pool)\.yml$/, "team"],
  [/^memory\//, "memory"],
  [/^archive\/[^/]+\/([^/]+)\.md$/, "archive"],
  [/^forgotten\/([^/.]+)\./, "removal"],
  [/^events\//, "event"],
  [/^(?:relay\.yml|RELAY\.md|\.gitignore)$/, "setting"],
];

/** What a path holds, and a name for it; several files may be one thing. Null for the unread names of messages. */
export function thingAt(path: string): { noun: Noun; name: string } | null {
  if (locateMessage(path) !== null) return { noun: "message", name: path };
  if (/^inbox\/.+\/new\/m-[^/]+\.md$/.test(path)) return null;
  for (const [rule, noun] of RULES) {
    const match = rule.exec(path);
    if (match !== null) return { noun, name: match[1] ?? path };
  }
  return { noun: "file", name: path };
}

/** How many of what changes hold. */
export function countThings(changes: readonly RecordedChange[]): Map<Noun, number> {
  const seen = new Map<Noun, Set<string>>();
  const isArchiving = changes.some(({ path, after }) => after !== null && thingAt(path)?.noun === "archive");
  for (const { path, after } of changes) {
    const thing = thingAt(path);
    // What went into an archive is told by the archive.
    const isMoved = after === null && (thing?.noun === "ack" || (isArchiving && ["message", "thread"].includes(thing?.noun ?? "")));
    if (thing === null || isMoved) continue;
    seen.set(thing.noun, (seen.get(thing.noun) ?? new Set()).add(thing.name));
  }
  // A new thread is told by its messages.
  if (seen.has("message")) seen.delete("thread");
  const nouns = Object.keys(NOUNS) as Noun[];
  return new Map(nouns.flatMap((noun) => (seen.has(noun) ? [[noun, (seen.get(noun) as Set<string>).size] as const] : [])));
}

/** In words: `12 messages, 2 claims`. */
export function inWords(counts: ReadonlyMap<Noun, number>): string {
  const words = [...counts].map(([noun, count]) => `${count} ${count === 1 ? noun : NOUNS[noun]}`);
  return words.length === 0 ? "deliveries" : words.join(", ");
}

/** Parts that a subject names before it says how many more. */
const NAMED = 5;

/** The message of a record: `relay: 12 messages, 2 claims (web, main)`, and a line for each part. */
export function recordMessage(counts: ReadonlyMap<Noun, number>, who: readonly string[], clone: string): string {
  const named = who.length > NAMED ? [...who.slice(0, NAMED), `${who.length - NAMED} more`] : who;
  const subject = `relay: ${inWords(counts)}${named.length === 0 ? "" : ` (${named.join(", ")})`}`;
  const trailers = [...who.map((part) => `Relay-Part: ${part}`), `Relay-Clone: ${clone}`];
  return `${subject}\n\n${trailers.join("\n")}\n`;
}

const HEADER = /^(?:from|agent|created_by|reviewer|by|started_by|ended_by|requested_by|part): "?([A-Za-z0-9][\w/-]*)"?\r?$/m;
const LAST_LINE = /^- \S+ ([A-Za-z0-9][\w/-]*): .*$/gm;

function lastAuthor(text: string): { line: string; author: string } | null {
  const match = [...text.matchAll(LAST_LINE)].at(-1);
  return match === undefined ? null : { line: match[0], author: match[1] as string };
}

/** Whether a file says line by line who changed it. */
export const hasHistory = (path: string): boolean => /^sessions\/.*\/tasks\/[^/]+\.md$/.test(path);

/**
 * Who made a file what it is, by its path and its text; null where nothing says so.
 * @param before its text until then, where it `hasHistory`: whoever edits it by hand adds no line
 */
export function authorOf(path: string, text: string | null, before: string | null): string | null {
  const inPath = /^inbox\/(.+)\/read\//.exec(path)?.[1] ?? /^memory\/agents\/(.+)\.md$/.exec(path)?.[1];
  if (inPath !== undefined) return inPath;
  if (text === null || !/^(threads|sessions|inbox)\/.*\.md$/.test(path)) return null;
  if (!hasHistory(path)) return HEADER.exec(text)?.[1] ?? null;
  const last = lastAuthor(text);
  if (last === null || last.line === (before && lastAuthor(before)?.line)) return null;
  // Relay itself says what gave way to a claim or in a merge.
  return last.author === "relay" ? null : last.author;
}
