/**
 * The doorbell that is typed into a pane: whether the pane may be typed into, and whether the agent took what was typed, or it is
 * lost. spec/waking.md, "Waking in tmux".
 */

import { setTimeout as pause } from "node:timers/promises";
import type { Ring } from "../rung.ts";
import { type Look, lastKeySeconds, lookAt, type Pane } from "./pane.ts";
import type { Profile } from "./profiles.ts";
import { asksSomething, readInput, saysBusy, textsOf } from "./screen.ts";
import type { Still } from "./stillness.ts";

/** What the pane is ready for. */
export type Doorbell = { kind: "doorbell"; own: boolean; text: string; rows: string[] };
type Verdict =
  | { kind: "wait"; reason: string }
  /** A doorbell stands in the input: this wake's own, or one that an earlier wake left. */
  | Doorbell
  | { kind: "free" };

const wait = (reason: string): Verdict => ({ kind: "wait", reason });

/** A terminal breaks a long line where it likes. */
export const squeezed = (text: string): string => text.replace(/\s+/gu, "");

/**
 * What the doorbell of any wake of this kind looks like, without blanks: the same line with other numbers and another wake id. Of
 * exactly the same length, because somebody's text may follow the id.
 */
function anyDoorbell(line: string, wakeId: string): RegExp {
  const [before = "", ...after] = line.split(wakeId);
  if (after.length === 0) return /^\b$/;
  const plain = (text: string): string =>
    squeezed(text)
      .replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
      .replace(/\d+/g, "\\d+")
      .replace(/messages?/, "messages?");
  const id = wakeId.replace(/[a-z0-9]/gi, "[a-z0-9]").replace(/^\[a-z0-9\]-/, "w-");
  return new RegExp(`^${plain(before)}${id}${plain(after.join(wakeId))}$`, "u");
}

/** What a look at a pane says to whoever is about to type. @param quietMs who pressed a key so recently may press another */
export function judge(look: Look, profile: Profile, { line, wakeId }: Pick<Ring, "line" | "wakeId">, quietMs: number): Verdict {
  if (look.scrolling) return wait("copy_mode");
  if (look.keysElsewhere) return wait("synchronized");
  const input = readInput(
    look.screen,
    profile,
    (text) => squeezed(text) === squeezed(line) || anyDoorbell(line, wakeId).test(squeezed(text)),
  );
  if (asksSomething(look.screen, profile, input)) return wait("dialog");
  if (input.kind === "text") return wait("half_typed");
  if (input.kind === "none") return wait(saysBusy(look.screen, profile) ? "streaming" : "no_prompt");
  // tmux counts in whole seconds, so a second is added.
  if (Date.now() - lastKeySeconds(look.persons) * 1_000 < quietMs + 1_000) return wait("person_typing");
  if (input.kind === "line") return { kind: "doorbell", own: squeezed(input.line) === squeezed(line), text: input.line, rows: input.rows };
  return { kind: "free" };
}

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

/** What is kept from one ring to the next of the same part. */
export interface Memory {
  /** The terminal, where it is quiet and waits for nothing but a change of what it shows. */
  still: Still | null;
  /** The pane where the part was found last. */
  pane: Pane | null;
  /** Since when this wake finds the pane streaming. */
  streamingSince: { wakeId: string; atMs: number } | null;
  /** The wake whose right to be delivered was taken here and not used yet. */
  committed: string | null;
  /** What was typed here last, as it is marked on the pane, and who had pressed a key there until then. */
  pasted: { mark: string; persons: string } | null;
  /** The mark of what was entered here and is known to have come to nothing. */
  lost: string | null;
}

/** Where nothing was rung yet. */
export const newMemory = (): Memory => ({ still: null, pane: null, streamingSince: null, committed: null, pasted: null, lost: null });
