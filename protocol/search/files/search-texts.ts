/** Searching all that is no message: one loop over the texts of every kind. spec/messages.md, "Search". */
import { encodeTime, LAST_MS, type ThreadLocation, threadId } from "../../core/format/id.ts";
import type { Faults } from "../../core/home/broken-files.ts";
import { pacer } from "../../core/pacer.ts";
import type { World } from "../../core/world.ts";
import { facts } from "../../store/read/facts.ts";
import type { FoundText, ReadTexts } from "./found-text.ts";
import { memoryTexts, partTexts } from "./home-texts.ts";
import { dispatchTexts, positionTexts } from "./office-texts.ts";
import { cutOut, type Matcher, type Wording } from "./search-text.ts";
import { sessionTexts } from "./session-texts.ts";

/** Which texts are searched for. */
interface Query extends Wording {
  match: Matcher;
  /** One thread only: of it there is a dispatch at the most. */
  within: ThreadLocation | null;
  /** In milliseconds since the epoch. */
  since: number;
  /** As for messages; what is nobody's does not fit. */
  isPart: ((name: string) => boolean) | null;
}

/** A text that fits. `ms` is when it changed last, in milliseconds since the epoch. */
export interface TextHit extends Pick<FoundText, "kind" | "ids" | "subject" | "path"> {
  ms: number;
  /** The words around the place where the query fits. */
  snippet: () => string;
}

/** What is searched. */
const ALL: readonly ReadTexts[] = [sessionTexts, memoryTexts, dispatchTexts, positionTexts, partTexts];
/** What a thread may have beside messages. */
const OF_THREAD: readonly ReadTexts[] = [dispatchTexts];

/** Every text that fits, by a key that sorts among the ids of messages by `compareNewest`. */
export async function searchTexts(world: World, query: Query, faults: Faults): Promise<Map<string, TextHit>> {
  const found: TextHit[] = [];
  const pace = pacer(world, "texts");
  for (const read of query.within === null ? ALL : OF_THREAD)
    for (const text of read(world, faults)) {
      const turn = pace();
      if (turn !== null) await turn;
      if (isWanted(text, query) && fits(text, query)) found.push(hitOf(text, query.match));
    }
  const changed = await changedMs(
    world,
    found.flatMap(({ ms, path }) => (ms === UNSTATED ? [path] : [])),
  );
  const hits = new Map<string, TextHit>();
  for (const hit of found) {
    const ms = hit.ms === UNSTATED ? (changed.get(hit.path) ?? 0) : hit.ms;
    if (ms >= query.since) hits.set(keyOf(hit, ms), { ...hit, ms });
  }
  return hits;
}

const isWanted = ({ ids, of }: FoundText, { isPart, within }: Query): boolean =>
  (isPart === null || of.some(isPart)) && (within === null || ids.threadId === threadId(within));

const fits = ({ kind, text, also, id }: FoundText, query: Query): boolean =>
  query.match(text) !== null || also.some((each) => query.match(each) !== null) || (id !== undefined && isNamed(id, kind, query));

/** As long as the shortest piece of an id that people may give. */
const PIECE_LENGTH = 3;

/** Whether a query means an id: by its beginning, with or without `task-`, or, as an expression, all of it. Any task has `task` in it. */
function isNamed(id: string, kind: string, { query, regex, match }: Query): boolean {
  if (regex) return match(id)?.length === id.length;
  const short = (name: string): string => (name.startsWith(`${kind}-`) ? name.slice(kind.length + 1) : name);
  const piece = short(query.toLowerCase());
  return piece.length >= PIECE_LENGTH && short(id).startsWith(piece);
}

/** Stands for a time that a text does not say. */
const UNSTATED = -1;
/** Of a longer text the words are cut out at once, so that a search holds none of it. */
const HELD_LENGTH = 2_048;

function hitOf({ kind, ids, subject, text, path, statedMs }: FoundText, match: Matcher): TextHit {
  const snippet = (): string => cutOut(text, match(text));
  if (text.length <= HELD_LENGTH) return { kind, ids, subject, path, ms: statedMs ?? UNSTATED, snippet };
  // A piece of a text would keep all of it.
  const cut = Buffer.from(snippet()).toString();
  return { kind, ids, subject, path, ms: statedMs ?? UNSTATED, snippet: () => cut };
}

/** Time last, as in the id of a message. */
const keyOf = ({ kind, ids }: Pick<TextHit, "kind" | "ids">, ms: number): string =>
  `${kind}-${Object.values(ids).join("-")}-${encodeTime(Math.min(ms, LAST_MS))}`;

/** When files that do not say so were changed last: by the disk, or by the records where the home is of the past. */
async function changedMs(world: World, paths: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (world.past !== undefined) return world.past.changedMs(paths);
  const { store } = world.home();
  return new Map(paths.map((path) => [path, facts(store, path)?.modifiedMs ?? 0]));
}
