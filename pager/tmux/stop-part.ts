/** `relay down`: the program of a part ends, and then its window. spec/waking.md, "Parts in tmux". */
import { setTimeout as pause } from "node:timers/promises";
import type { World } from "../../protocol/index.ts";
import { lifeOf, processOf } from "../../protocol/store/process.ts";
import { foreground } from "./foreground.ts";
import { must, paneOf } from "./parts-in-tmux.ts";
import { tmux } from "./tmux-command.ts";
import { keepTerminal, terminalOf } from "./tmux-rung.ts";

/** How long a program may take to end by itself, and then to be killed. */
const END_MS = 5_000;
const KILL_MS = 2_000;

/** How a part that was started here came to its end. */
export type Ended = "ended" | "killed" | "not_up";

/** Ends a part that `startPart` started: asks its program to end, waits, then kills. @param force kills at once */
export async function stopPart(world: World, part: string, force: boolean): Promise<Ended> {
  const pane = await paneOf(world, part);
  // What it is started with stays known; where it was does not.
  if (terminalOf(world, part) !== null) keepTerminal(world, part, { socket: undefined, process: undefined });
  if (pane === null) return "not_up";
  const ours = await must(pane.server, ["display-message", "-p", "-t", pane.id, "#{@relay_up}"]);
  if (ours !== "1") return "not_up";
  const first = processOf(pane.pid);
  const gone = async (): Promise<boolean> => (await paneOf(world, part))?.id !== pane.id;
  if (!force) {
    for (const { pid } of await foreground(pane.pid)) signal(pid, "SIGTERM");
    if (await within(END_MS, gone)) return "ended";
  }
  await tmux(pane.server, ["kill-pane", "-t", pane.id]);
  // Who ignores that its terminal is gone is not asked again.
  const dead = async (): Promise<boolean> => first === null || lifeOf(first) === "gone";
  if (!(await within(KILL_MS, dead))) signal(pane.pid, "SIGKILL");
  return "killed";
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // Gone already.
  }
}

async function within(ms: number, isSo: () => Promise<boolean>): Promise<boolean> {
  for (const end = performance.now() + ms; performance.now() < end; await pause(50)) if (await isSo()) return true;
  return isSo();
}
