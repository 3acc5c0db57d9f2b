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
import { noteNames } from "../../trust/files/names-here.ts";
import { markName } from "../nouns/part.ts";
import { boundNamesOf, nameNow } from "./members.ts";

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
