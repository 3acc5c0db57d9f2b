/**
 * The doorbell that is typed into a pane: whether the pane may be typed into, its typing, and whether the agent took it, or it is
 * lost. The last check and the typing are one command to tmux, which carries it out before it takes a key from anybody or a
 * character from a program: nothing comes between. spec/waking.md, "Waking in tmux".
 */
import { setTimeout as pause } from "node:timers/promises";
import type { Ring } from "../rung.ts";
import { lastKeySeconds, type Pane, type PaneView, personsAt, readPane } from "./pane.ts";
import type { Profile } from "./profiles.ts";
import { asksSomething, readInput, saysBusy, textOf, textsOf } from "./screen.ts";
import type { Still } from "./stillness.ts";
import { tmux } from "./tmux-command.ts";

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

/** What the view of a pane says to a process that is about to type. @param quietMs a person who pressed a key so recently may press another */
export function judge(view: PaneView, profile: Profile, { line, wakeId }: Pick<Ring, "line" | "wakeId">, quietMs: number): Verdict {
  if (view.scrolling) return wait("copy_mode");
  if (view.keysElsewhere) return wait("synchronized");
  const input = readInput(
    view.screen,
    profile,
    (text) => squeezed(text) === squeezed(line) || anyDoorbell(line, wakeId).test(squeezed(text)),
  );
  if (asksSomething(view.screen, profile, input)) return wait("dialog");
  if (input.kind === "text") return wait("half_typed");
  if (input.kind === "none") return wait(saysBusy(view.screen, profile) ? "streaming" : "no_prompt");
  // tmux counts in whole seconds, so a second is added.
  if (Date.now() - lastKeySeconds(view.persons) * 1_000 < quietMs + 1_000) return wait("person_typing");
  if (input.kind === "line") return { kind: "doorbell", own: squeezed(input.line) === squeezed(line), text: input.line, rows: input.rows };
  return { kind: "free" };
}

/** So often a wake's line is typed at the most, where it got lost before. */
export const TRIES = 3;
/** An agent that shows nothing of a line for so long after Enter has not taken it. */
const TAKEN_MS = 5_000;
const AGAIN_MS = 100;
/** A process that did not read the pane for so long may have missed that it was taken. */
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
const showsWake = ({ screen }: PaneView, wakeId: string): boolean => squeezed(textsOf(screen).join("")).includes(wakeId);

/** What a line came to that Enter was pressed on: `stands` in the input as before, or `lost`: not there, and nothing came of it. */
export type Fate = "taken" | "stands" | "lost" | "gone";

/**
 * Waits for a sign that an agent took its line: it works, or shows the line where it shows what it was told, or asks something. An
 * agent that is not known to show what it was told took what left its input.
 * @param isLine whether a text is the line that was typed
 * @param signal aborted once the part is known to have read its mail
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
    const view = signal.aborted ? null : await readPane(pane);
    if (signal.aborted) return "taken";
    if (view === null || view.dead) return "gone";
    fate = fateIn(view, profile, wakeId, isLine);
    const now = performance.now();
    if (fate === "taken" || now - last > GAP_MS) return "taken";
    last = now;
  }
  return fate;
}

function fateIn(view: PaneView, profile: Profile, wakeId: string, isLine: (text: string) => boolean): Exclude<Fate, "gone"> {
  if (view.scrolling || saysBusy(view.screen, profile)) return "taken";
  const input = readInput(view.screen, profile, isLine);
  if (input.kind === "line") return "stands";
  return input.kind === "empty" && profile.showsTold && !showsWake(view, wakeId) ? "lost" : "taken";
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

/** A text that holds in a `#{...}` of tmux, as an extended regular expression: what could mean something else there is a dot. */
const pattern = (text: string): string => text.replace(/[^A-Za-z0-9 _-]/gu, ".");

/** The number of the first row that shows a text, from 1; 0 when none does. */
const rowOf = (text: string): string => `#{C/r:^${pattern(text)}$}`;

const both = (a: string, b: string): string => `#{&&:${a},${b}}`;
const same = (a: string, b: string): string => `#{==:${a},${b}}`;
const cursorRow = (above: number): string => `#{e|+:#{cursor_y},${1 - above}}`;

/** What must still be as it was seen: nobody scrolls, nobody pressed a key, and the cursor is where it was in its line. */
function unchanged({ screen, persons }: PaneView, id: string): string[] {
  return [
    same("#{pane_in_mode}", "0"),
    same("#{pane_dead}", "0"),
    same("#{cursor_x}", String(screen.cursor.x)),
    same(personsAt(id), persons),
  ];
}

/** Whether the cursor's line is the one that was seen; it may have been moved by what came above it. */
function lineUnchanged({ screen }: PaneView): string[] {
  const { y } = screen.cursor;
  const text = textOf(screen.rows[y]);
  const rule = new RegExp(`^${pattern(text)}$`, "u");
  const first = screen.rows.findIndex((row) => rule.test(textOf(row)));
  // tmux tells only the first such row; where that is another one, nothing may have moved.
  return first === y ? [same(rowOf(text), cursorRow(0))] : [same(rowOf(text), String(first + 1)), same("#{cursor_y}", String(y))];
}

/**
 * Pastes a line into an input that was seen empty.
 * @param line one line of plain characters
 * @returns whether it was typed: it is not when anything changed since the view, or somebody else typed for a wake meanwhile
 */
export async function pasteLine({ server, id }: Pane, view: PaneView, wakeId: string, line: string): Promise<boolean> {
  const buffer = `relay-${wakeId}`;
  const condition = [...unchanged(view, id), ...lineUnchanged(view), same("#{@relay_typed}", view.typed)].reduce(both);
  const paste = `paste-buffer -p -d -b ${buffer} -t ${id} ; set-option -p -t ${id} @relay_typed ${wakeId} ; display-message -p yes`;
  const answer = await tmux(server, [
    ...["set-buffer", "-b", buffer, "--", line, ";"],
    ...["if-shell", "-F", "-t", id, condition, paste, `delete-buffer -b ${buffer}`],
  ]);
  return answer.ok && answer.text.trim() === "yes";
}

/**
 * Presses Enter on a line that was seen in the input, once for a wake.
 * @param rows the rows that the line fills, as they are drawn; the cursor is at the end of the last
 * @returns whether it was pressed
 */
export async function pressEnter({ server, id }: Pane, view: PaneView, wakeId: string, rows: readonly string[]): Promise<boolean> {
  const lines = rows.map((row, index) => same(rowOf(row), cursorRow(rows.length - 1 - index)));
  const condition = [...unchanged(view, id), ...lines, `#{!=:#{@relay_entered},${wakeId}}`].reduce(both);
  const enter = `send-keys -t ${id} Enter ; set-option -p -t ${id} @relay_entered ${wakeId} ; display-message -p yes`;
  const answer = await tmux(server, ["if-shell", "-F", "-t", id, condition, enter]);
  return answer.ok && answer.text.trim() === "yes";
}

/** How long a doorbell may be. */
const LINE_LENGTH = 200;

/** A line as it may be typed: no control or invisible characters, no line break, and nothing in front that agents take for a command. */
export function typeable(line: string): string {
  return line
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, " ")
    .replace(/[\p{Cf}\p{Cs}\p{Co}\p{Cn}]/gu, "")
    .replace(/\s+/gu, " ")
    .replace(/^[\s/!@#$&?\\;]+/u, "")
    .slice(0, LINE_LENGTH)
    .replace(/[\s;\\]+$/u, "");
}

/** What a user may choose. */
export interface TmuxPolicy {
  /** Who pressed a key so recently may press another. */
  quietMs: number;
  /** How long a pane that shows something new all the time is waited for. */
  streamingMs: number;
  /** What then: type all the same, or only show in the status line that mail waits. */
  streaming: "type" | "notify";
}

/** When a pane may be typed into where `relay.yml` does not say; spec/waking.md, "Wake policy". */
export const DEFAULT_POLICY: TmuxPolicy = { quietMs: 2_000, streamingMs: 120_000, streaming: "type" };

/**
 * Whether a line that was typed here, and that nobody entered, is nowhere any more: its agent did not listen yet. Where a
 * person pressed a key since, it is they who entered or removed it.
 */
export function isLost(view: PaneView, profile: Profile, wakeId: string, { pasted, lost }: Memory): boolean {
  if (saysBusy(view.screen, profile) || showsWake(view, wakeId)) return false;
  if (lost === view.typed) return true;
  return pasted?.mark === view.typed && pasted.persons === view.persons && view.entered !== view.typed;
}
