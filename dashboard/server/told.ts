/**
 * What the local feed tells that no file holds: who is writing, and what a turn of the office prints. It goes to the pages as it is told,
 * and a page that misses it misses nothing that lasts.
 */
import { FEED_FOLDER } from "../../protocol/core/home/feed.ts";
import { facts } from "../../protocol/store/read/facts.ts";
import { readLines } from "../../protocol/store/read/read-lines.ts";
import type { Store } from "../../protocol/store/root.ts";

/** A line of the feed. What else it says, its type decides. */
export interface Told {
  type: string;
  part: string;
  [detail: string]: unknown;
}

/** The lines that a page shows: what a part says about itself, thinks and wrote, and what a turn prints. */
const SHOWN = /^(event:[a-z]+|agent:thinking|message:sent|office:stream_data|office:dispatch_started)$/;
/** Of a long thought a page shows the beginning. */
const THOUGHT_CHARACTERS = 400;
/** Characters of a line that is passed on, and lines at once: a program that floods the feed does not flood the pages. */
const MOST_CHARACTERS = 4_000;
const MOST_LINES = 50;
/** Bytes of the feed that a page reads back when it opens, to show what turns printed. */
const BEFORE_BYTES = 1_048_576;
const BEFORE_LINES = 2_000;

/** Follows the feed of a home. @returns gives the lines since it was called last; at first, those of the last time before */
export function followTold(store: Store): () => Told[] {
  let day = today();
  let next = Math.max(0, (facts(store, day)?.size ?? 0) - BEFORE_BYTES);
  let most = BEFORE_LINES;
  return () => {
    const lines: string[] = [];
    const now = today();
    try {
      for (const file of new Set([day, now])) {
        const read = readLines(store, file, file === day ? next : 0);
        lines.push(...read.lines);
        [day, next] = [file, read.next];
      }
    } catch {
      // The feed is disposable: where it cannot be read, nothing is told.
    }
    const newest = lines.slice(-most);
    most = MOST_LINES;
    return newest.flatMap((line) => toldIn(line) ?? []);
  };
}

const today = (): string => `${FEED_FOLDER}/${new Date().toISOString().slice(0, 10)}.jsonl`;

/** A line that a page shows; null for all others, and for one that is broken. */
function toldIn(line: string): Told | null {
  const isThought = line.slice(0, THOUGHT_CHARACTERS).includes('"agent:thinking"');
  if (line.length > MOST_CHARACTERS && !isThought) return null;
  try {
    const told = JSON.parse(line) as Told | null;
    if (told?.type === "agent:thinking") told["chunk"] = String(told["chunk"]).slice(0, THOUGHT_CHARACTERS);
    return typeof told?.type === "string" && typeof told.part === "string" && SHOWN.test(told.type) ? told : null;
  } catch {
    return null;
  }
}
