/**
 * Keeps how a part is rung on this machine, and the program that `relay up` starts it with, as a person chose it. spec/waking.md,
 * "The ladder".
 */
import { orElse } from "../../core/format/file-error.ts";
import type { World } from "../../core/world.ts";
import { sha256 } from "../../store/digest.ts";
import { readText } from "../../store/read/read-file.ts";
import type { Store } from "../../store/root.ts";
import { place } from "../../store/write/publish.ts";
import { requireVisible } from "../../trust/files/grants.ts";
import { machineStore } from "../../trust/files/machine.ts";
import { noteOnMachine } from "../../trust/files/machine-notes.ts";
import { noteNames } from "../../trust/files/names-here.ts";
import { METHOD_BYTES, type WakeMethod, wakeMethodPath } from "./who-rings.ts";

/**
 * Keeps how a part is rung here. Whoever calls it was asked to by a person at this machine.
 * @throws Refusal `no_state_folder`; `invalid_argument` for a command that a person cannot see whole
 */
export function setWakeMethod(world: World, part: string, delivery: WakeMethod): void {
  const commands = [delivery.exec?.argv, delivery.tmux?.["argv"] as string[] | undefined];
  for (const argv of commands) requireVisible(argv ?? []);
  const store = machineStore(world);
  const text = `${JSON.stringify(delivery, null, 2)}\n`;
  const before = allowedBy(store, part);
  place(store, wakeMethodPath(part), text);
  noteNames(world);
  const now = allowedBy(store, part);
  if (now !== before && now !== null) {
    const argv = commands.flatMap((words) => words ?? []);
    noteOnMachine(world, store, { parts: [part], digest: sha256(now), subject: `granted: how ${part} is rung and started`, argv });
  }
}

/** What a part's file lets run or type, as one text; null where there is nothing of it. */
function allowedBy(store: Store, part: string): string | null {
  return orElse(null, () => {
    const { exec, tmux } = JSON.parse(readText(store, wakeMethodPath(part), METHOD_BYTES) ?? "{}") as WakeMethod;
    const allowed = [exec?.argv, tmux?.["argv"], tmux?.["cwd"], tmux?.["target"]];
    return allowed.every((each) => each === undefined) ? null : JSON.stringify(allowed);
  });
}
