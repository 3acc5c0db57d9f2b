/** The command by which other programs start this Relay. */
import { findProgram } from "../../store/program.ts";
import type { Starter } from "../names.ts";
import type { World } from "../world.ts";

/** The command by which other programs start this Relay: its name where the path leads to one, else the place where it lies. */
export function starterOf(world: World, script: string | undefined): Starter {
  if (findProgram("relay", world.cwd, world.env["PATH"]) !== null) return { program: "relay", args: [] };
  return script === undefined ? { program: "relay", args: [] } : { program: process.execPath, args: [script] };
}
