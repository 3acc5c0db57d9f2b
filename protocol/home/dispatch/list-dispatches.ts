/** Lists dispatches: those that are at work, and the others by pages, so that what is over costs nothing until it is asked for. */
import { DISPATCHES, dispatchFolder } from "../../objects/dispatch/dispatch.ts";
import { parseThreadId, type ThreadLocation } from "../../objects/format/id.ts";
import { ambiguousId } from "../../refusal.ts";
import { facts } from "../../store/read/facts.ts";
import { names } from "../../store/read/list-folder.ts";
import type { World } from "../../world.ts";
import { ringing } from "./local-files.ts";
import { type DispatchState, readDispatch, readDispatchFiles } from "./read-dispatch.ts";

/** A page of dispatches. */
export interface DispatchPage {
  /**
   * So many, those that were made last first. The first page has besides those of this clone that may be at work; an old one of these
   * stands again on its own page.
   */
  dispatches: DispatchState[];
  /** The id that the next page continues after; null on the last page. */
  last: string | null;
}

/**
 * One page of all dispatches.
 * @param most so many besides those that are at work
 * @param after the id that the page before ended with; null for the first page
 */
export function dispatchPage(world: World, most: number, after: string | null): DispatchPage {
  const ids = newestIds(world, most + 1, after);
  const page = ids.slice(0, most);
  const own = after === null && world.past === undefined ? ringing(world.home().store) : [];
  const dispatches = [...new Set([...own, ...page])].flatMap((id) => readDispatch(world, id) ?? []);
  return {
    dispatches: dispatches.sort((a, b) => (a.dispatch.at < b.dispatch.at ? 1 : -1)),
    last: ids.length > most ? (page.at(-1) as string) : null,
  };
}

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
  const found = newestIds(world, SEARCHED, null).filter((id) => {
    const uuid = readDispatchFiles(store, id)?.dispatch.context.split(":").at(-1) ?? "";
    return [id, parseThreadId(id)?.random ?? "", uuid].some((text) => text.startsWith(piece));
  });
  if (found.length > 1) throw ambiguousId(given, found);
  return found[0] ?? null;
}

/** The ids of dispatches after one, those that were made last first. Costs a listing of each day that is on the page. */
function newestIds(world: World, most: number, after: string | null): string[] {
  const { store } = world.home();
  const from = after === null ? null : parseThreadId(after);
  const ids: string[] = [];
  for (const day of names(store, DISPATCHES).sort().reverse()) {
    if (from !== null && day > from.day) continue;
    const ofDay = idsOf(world, day);
    ids.push(...(from?.day === day ? ofDay.slice(ofDay.indexOf(after as string) + 1) : ofDay));
    if (ids.length >= most) break;
  }
  return ids.slice(0, most);
}

/** The ids of a day. Its file is written once, so the file's time is the order; of the past there is no time. */
function idsOf(world: World, day: string): string[] {
  const { store } = world.home();
  const madeMs = (key: ThreadLocation): number =>
    world.past === undefined ? (facts(store, `${dispatchFolder(key)}/dispatch.md`)?.modifiedMs ?? 0) : 0;
  return names(store, `${DISPATCHES}/${day}`)
    .flatMap((name) => {
      const id = `t-${day.replaceAll("-", "")}-${name}`;
      const key = parseThreadId(id);
      return key === null ? [] : [{ id, ms: madeMs(key) }];
    })
    .sort((a, b) => b.ms - a.ms || (a.id < b.id ? -1 : 1))
    .map(({ id }) => id);
}
