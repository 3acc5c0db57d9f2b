/** The parts whose terminal shows a question. Terminals are read only when a command asks, so that it costs nothing otherwise. spec/waking.md, "Waking in tmux". */
import type { World } from "../../protocol/index.ts";
import { agentIn, findPane, listPanesOnce, lookAt } from "./pane.ts";
import { PROFILE_NAMES } from "./profiles.ts";
import { asksSomething, readInput } from "./screen.ts";
import { hasTerminal, targetOf, terminalOf } from "./tmux-rung.ts";

/** Those of some parts whose terminal asks something that a person has to answer. What cannot be looked at asks nothing. */
export async function partsAsked(world: World, parts: readonly string[]): Promise<ReadonlySet<string>> {
  const list = listPanesOnce();
  const asked = await Promise.all(parts.map(async (part) => ((await asks(world, part, list).catch(() => false)) ? part : null)));
  return new Set(asked.filter((part) => part !== null));
}

async function asks(world: World, part: string, list: ReturnType<typeof listPanesOnce>): Promise<boolean> {
  // A part that nobody started in tmux has no pane, and tmux need not be asked.
  if (!hasTerminal(world, part)) return false;
  const kept = terminalOf(world, part);
  const pane = await findPane(targetOf(world, part), list);
  const look = "reason" in pane ? null : await lookAt(pane);
  if (look === null || look.dead) return false;
  const profile = await agentIn(look.pid, PROFILE_NAMES.find((name) => name === kept?.profile) ?? "auto");
  if (profile === null) return false;
  return asksSomething(
    look.screen,
    profile,
    readInput(look.screen, profile, () => false),
  );
}
