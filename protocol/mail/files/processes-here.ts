/**
 * The processes that began for this copy of the project on this machine. They are noted in the user's state folder, because a file of the
 * home may name any process. spec/trust.md, "What this machine keeps".
 */
import { orElse, quietly } from "../../core/format/file-error.ts";
import type { World } from "../../core/world.ts";
import { lifeOf, thisProcess } from "../../store/process.ts";
import { ageMs, exists } from "../../store/read/facts.ts";
import { names } from "../../store/read/list-folder.ts";
import { removeFile } from "../../store/write/move-file.ts";
import { place } from "../../store/write/publish.ts";
import { findMachineStore, machineStore } from "../../trust/files/machine.ts";

/** The work of a process for a copy: the name of the folder where that is noted. */
export type Work = "pagers" | "connections";

/** A process that cannot be seen from here is forgotten after so long. */
const UNSEEN_MS = 30 * 86_400_000;

/** Number of times that this process noted itself and did not take it back, by the path of the note. */
const noted = new Map<string, number>();

/** Notes that this process works for this copy, where the state folder can be written. @returns takes the note back */
export function noteProcess(world: World, work: Work): () => void {
  const store = world.home().store.foreign === null ? orElse(null, () => machineStore(world)) : null;
  if (store === null) return () => {};
  const own = `${work}/${thisProcess()}`;
  const key = `${store.root} ${own}`;
  const before = noted.get(key) ?? 0;
  noted.set(key, before + 1);
  if (before === 0)
    quietly(() => {
      for (const name of names(store, work)) if (isOver(name, ageMs(store, `${work}/${name}`))) removeFile(store, `${work}/${name}`);
      place({ ...store, durable: false }, own, "");
    });
  return () => {
    const left = (noted.get(key) ?? 1) - 1;
    noted.set(key, left);
    if (left === 0) quietly(() => removeFile(store, own));
  };
}

const isOver = (process: string, age: number | null): boolean => {
  const life = lifeOf(process);
  return life === "gone" || (life === "unknown" && (age ?? 0) > UNSEEN_MS);
};

/** Tells whether a process began here for this copy. @param process as a file of the home describes it */
export function isNotedHere(world: World, work: Work, process: string): boolean {
  const store = findMachineStore(world);
  return store !== null && /^[\w-]+$/.test(process) && exists(store, `${work}/${process}`);
}
