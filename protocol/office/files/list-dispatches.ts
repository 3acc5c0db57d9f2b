/** Lists dispatches: those that are at work, and the others by pages, so that what is over costs nothing until it is asked for. */

import { parseThreadId, type ThreadLocation } from "../../core/format/id.ts";
import { ambiguousId } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { facts } from "../../store/read/facts.ts";
import { names } from "../../store/read/list-folder.ts";
import { DISPATCHES, dispatchFolder } from "../nouns/dispatch.ts";
import { ringing } from "./local-files.ts";
import { inOffice, OFFICE } from "./office-folder.ts";
import { type DispatchState, readDispatch, readDispatchFiles } from "./read-dispatch.ts";

/** A page of dispatches. */
export interface DispatchPage {
  /**
   * So many, those of this clone first, then those of others; each with those first that were made last. The first page has besides those
   * of this clone that may be at work; an old one of these stands again on its own page.
   */
  dispatches: DispatchState[];
  /** The place that the next page continues after; null on the last page. */
  last: string | null;
}

/**
 * One page of all dispatches.
 * @param most so many besides those that are at work
 * @param after the place that the page before ended with; null for the first page
 */
export function dispatchPage(world: World, most: number, after: string | null): DispatchPage {
  const places = newestPlaces(world, most + 1, after === null ? null : readPlace(after));
  const page = places.slice(0, most);
  const own = after === null && world.past === undefined ? ringing(world.home().store) : [];
  const ids = [...new Set([...own, ...page.map(({ id }) => id)])];
  const dispatches = ids.flatMap((id) => readDispatch(world, id) ?? []);
  return {
    dispatches: dispatches.sort((a, b) => Number(b.isOwn) - Number(a.isOwn) || (a.dispatch.at < b.dispatch.at ? 1 : -1)),
    last: places.length > most ? placeText(page.at(-1) as Place) : null,
  };
}

/** The ids of the dispatches that were made last, as the list has them. @param most so many */
export const newestDispatches = (world: World, most: number): string[] => newestPlaces(world, most, null).map(({ id }) => id);

/** So many dispatches are searched for a piece, those that were made last. */
const SEARCHED = 500;

/**
 * The dispatch that a person means by a piece of 3 characters or more: the beginning of its thread's id, of that id's random characters, or
 * of the UUID of its context. Those that were made last are searched.
 * @returns its id; null where none fits
 * @throws Refusal `ambiguous_id`
 */
export function dispatchMeant(world: World, given: string): string | null {
  const piece = given.toLowerCase();
  if (!/^[0-9a-z-]{3,}$/.test(piece)) return null;
  const { store } = world.home();
  const ids = newestDispatches(world, SEARCHED);
  const found = ids.filter((id) => {
    const uuid = readDispatchFiles(store, id)?.dispatch.context.split(":").at(-1) ?? "";
    return [id, parseThreadId(id)?.random ?? "", uuid].some((text) => text.startsWith(piece));
  });
  if (found.length > 1) throw ambiguousId(given, found);
  return found[0] ?? null;
}

/** Where a dispatch stands in the list. */
interface Place {
  id: string;
  /** When its file was laid, of whole milliseconds, 1 where there is none; 0 in a list that is in the order of ids. */
  ms: number;
}

const placeText = ({ id, ms }: Place): string => `${id}-${ms}`;
function readPlace(text: string): Place {
  const [, id = text, ms = "0"] = /^(t-\d{8}-\w+)-(\d+)$/.exec(text) ?? [];
  return { id, ms: Number(ms) };
}
/** The order of a day. */
const inDay = (a: Place, b: Place): number => b.ms - a.ms || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
const dayOf = (id: string): string => parseThreadId(id)?.day ?? "";

/** Of a day with more dispatches nobody asks for the time of each: a push may lay any number. */
const TIMED = 1_000;
/** A list that began in the order of times goes on so while a day grows to so many; of more it begins that day again. */
const STILL_TIMED = 10_000;
const DAY_MS = 86_400_000;

/**
 * The places of dispatches after one: those of this clone, then those of others, and last what says that it is of a day after tomorrow.
 * Costs the names of this clone's own, and a listing of each day of others that is on the page.
 */
function newestPlaces(world: World, most: number, after: Place | null): Place[] {
  const { store } = world.home();
  const tomorrow = new Date(world.now() + DAY_MS).toISOString().slice(0, 10);
  const own = new Map<string, string[]>();
  if (world.past === undefined)
    for (const id of inOffice(store, [], (office) => names(office, OFFICE)).filter((name) => parseThreadId(name) !== null))
      own.set(dayOf(id), [...(own.get(dayOf(id)) ?? []), id]);
  const isOwn = (id: string): boolean => own.get(dayOf(id))?.includes(id) === true;
  const idsOf = (day: string): string[] => names(store, `${DISPATCHES}/${day}`).map((name) => `t-${day.replaceAll("-", "")}-${name}`);
  const othersOf = (day: string): string[] => idsOf(day).filter((id) => parseThreadId(id) !== null && !isOwn(id));
  const days = names(store, DISPATCHES);
  const groups: { days: string[]; idsOf: (day: string) => readonly string[]; has: (id: string) => boolean }[] = [
    { days: [...own.keys()], idsOf: (day) => own.get(day) ?? [], has: isOwn },
    { days: days.filter((day) => day <= tomorrow), idsOf: othersOf, has: (id) => dayOf(id) <= tomorrow },
    { days: days.filter((day) => day > tomorrow), idsOf: othersOf, has: () => true },
  ];
  const begun = after === null ? 0 : groups.findIndex(({ has }) => has(after.id));
  const found: Place[] = [];
  for (const [at, group] of groups.slice(begun).entries()) {
    const from = at === 0 ? after : null;
    for (const day of group.days.sort().reverse()) {
      if (from !== null && day > dayOf(from.id)) continue;
      const last = from !== null && day === dayOf(from.id) ? from : null;
      const ofDay = placesOf(world, group.idsOf(day), last).sort(inDay);
      found.push(...(last === null ? ofDay : ofDay.filter((each) => inDay(each, last) > 0)));
      if (found.length >= most) return found.slice(0, most);
    }
  }
  return found;
}

/**
 * The places of the dispatches of a day. The file of one is written once, so its time is the order; of the past there is no time.
 * @param last the place of this day that the page before ended with: the list goes on in its order, however many came meanwhile
 */
function placesOf(world: World, ids: readonly string[], last: Place | null): Place[] {
  const { store } = world.home();
  const isTimed = world.past === undefined && (last === null ? ids.length <= TIMED : last.ms > 0 && ids.length <= STILL_TIMED);
  const madeMs = (id: string): number =>
    Math.max(1, Math.floor(facts(store, `${dispatchFolder(parseThreadId(id) as ThreadLocation)}/dispatch.md`)?.modifiedMs ?? 0));
  return ids.map((id) => ({ id, ms: isTimed ? madeMs(id) : 0 }));
}
