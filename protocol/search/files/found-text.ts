/** What a search looks through beside messages, and how a file of it is read: once while it is as it was. spec/messages.md, "Search". */
import path from "node:path";
import { type Faults, faultOf } from "../../core/home/broken-files.ts";
import type { World } from "../../core/world.ts";
import { facts } from "../../store/read/facts.ts";
import { readText } from "../../store/read/read-file.ts";
import { Kept } from "./kept.ts";

/** The kinds of what is found beside messages. */
export const TEXT_KINDS = ["task", "summary", "artifact", "review", "memory", "dispatch", "position", "part"] as const;

/** What leads to it. Ids are those of the operations that show it. */
interface Ids {
  session_id?: string;
  task_id?: string;
  artifact_id?: string;
  review_id?: string;
  threadId?: string;
  part?: string;
}

/** A text that is searched. */
export interface FoundText {
  kind: (typeof TEXT_KINDS)[number];
  ids: Ids;
  /** What it is shown by. */
  subject: string;
  text: string;
  /** What is searched beside the text: of most, the subject. */
  also: readonly string[];
  /** What a query may name it by, where it begins so, with the kind and a hyphen before it or without. */
  id?: string | undefined;
  /** The parts and positions that it is from, to or about; none of what is nobody's. */
  of: readonly string[];
  /** Its file. */
  path: string;
  /** When it changed last, in milliseconds since the epoch; null where it does not say so, and its file does. */
  statedMs: number | null;
}

/** A kind, or several that lie together: every text of them that is there now. What cannot be read goes to `faults`. */
export type ReadTexts = (world: World, faults: Faults) => Generator<FoundText>;

/** An instant in milliseconds since the epoch; null of a text that is none. */
export const instantOf = (at: string): number | null => Date.parse(at) || null;

/** What was read of files, by path. */
const kept = new Kept<{ sign: string; value: unknown }>(16_000_000);

/**
 * What a file says; null where there is none, or it cannot be read: then `faults` says why. What was read is taken while the file is
 * the one that it was. Of a commit a content is the same in every other one.
 * @param limit bytes at the most
 * @param read throws FileError
 * @param lengthOf the characters that what was read takes in the memory
 */
export function readKept<T>(
  world: World,
  file: { path: string; limit: number },
  read: (source: string) => T,
  lengthOf: (value: T) => number,
  faults: Faults,
): T | null {
  const { store } = world.home();
  try {
    const fact = facts(store, file.path);
    if (fact === null) return null;
    const sign = `${fact.inode} ${fact.size} ${fact.modifiedMs}`;
    const name = `${store.recorded === undefined ? store.root : path.dirname(store.root)} ${file.path}`;
    const known = kept.get(name);
    if (known?.sign === sign) return known.value as T;
    const source = readText(store, file.path, file.limit);
    if (source === null) return null;
    const value = read(source);
    kept.set(name, { sign, value }, lengthOf(value) + name.length);
    return value;
  } catch (error) {
    faults.push(faultOf(error, file.path));
    return null;
  }
}

/** The characters of a text with all that is searched beside it. */
export const lengthOf = ({ subject, text, also }: FoundText): number =>
  also.reduce((sum, each) => sum + each.length, subject.length + text.length);
