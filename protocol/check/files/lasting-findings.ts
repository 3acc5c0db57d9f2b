/**
 * Findings that stand. A home is examined while others write: a message is in its thread a moment before it is in an inbox.
 * So what is found is looked for again, and what a living writer has noted as begun is no finding. spec/check.md, "Check".
 */
import { type Finding, firstFindings } from "../../core/format/finding.ts";
import { type MessageLocation, messageId, parseMessageId, threadId } from "../../core/format/id.ts";
import { type Place, placeOf } from "../../core/tree/layout.ts";
import { messagePath } from "../../mail/nouns/message.ts";
import { lifeOf } from "../../store/process.ts";
import { names } from "../../store/read/list-folder.ts";
import type { Store } from "../../store/root.ts";
import type { Reading } from "./check-list.ts";

/** A finding that two more examinations confirm is no writer's moment. */
const EXAMINATIONS = 3;
/** How long a writer may take before the next examination: a send takes a few milliseconds. */
const PATIENCE_MS = 2_000;
const PAUSE_MS = 20;

/**
 * Examines a home until what it finds stands still. The second and third examination read only what hangs on what was found; of a code
 * of which more is found than is told, they examine what is told, and the rest where not all of that stands.
 * @param examine gives every finding at one time; called once where there is none, and three times as a rule
 * @param mayPass whether a finding may be a writer's moment, and is worth another examination
 * @param whole whether every examination is of everything, because all that is found will be put right
 * @returns the findings that every examination had
 */
export async function standing(
  store: Store,
  examine: (reads: Reads) => Promise<Finding[]>,
  mayPass: (finding: Finding) => boolean,
  whole = false,
): Promise<Finding[]> {
  let found = await examine(readAllFiles);
  for (let done = 1; done < EXAMINATIONS && found.some(mayPass); done += 1) {
    await writersAreDone(store);
    const { told, rest } = firstFindings(found);
    const again = whole ? null : stillTold(told, rest, await examine(readsAgain(pathsOf(told))));
    found = again ?? stillThere(found, await examine(readAllFiles));
  }
  const begun = beingWritten(store);
  return found.filter(({ path }) => path === undefined || !begun.some((isOf) => isOf(path)));
}

const pathsOf = (findings: readonly Finding[]): Set<string> => new Set(findings.flatMap(({ path }) => (path === undefined ? [] : [path])));

/** What was found and is found again, in the words of the later examination. */
function stillThere(found: readonly Finding[], later: readonly Finding[]): Finding[] {
  const byKey = new Map(later.map((finding) => [keyOf(finding), finding]));
  return found.flatMap((finding) => byKey.get(keyOf(finding)) ?? []);
}

/** The told ones that are found again, and all the rest; null where one whose code has a rest is not, so that the rest has to be seen. */
function stillTold(told: readonly Finding[], rest: ReadonlyMap<string, readonly Finding[]>, later: readonly Finding[]): Finding[] | null {
  const paths = pathsOf(told);
  const seen = later.filter(({ path }) => path === undefined || paths.has(path));
  const still = stillThere(told, seen);
  const count = (findings: readonly Finding[], code: string): number => findings.filter((each) => each.code === code).length;
  if ([...rest.keys()].some((code) => count(still, code) < count(told, code))) return null;
  return [...still, ...[...rest.values()].flat()];
}

const keyOf = ({ code, path, problem }: Finding): string => JSON.stringify([code, path, problem]);

/** Waits until nothing that is being written now is being written any more, or a writer takes long. */
async function writersAreDone(store: Store): Promise<void> {
  const begun = new Set(intents(store));
  for (const until = performance.now() + PATIENCE_MS; performance.now() < until; ) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    if (!intents(store).some((name) => begun.has(name))) return;
  }
}

/** The notes of living writers: sends, and acts of several steps. */
function intents(store: Store): string[] {
  const all = [...names(store, "local/pending"), ...names(store, "local/intents")];
  return all.filter((name) => lifeOf(name.slice(0, name.indexOf("."))) === "alive");
}

/** Tells of a path whether it belongs to what a living writer has begun. */
function beingWritten(store: Store): ((path: string) => boolean)[] {
  return intents(store).flatMap((name) =>
    name.split(".").flatMap((word) => {
      const location: MessageLocation | null = parseMessageId(word);
      if (location !== null) return [(path: string) => path.includes(word) || path === messagePath(location)];
      return /^(task|review)-/.test(word) ? [(path: string) => path.includes(word)] : [];
    }),
  );
}

/** Tells of a file whether it is to be read. */
export type Reads = (reading: Pick<Reading, "place"> & { path: string }) => boolean;

/** Every file is read: the first examination. */
export const readAllFiles: Reads = () => true;

/**
 * What hangs on some paths: of mail the files of the same messages, of events those of the same days, of texts themselves. All
 * else is read whatever was found: a session is examined whole, and parts, guests and settings tell of many other files.
 * @param paths of what was found
 */
function readsAgain(paths: ReadonlySet<string>): Reads {
  const places = [...paths].map((path) => placeOf(path));
  const messages = new Set(places.flatMap((place) => (isMail(place) ? [messageId(place.key)] : [])));
  const threads = new Set(places.flatMap((place) => (place?.kind === "thread" ? [threadId(place.key)] : [])));
  const days = new Set([...paths].map(folderOf));
  return ({ path, place }) => {
    if (isMail(place)) return messages.has(messageId(place.key)) || threads.has(threadId(place.key));
    if (place.kind === "events") return days.has(folderOf(path));
    return !ALONE.has(place.kind) || paths.has(path);
  };
}

/** Kinds of files that tell nothing of others. */
const ALONE: ReadonlySet<Place["kind"]> = new Set(["memory", "label", "content", "state", "version", "archive"]);

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/"));

const isMail = (place: Place | null): place is Extract<Place, { kind: "message" | "unread" | "acked" }> =>
  place !== null && (place.kind === "message" || place.kind === "unread" || place.kind === "acked");
