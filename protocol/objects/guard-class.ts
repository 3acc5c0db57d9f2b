/** How a path is guarded against what a push takes away or changes, by the path alone. SPEC.md, "Guard". */
import { type PlaceKind, placeOf } from "./layout.ts";
import { isShared } from "./record.ts";

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
  review: "once",
  result: "once",
  decision: "once",
  claim: "once",
  artifact: "once",
  content: "once",
  version: "once",
  label: "once",
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
  const place = placeOf(path);
  if (place?.kind === "machine" || !isShared(path)) return "attempt";
  return place === null ? "stranger" : CLASSES[place.kind];
}
