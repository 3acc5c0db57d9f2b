/** Which team files are as a sync brought them, by their bytes, so that an edit by hand is another file. spec/agents.md, "Team files". */
import { POOL_PATH, TEAM_BYTES } from "../../objects/agent/team.ts";
import { readOr } from "../../objects/format/file-error.ts";
import { sessionOfTeam } from "../../objects/session/session.ts";
import { sha256 } from "../../store/digest.ts";
import { entries } from "../../store/read/list-folder.ts";
import { readText } from "../../store/read/read-file.ts";
import type { Store } from "../../store/root.ts";
import { removeFile } from "../../store/write/move-file.ts";
import { place } from "../../store/write/publish.ts";
import type { World } from "../../world.ts";
import { findMachineStore, machineStore, readMachine } from "../machine.ts";

/** A digest in hexadecimal, and room for what a hand adds. */
const SIGN_BYTES = 1_024;
const arrivedPath = (file: string): string => `arrived/${sha256(file).slice(0, 32)}`;

/** Notes the team files that a sync brought. */
export function noteTeams(world: World, paths: readonly string[]): void {
  const files = paths.filter((at) => at === POOL_PATH || sessionOfTeam(at) !== null);
  if (files.length === 0) return;
  try {
    const store = machineStore(world);
    for (const file of files) place(store, arrivedPath(file), signOf(world, file));
  } catch {
    // Nothing can be kept here; what narrows an agent's tools counts at once then.
  }
}

/** Whether any team file is as a sync brought it, and nobody has read it since. */
export function hasArrived(world: World): boolean {
  const store = findMachineStore(world);
  if (store === null || entries(store, "arrived").length === 0) return false;
  const names = entries(world.home().store, ".").map(({ name }) => name);
  return [POOL_PATH, ...names.filter((name) => sessionOfTeam(name) !== null)].some((file) => isAsArrived(world, file));
}

/** Whether this team file is as a sync brought it. */
export function isAsArrived(world: World, file: string): boolean {
  if (findMachineStore(world) === null) return false;
  return readMachine(world, arrivedPath(file), SIGN_BYTES) === signOf(world, file);
}

/** Notes that somebody read what arrived. */
export function forgetArrivals(store: Store): void {
  for (const { name } of entries(store, "arrived")) removeFile(store, `arrived/${name}`);
}

/** The SHA-256 of a file of the home; of nothing where it is not there, or no text. */
const signOf = (world: World, file: string): string =>
  readOr(sha256(""), () => sha256(readText(world.home().store, file, TEAM_BYTES) ?? ""));
