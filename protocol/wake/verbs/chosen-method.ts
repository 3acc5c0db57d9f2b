/** How a part is woken, from the stored choice and a new one. */
import path from "node:path";
import { readOr } from "../../core/format/file-error.ts";
import type { World } from "../../core/world.ts";
import { findProgram } from "../../store/program.ts";
import { type WakeMethod, wakeMethodOf } from "../files/who-rings.ts";

/** How a part is rung so far. What cannot be read any more is chosen anew, where somebody chooses. @throws FileError */
export function keptMethod(world: World, part: string, anew: boolean): WakeMethod {
  const read = (): WakeMethod => wakeMethodOf(world, part);
  return anew ? readOr<WakeMethod>({ deliver: "auto" }, read) : read();
}

/** The command: another one, or the earlier one, which may get another limit. */
export function chosenCommand(before: WakeMethod, argv: string[] | undefined, timeout_s: number | undefined): WakeMethod["exec"] {
  const limit = timeout_s === undefined ? {} : { timeout_s };
  if (argv !== undefined) return { argv, ...limit };
  return before.exec === undefined ? undefined : { ...before.exec, ...limit };
}

/** What is kept of a terminal: what `relay up` keeps stays, what the user named only where it may be used. */
export function chosenTerminal(before: WakeMethod, target: string | undefined, used: boolean): WakeMethod["tmux"] {
  const { target: earlier, ...rest } = before.tmux ?? {};
  const named = target ?? (used ? earlier : undefined);
  const tmux = named === undefined || named === "" ? rest : { ...rest, target: named };
  return Object.keys(tmux).length === 0 ? undefined : tmux;
}

/** What there is to say of a command before it fails at the first message. */
export function commandWarning(world: World, { exec }: WakeMethod, earlier: boolean): string | null {
  if (exec === undefined) return null;
  const [program = ""] = exec.argv;
  const folder = path.dirname(world.home().store.root);
  if (findProgram(program, folder, world.env["PATH"]) === null)
    return `no program ${JSON.stringify(program)} that can run was found${program.includes("/") ? ` (commands run in ${folder})` : " on the PATH"}`;
  return earlier ? "no command was given, so the earlier one is kept" : null;
}
