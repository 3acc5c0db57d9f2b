/** Which parts live on this machine: those that a connection or a command was bound to here lately. spec/trust.md, "Notices". */
import { partProblem } from "../../objects/part/part.ts";
import { place } from "../../store/files.ts";
import { facts, names } from "../../store/read.ts";
import type { World } from "../../world.ts";

const FOLDER = "local/lives";
const DAY_MS = 86_400_000;
/** A part that nobody was here for so long lives elsewhere by now. */
const LIVES_DAYS = 30;

// A part's segments are folders, and one part's name may be the beginning of another's.
const nameOf = (part: string): string => part.replaceAll("/", "+");

/** Parts that this process has noted, by home; once a process is enough. */
const noted = new Set<string>();

/** Notes that a part is bound here. One look at the disk for each process; a write once a day. What fails fails nobody. */
export function noteLives(world: World, part: string): void {
  if (part === "" || world.past !== undefined || world.me.how === "viewer") return;
  const { store } = world.home();
  const target = `${FOLDER}/${nameOf(part)}`;
  const key = `${store.root} ${target} ${Math.floor(Date.now() / DAY_MS)}`;
  if (noted.has(key)) return;
  noted.add(key);
  try {
    const fact = facts(store, target);
    if (fact === null || Date.now() - fact.modifiedMs > DAY_MS) place({ ...store, durable: false }, target, "");
  } catch {
    // A home that cannot be written tells nobody of what others did to it.
  }
}

/** The parts that live here, by name. */
export function partsHere(world: World): string[] {
  const { store } = world.home();
  return names(store, FOLDER)
    .map((name) => name.replaceAll("+", "/"))
    .filter((part) => partProblem(part) === null)
    .filter((part) => Date.now() - (facts(store, `${FOLDER}/${nameOf(part)}`)?.modifiedMs ?? 0) < LIVES_DAYS * DAY_MS)
    .sort();
}
