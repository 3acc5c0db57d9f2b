/** The commits along which the page moves: from the newest one back to the moment that is shown, however far back that lies. */
import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { link } from "../state/live.ts";
import { route } from "../state/route.ts";
import { read } from "../state/server.ts";
import { useAnswer } from "../state/use-answer.ts";
import { usePages } from "../state/use-pages.ts";
import { commitOf, type Entry, knowRecords, newestRecords } from "./moment.ts";

/** So many commits are asked for at a time. */
export const PAGE = 200;
/** So many commits before the moment, and after it, are shown where a list does not come as far. */
const AROUND = 10;

/** A list that is known is asked for again after so long. */
const LATER_MS = 1_000;

const line = signal<readonly Entry[]>([]);

/** The commits around one that a list does not have, the newest first; none where the list has it, and until the line comes as far. */
export function useAround(commit: string, listed: readonly Entry[]): Entry[] {
  const held = useRef<Entry[]>([]);
  const isListed = commit === "" || listed.some((entry) => entry.commit === commit);
  const placeOf = (id: string | undefined): number => line.value.findIndex((entry) => entry.commit === id);
  const place = isListed ? -1 : placeOf(commit);
  if (place === -1) held.current = [];
  else {
    // Those that are shown stay where they are: a hand may be on one of them.
    const isNear = held.current.some((entry) => entry.commit === commit);
    const ends = isNear ? [held.current[0], held.current.at(-1)].map((entry) => placeOf(entry?.commit)).filter((end) => end !== -1) : [];
    const [first, last] = [Math.min(place - AROUND, ...ends), Math.max(place + AROUND, ...ends)];
    const known = new Set(listed.map(commitOf));
    held.current = line.value.slice(Math.max(0, first), last + 1).filter((entry) => !known.has(entry.commit));
  }
  return held.current;
}

/** The line, and where on it the moment is. */
interface Line {
  /** The newest first, without a gap. */
  entries: readonly Entry[];
  /** -1 until it is found. */
  place: number;
  /** Whether older ones, or the moment itself, are still asked for. */
  hasMore: boolean;
  /** Why it is not found, or why the line ends there. */
  why: string | undefined;
}

/**
 * @param commit the moment that is shown
 * @param isStill whether the line stays as long as it is: somebody drags along it
 */
export function useLine(commit: string, isStill: boolean): Line {
  // The view Record asks for the same list, and what it was told last is on the line at once: the moment itself is asked for first.
  const [isDue, setDue] = useState(newestRecords.value === undefined);
  useEffect(() => {
    const later = setTimeout(() => setDue(true), LATER_MS);
    return () => clearTimeout(later);
  }, []);
  const { data, failure: unlisted } = useAnswer("log", isDue && route.value.view !== "record" ? { limit: PAGE } : null);
  useEffect(() => {
    if (data !== undefined) newestRecords.value = data;
  }, [data]);
  const log = newestRecords.value;
  const [refused, setRefused] = useState<{ commit: string; why: string } | undefined>(undefined);
  const newest = log === undefined ? undefined : { rows: log.entries, cursor: log.cursor };
  const { rows, hasMore, more } = usePages<Entry>("log", newest, commitOf, async (cursor) => {
    const { data, failure } = await read("log", { limit: PAGE, cursor });
    setRefused(failure === undefined ? undefined : { commit, why: failure.error });
    return data === undefined ? undefined : { rows: data.entries, cursor: data.cursor };
  });
  const place = rows.findIndex((entry) => entry.commit === commit);
  const isRefused = refused?.commit === commit;
  useEffect(() => setRefused(undefined), [log, link.value]);
  useEffect(() => {
    knowRecords(rows);
    line.value = rows;
  }, [log, rows.length]);
  useEffect(() => {
    // Before the oldest one that is known there may be another.
    if (!isStill && !isRefused && (place === -1 || place === rows.length - 1)) more();
  });
  const isNone = log !== undefined && place === -1 && !hasMore;
  // While nobody knows, there may be.
  const mayHaveMore = (log === undefined || hasMore) && !isRefused;
  const none = isNone ? `No commit of this home is ${commit.slice(0, 40)}. Choose one in Record, or go back to live.` : undefined;
  return { entries: rows, place, hasMore: mayHaveMore, why: (isRefused ? refused.why : unlisted?.error) ?? none };
}
