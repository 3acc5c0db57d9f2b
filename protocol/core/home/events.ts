/** Events as they are recorded: each clone appends its own, by the day. spec/messages.md, "Events". */

import { names } from "../../store/read/list-folder.ts";
import { readLines } from "../../store/read/read-lines.ts";
import { EVENT_ID, eventsFolder } from "../event/event.ts";
import { orElse } from "../format/file-error.ts";
import type { World } from "../world.ts";

/**
 * Whether an event is recorded here. Reads the events of its day.
 * @param clone the one that recorded it; any where it is left out
 */
export function hasEvent(world: World, id: string, clone?: string): boolean {
  const { store } = world.home();
  const folder = EVENT_ID.test(id) ? eventsFolder(id) : null;
  if (folder === null) return false;
  const said = JSON.stringify(id);
  return names(store, folder).some(
    (name) =>
      (clone === undefined ? name.endsWith(".jsonl") : name === `${clone}.jsonl`) &&
      readLines(store, `${folder}/${name}`, 0).lines.some((line) => line.includes(said) && idOf(line) === id),
  );
}

const idOf = (line: string): unknown => orElse(null, () => (JSON.parse(line) as { id?: unknown } | null)?.id);
