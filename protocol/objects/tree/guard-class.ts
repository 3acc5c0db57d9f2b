/** How a path is guarded against what a push takes away or changes, by the path alone. spec/git.md, "Guard". */
import { arrivalOf } from "./arrival.ts";
import { type PlaceKind, placeOf } from "./layout.ts";
import { PLAIN_MODE } from "./record.ts";

/**
 * `once`: written once, the first bytes stay. `kept`: edited, but never gone. `unread`: a name in `new/`, gone once it is
 * acked. `stranger`: not in the layout, so git decides. `attempt`: may not lie in a home at all.
 */
export type GuardClass = "once" | "kept" | "unread" | "stranger" | "attempt";

const CLASSES: Readonly<Record<Exclude<PlaceKind, "machine">, GuardClass>> = {
  message: "once",
  acked: "once",
  session: "once",
  ended: "once",
  reopened: "once",
  review: "once",
  result: "once",
  decision: "once",
  claim: "once",
  artifact: "once",
  content: "once",
  version: "once",
  label: "once",
  archive: "once",
  forgotten: "once",
  refused: "once",
  // A guest may go and come again.
  guest: "kept",
  thread: "kept",
  task: "kept",
  memory: "kept",
  summary: "kept",
  state: "kept",
  team: "kept",
  pool: "kept",
  events: "kept",
  usage: "kept",
  config: "kept",
  text: "kept",
  unread: "unread",
  ignored: "stranger",
};

/** The class of a path. */
export function guardClass(path: string): GuardClass {
  const arrival = arrivalOf({ path, mode: PLAIN_MODE });
  if (arrival !== "known") return arrival;
  const place = placeOf(path);
  // What is known beside a file of the layout, such as what gave way in a merge, is no file of it.
  return place === null || place.kind === "machine" ? "stranger" : CLASSES[place.kind];
}
