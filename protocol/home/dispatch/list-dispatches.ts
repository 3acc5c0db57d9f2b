/** Dispatches of a home, the newest first. */
import { DISPATCHES } from "../../objects/dispatch/dispatch.ts";
import { parseThreadId } from "../../objects/format/id.ts";
import { names } from "../../store/read.ts";
import type { World } from "../../world.ts";
import { messageKeys, readThread } from "../thread/threads.ts";
import { ringing } from "./local-files.ts";
import { type DispatchState, readDispatch } from "./read-dispatch.ts";

/** The ids of dispatches, those that began last first. Costs one listing a day. @param most so many */
export function dispatchIds(world: World, most: number): string[] {
  const { store } = world.home();
  const ids: string[] = [];
  for (const day of names(store, DISPATCHES).sort().reverse()) {
    for (const name of names(store, `${DISPATCHES}/${day}`).sort()) {
      const id = `t-${day.replaceAll("-", "")}-${name}`;
      if (parseThreadId(id) !== null) ids.push(id);
    }
    if (ids.length >= most) break;
  }
  return ids.slice(0, most);
}

/** Those of this clone that may be at work, and the newest of all, each once. */
export function listDispatches(world: World, most: number): DispatchState[] {
  const own = world.past === undefined ? ringing(world.home().store) : [];
  const ids = [...new Set([...own, ...dispatchIds(world, most)])];
  return ids.flatMap((id) => readDispatch(world, id) ?? []).sort((a, b) => (a.dispatch.at < b.dispatch.at ? 1 : -1));
}

/** The subject of a dispatch's thread. */
export function subjectAt(world: World, { key }: Pick<DispatchState, "key">): string {
  const { store } = world.home();
  return readThread(store, key, messageKeys(store, key), [])?.subject ?? "";
}
