/** What parts' terminals ask. Terminals are read only when somebody wants to know, so that it costs nothing otherwise. spec/waking.md, "Waking in tmux". */
import type { World } from "../../protocol/index.ts";
import { agentIn, findPane, listPanesOnce, readPane } from "./pane.ts";
import { profileOf } from "./profiles.ts";
import { asksSomething, questionIn, readInput, saysBusy, textsOf } from "./screen.ts";
import { hasTerminal, targetOf, terminalOf } from "./tmux-rung.ts";

/** What a terminal asks. */
export interface Asked {
  /** The row that asks, as the program drew it: data. */
  words: string;
  /** Tells one question from another; a clock or a moving sign on the screen does not change it. */
  key: string;
  /** Whether it is known to be a question; of a program without a profile it may be one. */
  isSure: boolean;
}

/** Those of some parts whose terminal asks something that a person has to answer. A pane that cannot be read asks nothing. */
export async function questionsOf(world: World, parts: readonly string[]): Promise<ReadonlyMap<string, Asked>> {
  const list = listPanesOnce();
  const asked = await Promise.all(parts.map(async (part) => [part, await questionOf(world, part, list).catch(() => null)] as const));
  return new Map(asked.flatMap(([part, found]) => (found === null ? [] : [[part, found]])));
}

async function questionOf(world: World, part: string, list: ReturnType<typeof listPanesOnce>): Promise<Asked | null> {
  // A part that nobody started in tmux has no pane, and tmux need not be asked.
  if (!hasTerminal(world, part)) return null;
  const kept = terminalOf(world, part);
  const pane = await findPane(targetOf(world, part), list);
  const view = "reason" in pane ? null : await readPane(pane);
  if (view === null || view.dead) return null;
  const profile = await agentIn(view.pid, profileOf(kept?.profile)?.name ?? "auto");
  if (profile === null) return null;
  const input = readInput(view.screen, profile, () => false);
  if (!asksSomething(view.screen, profile, input) || (!profile.dialogHidesInput && saysBusy(view.screen, profile))) return null;
  const key = textsOf(view.screen).join("").replace(/\P{L}/gu, "");
  return { words: questionIn(view.screen), key, isSure: profile.dialogHidesInput };
}
