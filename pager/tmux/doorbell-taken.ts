/** The result of a typed doorbell: whether the agent took it, or it is lost. spec/waking.md, "Waking in tmux". */
import { setTimeout as pause } from "node:timers/promises";
import { type Look, lookAt, type Pane } from "./pane.ts";
import type { Profile } from "./profiles.ts";
import { textsOf } from "./screen.ts";
import { readInput, saysBusy } from "./screen-input.ts";

/** So often a wake's line is typed at the most, where it got lost before. */
export const TRIES = 3;
/** An agent that shows nothing of a line for so long after Enter has not taken it. */
const TAKEN_MS = 5_000;
const AGAIN_MS = 100;
/** Who did not look for so long may have missed that it was taken. */
const GAP_MS = 2_000;

/** What is written on the pane for a try of a wake: the wake's id, and from the second on the number of the try. */
export const markOf = (wakeId: string, attempt: number): string => (attempt === 1 ? wakeId : `${wakeId}.${attempt}`);

/** The number of the try that a mark on the pane says of a wake; 0 where it says another wake. */
export function tryIn(mark: string, wakeId: string): number {
  if (mark === wakeId) return 1;
  const attempt = mark.startsWith(`${wakeId}.`) ? Number(mark.slice(wakeId.length + 1)) : 0;
  return Number.isInteger(attempt) ? attempt : 0;
}

const squeezed = (text: string): string => text.replace(/\s+/gu, "");

/** Whether a wake's id stands anywhere on the screen, wherever the terminal broke it. */
export const showsWake = ({ screen }: Look, wakeId: string): boolean => squeezed(textsOf(screen).join("")).includes(wakeId);

/** What a line came to that Enter was pressed on: `stands` in the input as before, or `lost`: not there, and nothing came of it. */
export type Fate = "taken" | "stands" | "lost" | "gone";

/**
 * Waits for a sign that an agent took its line: it works, or shows the line where it shows what it was told, or asks something. An
 * agent that is not known to show what it was told took what left its input.
 * @param isLine whether a text is the line that was typed
 * @param signal aborted once the part is known to have looked
 */
export async function fateOf(
  pane: Pane,
  profile: Profile,
  wakeId: string,
  isLine: (text: string) => boolean,
  signal: AbortSignal,
): Promise<Fate> {
  let last = performance.now();
  let fate: Fate = "taken";
  for (const end = last + TAKEN_MS; last < end; ) {
    await pause(AGAIN_MS);
    const look = signal.aborted ? null : await lookAt(pane);
    if (signal.aborted) return "taken";
    if (look === null || look.dead) return "gone";
    fate = fateIn(look, profile, wakeId, isLine);
    const now = performance.now();
    if (fate === "taken" || now - last > GAP_MS) return "taken";
    last = now;
  }
  return fate;
}

function fateIn(look: Look, profile: Profile, wakeId: string, isLine: (text: string) => boolean): Exclude<Fate, "gone"> {
  if (look.scrolling || saysBusy(look.screen, profile)) return "taken";
  const input = readInput(look.screen, profile, isLine);
  if (input.kind === "line") return "stands";
  return input.kind === "empty" && profile.showsTold && !showsWake(look, wakeId) ? "lost" : "taken";
}
