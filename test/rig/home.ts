/** Homes, and the worlds in which operations are called on them. */
import fs from "node:fs";
import path from "node:path";
import { createWorld, operations, perform, type World, type WorldOptions } from "../../protocol/index.ts";
import { OFFICE } from "../../protocol/office/files/office-folder.ts";
import { acceptSettings } from "../../protocol/trust/files/accepted-settings.ts";
import { machineStore } from "../../protocol/trust/files/machine.ts";
import { scratch, stateHome } from "./scratch.ts";

/** A world on a folder; the clock and the dice can be held. The environment is empty unless given, but for where Relay keeps its state. */
export function worldAt(cwd: string, options: WorldOptions = {}): World {
  return createWorld({ cwd, ...options, env: { XDG_STATE_HOME: stateHome(), RELAY_NO_RECORDER: "1", ...options.env } });
}

/** Where this machine keeps what it needs to run the office of a home. @param cwd a folder of the project */
export const officeFolder = (cwd: string, options: WorldOptions = {}): string =>
  path.join(machineStore(worldAt(cwd, options)).root, OFFICE);

/** A home as plain files outside of git, with parts besides `main` and `human`. Gives the folder that holds it. */
export async function homeWith(...parts: string[]): Promise<string> {
  const folder = path.join(scratch(), "project");
  fs.mkdirSync(folder);
  await perform(worldAt(folder), operations.init, { parts });
  return folder;
}

/** Adds settings to a home's relay.yml, and accepts all that it has. @param lines as YAML */
export function settle(folder: string, lines = "", options: WorldOptions = {}): string {
  if (lines !== "") fs.appendFileSync(path.join(folder, ".relay/relay.yml"), lines);
  const world = worldAt(folder, options);
  acceptSettings(world, world.home().read().said);
  return folder;
}

/** Lets agents of a home send as much as a test has them send, without being taken to loop. */
export const chatty = (folder: string, options: WorldOptions = {}): string =>
  settle(folder, "loop: { identical: 1000000, per_minute: 1000000, exchange: 1000000 }\n", options);
