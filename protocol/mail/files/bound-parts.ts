/**
 * The parts that a person bound to this copy of the project: by making them here, or by acting as one of them. Only their drafts are sent, for
 * a draft may have come with the folder. spec/trust.md, "What this machine keeps".
 */
import { quietly } from "../../core/format/file-error.ts";
import { HUMAN } from "../../core/names.ts";
import type { World } from "../../core/world.ts";
import { exists } from "../../store/read/facts.ts";
import { publish } from "../../store/write/publish.ts";
import { findMachineStore, machineStore } from "../../trust/files/machine.ts";
import { mainHere, noteNames } from "../../trust/files/names-here.ts";
import { markName } from "../nouns/part.ts";
import { boundNamesOf, currentName, nameNow, ownName } from "./members.ts";

const markOf = (part: string): string => `bound/${markName(part)}`;

/** Binds parts to this copy. What fails here fails nobody: their drafts wait. */
export function bindHere(world: World, parts: readonly string[]): void {
  for (const part of parts) if (part !== HUMAN && !isBoundHere(world, part)) quietly(() => publish(machineStore(world), markOf(part), ""));
  noteNames(world);
}

/** Whether a part, by whatever name it had, is bound to this copy; `human` never is. */
export function isBoundHere(world: World, part: string): boolean {
  const store = findMachineStore(world);
  return store !== null && part !== HUMAN && boundNamesOf(world, nameNow(world, part)).some((name) => exists(store, markOf(name)));
}

/**
 * The part of the main worktree where no person made it another: the one that this machine noted as main, under its name of now. A push that makes another part main makes no worktree here that part.
 * @returns null where that part is gone, or not bound to this copy; its old name, which every call refuses, where it became another part
 */
export function partOfMainWorktree(world: World): string | null {
  const part = mainHere(world);
  return currentName(world, part) === null || !isBoundHere(world, part) ? null : (ownName(world, part) ?? part);
}
