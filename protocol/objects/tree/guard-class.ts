/** How a path is guarded against deletions and changes by a push, from the path alone. spec/git.md, "Guard". */
import { arrivalOf } from "./arrival.ts";
import { nounAt } from "./layout.ts";
import { PLAIN_MODE } from "./record.ts";

/**
 * `once`: written once, the first bytes stay. `kept`: edited, but never gone. `unread`: a name in `new/`, gone once it is
 * acked. `stranger`: not in the layout, so git decides. `attempt`: may not lie in a home at all.
 */
export type GuardClass = "once" | "kept" | "unread" | "stranger" | "attempt";

/** The class of a path. */
export function guardClass(path: string): GuardClass {
  const arrival = arrivalOf({ path, mode: PLAIN_MODE });
  // What is known beside a file of the layout, such as what gave way in a merge, is no file of it.
  return arrival === "known" ? (nounAt(path)?.noun.guard ?? "stranger") : arrival;
}
