/** Signs of life: when each part last did something on this machine. spec/waking.md, "Stuck agents". */
import { LIFE, lifePath, partOfMark } from "../../objects/part/life.ts";
import { partProblem } from "../../objects/part/part.ts";
import { place, touch } from "../../store/files.ts";
import { facts, names } from "../../store/read.ts";
import type { World } from "../../world.ts";
import { currentName } from "./members.ts";
import { namesOf } from "./same-part.ts";

/** A mark is moved on this often at the most, so that calls cost nothing more. */
export const MARK_MS = 60_000;
/** When this process last marked a part, by the home and the part. */
const marked = new Map<string, number>();
const MARKED_ENTRIES = 10_000;

/** Notes that a part did something just now. What fails fails nobody: the mark is disposable. */
export function noteLife(world: World, part: string): void {
  if (part === "" || world.past !== undefined || world.me.how === "viewer") return;
  const { store } = world.home();
  const now = world.now();
  const key = `${store.root} ${part}`;
  if (Math.abs(now - (marked.get(key) ?? Number.NEGATIVE_INFINITY)) < MARK_MS) return;
  if (marked.size >= MARKED_ENTRIES) marked.clear();
  marked.set(key, now);
  if (!store.foreign && Math.abs(now - lifeMs(world, part)) >= MARK_MS) markLife(world, part, now);
}

/** Moves the mark of a part to an instant, in milliseconds since the epoch. */
export function markLife(world: World, part: string, atMs: number): void {
  const { store } = world.home();
  try {
    if (touch(store, lifePath(part), atMs)) return;
    place({ ...store, durable: false }, lifePath(part), "");
    touch(store, lifePath(part), atMs);
  } catch {
    // A home that cannot be written watches over nobody.
  }
}

/** When a part, by whatever name it had, last showed a sign of life here, in milliseconds since the epoch; 0 for never. */
export function lifeMs(world: World, part: string): number {
  const { store } = world.home();
  return Math.max(0, ...namesOf(world, part).map((name) => Math.floor(facts(store, lifePath(name))?.modifiedMs ?? 0)));
}

/** The parts and guests of now that ever showed a sign of life here. */
export function partsWithLife(world: World): string[] {
  const found = names(world.home().store, LIFE)
    .map(partOfMark)
    .filter((part) => partProblem(part) === null)
    .flatMap((part) => currentName(world, part) ?? []);
  return [...new Set(found)].sort();
}
