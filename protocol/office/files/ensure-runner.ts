/** Sees to it that somebody runs turns: the runner of this home, which is started where none lives. spec/office.md, "Runner". */

import { LAUNCH_VARIABLE, TOKEN_VARIABLE } from "../../core/names.ts";
import type { World } from "../../core/world.ts";
import { ownCommand } from "../../store/program.ts";
import { ringing } from "./local-files.ts";
import { readDispatch } from "./read-dispatch.ts";
import { isRunnerThere } from "./runner-hold.ts";

/** Set to anything, it keeps a process from starting a runner: in a test that plays the runner itself. */
const NO_RUNNER = "RELAY_NO_RUNNER";

/** Whether this process may start a runner; else another one runs what it begins. */
export const mayStartRunner = ({ env }: World): boolean => (env[NO_RUNNER] ?? "") === "";

/** Whether a turn of this clone runs or is to begin. */
export const isTurnDue = (world: World): boolean =>
  ringing(world.home().store).some((id) => ["queued", "running"].includes(readDispatch(world, id)?.state ?? ""));

/**
 * Starts the runner of this home where work waits and no runner lives; it goes on by itself. Of several that are started at once one stays.
 * A program that is not Relay's own starts none: the next command, server or pager does.
 * @returns whether one was started by this call
 */
export function ensureRunner(world: World): boolean {
  const { store } = world.home();
  if (store.foreign !== null || ringing(store).length === 0 || isRunnerThere(store)) return false;
  const script = ownCommand();
  if (!mayStartRunner(world) || script === null) return false;
  const { spawn } = process.getBuiltinModule("node:child_process");
  const { [TOKEN_VARIABLE]: _token, [LAUNCH_VARIABLE]: _launch, RELAY_PART: _part, ...env } = world.env;
  const child = spawn(process.execPath, [script, "office", "run", "--home", store.root], {
    cwd: store.root,
    env,
    detached: true,
    stdio: "ignore",
  });
  child.once("error", () => {});
  child.unref();
  return true;
}
