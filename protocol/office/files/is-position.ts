/** Whether a name is a position's, asked of each name that no part and no guest has. spec/office.md, "Positions". */

import type { Home } from "../../core/home/home.ts";
import type { World } from "../../core/world.ts";
import { exists } from "../../store/read/facts.ts";
import { names } from "../../store/read/list-folder.ts";
import type { Store } from "../../store/root.ts";
import { fileSlug, OFFICE_LEAD } from "../nouns/name.ts";
import { OFFICE_PATH, PROJECTS } from "../nouns/org-files.ts";
import type { Office } from "../nouns/positions.ts";
import { inspectOffice } from "./read-office.ts";

/** The positions that a call read, by its home: a home is opened anew for each call. */
const ofCalls = new WeakMap<Home, Office["positions"]>();

/** Whether ids can begin so: with `om`, or with a project that has a folder. A listing says it, and no file is read. */
const isPlace = (store: Store, first: string): boolean =>
  first === OFFICE_LEAD || names(store, PROJECTS).some((project) => fileSlug(project) === first);

/**
 * Whether a name is a position's. Every position is `om`, or has a slash in its name, so that no file is read for most names. What can
 * be read of an office with faults counts here: nobody loses mail by a fault, and nobody is given work.
 */
export function isPosition(world: World, name: string): boolean {
  if (name !== OFFICE_LEAD && !name.includes("/")) return false;
  const home = world.home();
  if (!exists(home.store, OFFICE_PATH) || !isPlace(home.store, name.split("/", 1)[0] as string)) return false;
  const known = home.ofCall === undefined ? undefined : ofCalls.get(home);
  const positions = known ?? inspectOffice(home.store).office?.positions ?? new Map();
  if (home.ofCall !== undefined) ofCalls.set(home, positions);
  return positions.has(name);
}
