/** The parts whose terminal shows a question. Terminals are read only when a command asks, so that it costs nothing otherwise. spec/waking.md, "Waking in tmux". */
import type { World } from "../../protocol/index.ts";
import { agentIn, findPane, listPanesOnce, readPane } from "./pane.ts";
import { profileOf } from "./profiles.ts";
import { asksSomething, readInput } from "./screen.ts";
import { hasTerminal, targetOf, terminalOf } from "./tmux-rung.ts";

/** Those of some parts whose terminal asks something that a person has to answer. A pane that cannot be read asks nothing. */
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
  const view = "reason" in pane ? null : await readPane(pane);
  if (view === null || view.dead) return false;
  const profile = await agentIn(view.pid, profileOf(kept?.profile)?.name ?? "auto");
  if (profile === null) return false;
  return asksSomething(
    view.screen,
    profile,
    readInput(view.screen, profile, () => false),
  );
}
