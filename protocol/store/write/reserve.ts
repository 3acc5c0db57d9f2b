/**
 * Publishing on a disk without hard links (FAT, some network mounts): the name is reserved by an exclusive create, then a whole
 * copy is renamed over the reservation. SPEC.md, "Rules of the disk".
 *
 * A writer that is killed in between leaves an empty file. So each writer first leaves a note in `run/reserve/`, named by its
 * process and the name it wants. An empty file is a dead writer's when no living process has a note for it. Who takes it over
 * renames the dead writer's note to its own: a rename consumes its source, so one of several gets it.
 */
import fs from "node:fs";
import path from "node:path";
import { quietly, succeeds } from "../../core/format/file-error.ts";
import { sha256 } from "../digest.ts";
import { held } from "../held.ts";
import { lifeOf, thisThread } from "../process.ts";
import { ageMs, facts } from "../read/facts.ts";
import { names } from "../read/list-folder.ts";
import { readText } from "../read/read-file.ts";
import { ASIDE, absolute, errorCode, guard, type Store, unlinkQuietly } from "../root.ts";
import { moveHeld } from "./move-file.ts";

/** Where the notes lie. */
export const RESERVATIONS = "run/reserve";
/** A writer that cannot be seen from here is given up after so long. */
const ABANDONED_MS = 600_000;
const PATH_BYTES = 4_096;
const ROUNDS = 64;
let counter = 0;

/**
 * Gives a copy of a file a name, if nobody has the name yet. The folder of the name, and that of the notes, are there.
 * @param source absolute path of a whole file
 * @param target path in the home
 * @throws the errors of the disk
 */
export function copyExclusively(store: Store, source: string, target: string): "created" | "exists" {
  counter += 1;
  const mine = `${RESERVATIONS}/${thisThread()}.${counter}.${hashOf(target)}`;
  // This process's own: nobody reads it, and no other copies to it.
  const copy = absolute(store, `${ASIDE}/${thisThread()}.copy-${counter}`);
  try {
    copyWhole(store, source, copy);
    held(store.root, absolute(store, mine), (own) => fs.writeFileSync(own, target, { flag: "wx" }));
    if (!reserve(store, absolute(store, target))) {
      unlinkQuietly(store, absolute(store, mine));
      if (facts(store, target)?.size !== 0 || !takeOver(store, target, mine)) return "exists";
    }
    moveHeld(store, copy, absolute(store, target));
    return "created";
  } finally {
    unlinkQuietly(store, copy);
    unlinkQuietly(store, absolute(store, mine));
  }
}

const hashOf = (target: string): string => sha256(target).slice(0, 24);

function copyWhole(store: Store, source: string, copy: string): void {
  held(store.root, copy, (own) => fs.copyFileSync(source, own));
  if (!store.durable) return;
  const descriptor = fs.openSync(copy, "r+");
  try {
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

/** @returns false when the name is taken */
function reserve({ root }: Store, at: string): boolean {
  try {
    held(root, at, (own) => fs.closeSync(fs.openSync(own, "wx")));
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
}

/**
 * Takes a reservation over from writers that are gone.
 * @param mine the note that this writer has from then on
 * @returns false where it is somebody's who lives, or where nothing says whose it was
 */
function takeOver(store: Store, target: string, mine: string): boolean {
  for (let round = 0; round < ROUNDS; round += 1) {
    const notes = notesFor(store, target);
    const [dead] = notes.filter(({ left }) => left).sort((a, b) => (a.path < b.path ? -1 : 1));
    if (dead === undefined || notes.some(({ left }) => !left)) return false;
    try {
      moveHeld(store, absolute(store, dead.path), absolute(store, mine));
    } catch (error) {
      if (errorCode(error) === "ENOENT") continue;
      throw error;
    }
    // A listing can miss a note that was renamed meanwhile, so it is made again now that this writer's own is there.
    const alone = notesFor(store, target).every(({ path: at, left }) => left || at === mine);
    return alone && facts(store, target)?.size === 0;
  }
  return false;
}

/** Whether an empty file is a name that a writer reserved: it is whole, or free, in a moment. */
export const isReserved = (store: Store, target: string): boolean => facts(store, target)?.size === 0 && notesFor(store, target).length > 0;

/** The notes of writers that want a name, and whether each is of one that is gone. */
function notesFor(store: Store, target: string): { path: string; left: boolean }[] {
  const ending = `.${hashOf(target)}`;
  return names(store, RESERVATIONS).flatMap((name) => {
    const at = `${RESERVATIONS}/${name}`;
    return name.endsWith(ending) ? [{ path: at, left: isLeft(store, at, name) }] : [];
  });
}

function isLeft(store: Store, at: string, name: string): boolean {
  const life = lifeOf(name.split("-").slice(0, 4).join("-"));
  return life === "gone" || (life === "unknown" && (ageMs(store, at) ?? 0) > ABANDONED_MS);
}

/** What killed writers left: their notes, each with the name that is reserved and empty, where it is. */
function leftReservations(store: Store): { note: string; target: string | null }[] {
  // Every call asks, and a disk with hard links never has any.
  if (facts(store, RESERVATIONS) === null) return [];
  return names(store, RESERVATIONS).flatMap((name) => {
    const note = `${RESERVATIONS}/${name}`;
    if (!isLeft(store, note, name)) return [];
    const wanted = readText(store, note, PATH_BYTES) ?? "";
    // A note that came with the folder may name anything.
    const isOwn = wanted !== "" && name.endsWith(`.${hashOf(wanted)}`) && succeeds(() => guard(store, path.posix.dirname(wanted)));
    return [{ note, target: isOwn && facts(store, wanted)?.size === 0 ? wanted : null }];
  });
}

/**
 * Frees the names that killed writers reserved. Only the process that took over the note of one removes its empty file. A disk
 * that cannot be written keeps them.
 */
export function freeReservations(store: Store): void {
  for (const left of leftReservations(store)) {
    // Where it fails, the next operation tries again.
    quietly(() => free(store, left));
  }
}

function free(store: Store, { note, target }: { note: string; target: string | null }): void {
  if (target === null) {
    unlinkQuietly(store, absolute(store, note));
    return;
  }
  counter += 1;
  const mine = `${RESERVATIONS}/${thisThread()}.${counter}.${hashOf(target)}`;
  if (takeOver(store, target, mine)) unlinkQuietly(store, absolute(store, target));
  unlinkQuietly(store, absolute(store, mine));
}
