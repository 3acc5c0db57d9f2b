/**
 * The settings of `relay.yml` that a person accepted for this copy of the project, kept in the user's state folder: no edit of the home
 * and no push changes what counts here. spec/trust.md, "Settings".
 */
import type { Settings } from "../../core/config/config.ts";
import { type OwnSettings, ownSettings } from "../../core/config/settings.ts";
import { orElse } from "../../core/format/file-error.ts";
import { isObject } from "../../core/format/schema.ts";
import type { World } from "../../core/world.ts";
import { facts } from "../../store/read/facts.ts";
import { readText } from "../../store/read/read-file.ts";
import type { Store } from "../../store/root.ts";
import { place } from "../../store/write/publish.ts";
import { machineStore } from "./machine.ts";

const ACCEPTED = "settings.json";
/** More than the settings of a `relay.yml` of the greatest length take. */
const BYTES = 1_048_576;

/** A sign of the accepted settings, which changes with them. @param machine this machine's store; null where nothing was ever kept */
export function acceptedSign(machine: Store | null): string {
  const fact = machine === null ? null : orElse(null, () => facts(machine, ACCEPTED));
  return fact === null ? "none" : `${fact.inode} ${fact.size} ${fact.modifiedMs}`;
}

/** The settings that were accepted; none where nobody accepted any, or what is kept cannot be read. */
export function acceptedSettings(machine: Store | null): OwnSettings {
  return orElse({}, () => {
    const kept: unknown = JSON.parse((machine === null ? null : readText(machine, ACCEPTED, BYTES)) ?? "{}");
    return isObject(kept) ? kept : {};
  });
}

/** Lets the settings of a file count here from now on. @throws Refusal `no_state_folder` */
export const acceptSettings = (world: World, said: Settings): void =>
  place(machineStore(world), ACCEPTED, `${JSON.stringify(ownSettings(said))}\n`);
