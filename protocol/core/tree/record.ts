/** The files that a record of the home may have, and the words of its commit message. spec/git.md, "Recording". */
import { once } from "../format/schema.ts";
import { byLastLine } from "../noun/noun.ts";
import { listedNouns } from "../noun/noun-list.ts";
import { arrivalOf, MACHINE, nounAt, ownerOf } from "./layout.ts";

/** Whether a path is one that clones share: inside the home, in no folder of one machine, and nothing half made. */
export function isShared(path: string): boolean {
  const segments = path.split("/");
  // Without case, as some disks compare names.
  const top = (segments[0] as string).toLowerCase();
  if (MACHINE.has(top) || top === ".git") return false;
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

/** What a change did to a plain file: no clone lays a link or a repository out, so that it is as if it were not there. */
export const ofFiles = <Id>({
  before,
  after,
  mode,
  oldMode = mode,
}: {
  before: Id | null;
  after: Id | null;
  mode: string;
  oldMode?: string;
}) => ({
  before: before !== null && isPlainMode(oldMode) ? before : null,
  after: after !== null && isPlainMode(mode) ? after : null,
});

/** One path that a record changes; null where it has none. */
interface RecordedChange {
  path: string;
  before: string | null;
  after: string | null;
}

/** The words for what can be in a record, in the order in which it is told: of one, and of many. What no noun is a file of is a `file`. */
const manyOf = once(() => new Map([...listedNouns().flatMap(({ words }) => (words === null ? [] : [words])), ["file", "files"]]));

/** What a path holds, and a name for it; several files may be one thing. Null for the unread names of messages. */
export function thingAt(path: string): { word: string; name: string } | null {
  // What gave way in a merge is told with the file that it lies beside.
  const of = ownerOf(path);
  const found = nounAt(of);
  if (found === null) return of === ".gitignore" ? { word: "setting", name: of } : { word: "file", name: path };
  const { noun, place } = found;
  return noun.words === null ? null : { word: noun.words[0], name: noun.name?.(place) ?? of };
}

/** How many of what changes hold. */
export function countThings(changes: readonly RecordedChange[]): Map<string, number> {
  const seen = new Map<string, Set<string>>();
  const isArchiving = changes.some(({ path, after }) => after !== null && thingAt(path)?.word === "archive");
  for (const { path, after } of changes) {
    const thing = thingAt(path);
    // What went into an archive is told by the archive.
    const isMoved = after === null && (thing?.word === "ack" || (isArchiving && ["message", "thread"].includes(thing?.word ?? "")));
    if (thing === null || isMoved) continue;
    seen.set(thing.word, (seen.get(thing.word) ?? new Set()).add(thing.name));
  }
  // A new thread is told by its messages.
  if (seen.has("message")) seen.delete("thread");
  return new Map([...manyOf().keys()].flatMap((word) => (seen.has(word) ? [[word, (seen.get(word) as Set<string>).size] as const] : [])));
}

/** In words: `12 messages, 2 claims`. */
export function inWords(counts: ReadonlyMap<string, number>): string {
  const words = [...counts].map(([word, count]) => `${count} ${count === 1 ? word : manyOf().get(word)}`);
  return words.length === 0 ? "inbox changes" : words.join(", ");
}

/** The message of a record: its subject, a text where there is one, and a line for each part. */
export function recordMessage({ subject, text }: { subject: string; text: string }, who: readonly string[], clone: string): string {
  const trailers = [...who.map((part) => `Relay-Part: ${part}`), `Relay-Clone: ${clone}`];
  return `${subject}\n\n${text === "" ? "" : `${text}\n`}${trailers.join("\n")}\n`;
}

/** Whether a file says line by line who changed it. */
export const hasHistory = (path: string): boolean => nounAt(path)?.noun.author === byLastLine;

/**
 * Who made a file what it is, by its path and its text; null where nothing says so.
 * @param before its text until then, where it `hasHistory`
 */
export function authorOf(path: string, text: string | null, before: string | null): string | null {
  const found = nounAt(path);
  return found?.noun.author?.(found.place, text, before) ?? null;
}

/**
 * `once`: written once, the first bytes stay. `kept`: edited, but never gone. `unread`: a name in `new/`, gone once it is
 * acked. `stranger`: not in the layout, so git decides. `attempt`: may not lie in a home at all.
 */
type GuardClass = "once" | "kept" | "unread" | "stranger" | "attempt";

/** The class of a path. */
export function guardClass(path: string): GuardClass {
  const arrival = arrivalOf({ path, mode: PLAIN_MODE });
  // What is known beside a file of the layout, such as what gave way in a merge, is no file of it.
  return arrival === "known" ? (nounAt(path)?.noun.guard ?? "stranger") : arrival;
}
