/** Taking back what a commit did to the board, to memories and to mail, by new additions. spec/trust.md, "Undo". */

import { guardText } from "../../objects/guard/guard.ts";
import type { Effect } from "../../objects/guard/push-effect.ts";
import { MEMORY_BYTES } from "../../objects/memory/memory.ts";
import { mergeMemory } from "../../objects/memory/merge-memory.ts";
import { type Changed, NO_TEXT } from "../../objects/noun/effects.ts";
import { endedPath, reopenedPath, sessionTurn } from "../../objects/session/session.ts";
import { changed, isTakenBack, parseTask, type Task, taskPath } from "../../objects/task/task.ts";
import { mostBytesAt } from "../../objects/tree/broken.ts";
import { isReadableAt } from "../../objects/tree/layout.ts";
import { shortCommit } from "../../objects/tree/origin.ts";
import { sha256 } from "../../store/digest.ts";
import { exists } from "../../store/read/facts.ts";
import { replaceFile } from "../../store/write/replace.ts";
import type { World } from "../../world.ts";
import { mustRead } from "../broken-files.ts";
import { noteHere } from "../note-origins.ts";
import { currentName } from "../part/members.ts";
import { endSession, reopenSession } from "../session/end-session.ts";
import { addClaim, lastClaim } from "../task/claims.ts";
import { catchUpTask, changeTask, readTask } from "../task/task-files.ts";

/** A thing that cannot be taken back, and why. */
export class NotUndone extends Error {}

/** What was done to take something back, in words; null where it is as it was before already. */
export type Undone = string | null;

/** The opposite of an end, or of an opening, that still counts. */
export function undoTurn(world: World, effect: Effect & { kind: "ended" | "resumed" }, by: string): Undone {
  const { session, path } = effect;
  const { ended, turn } = sessionTurn(session, (each) => exists(world.home().store, each));
  if (effect.kind === "ended") {
    if (!ended || endedPath(session, turn) !== path) return null;
    return reopenSession(world, session, by) ? `reopened session ${session}` : null;
  }
  if (ended || turn === 1 || reopenedPath(session, turn - 1) !== path) return null;
  return endSession(world, session, by) ? `ended session ${session} again` : null;
}

/**
 * Frees a task of a claim that is still the last, for who held it before; one that was given back or finished is theirs again.
 * @param held who held the task before; null where nobody did
 */
export async function undoClaim(world: World, effect: Effect & { kind: "claim" }, held: string | null, by: string): Promise<Undone> {
  const { session, task, fence, did } = effect;
  const last = lastClaim(world, session, task);
  if (last === null || last.fence !== fence) return null;
  const to = held === null ? null : currentName(world, held);
  const again = to === null ? "" : `; ${to} may claim it again`;
  if (did === "claim") {
    const added = await addClaim(world, session, task, fence, { kind: "release", agent: by, ...(to === null ? {} : { to }) });
    if (added === null) throw new NotUndone("somebody else claimed it just now");
    if (readTask(world, session, task) !== null) await catchUpTask(world, session, task);
    return `took ${task} back from ${effect.agent}${again}`;
  }
  if (held === null || readTask(world, session, task) === null) return null;
  let isChanged = false;
  const at = new Date(world.now()).toISOString();
  await changeTask(world, session, task, by, (now) => {
    const isAsLeft = now.status === (did === "done" ? "done" : "todo") && (now.status === "done" || now.assignee === undefined);
    isChanged = isAsLeft && !isTakenBack(now);
    return isChanged ? changed(now, at, by, "reopened", { status: "todo", assignee: to ?? undefined }) : null;
  });
  return isChanged ? `reopened ${task}${again}` : null;
}

const TEXTS = ["title", "description", "priority"] as const;
type Field = (typeof TEXTS)[number];

/** The earlier text of a task, where nobody changed it since. */
export async function undoTask(world: World, effect: Effect & { kind: "task" }, { before, after }: Changed, by: string): Promise<Undone> {
  const { session, task } = effect;
  const [was, is] = [parseTask(before ?? "", task), parseTask(after ?? "", task)];
  const own = TEXTS.filter((field) => was[field] !== is[field]);
  const at = new Date(world.now()).toISOString();
  let since: readonly Field[] = [];
  let back: readonly Field[] = [];
  await changeTask(world, session, task, by, (now) => {
    back = own.filter((field) => now[field] === is[field]);
    since = own.filter((field) => now[field] !== is[field] && now[field] !== was[field]);
    const texts: Partial<Task> = Object.fromEntries(back.map((field) => [field, was[field]]));
    return back.length === 0 ? null : changed(now, at, by, `${back.join(", ")} as before`, texts);
  });
  if (back.length > 0) noteHere(world, [taskPath(session, task)]);
  if (since.length > 0)
    throw new NotUndone(`its ${since.join(", ")} was changed later; \`relay task show ${task} --at\` shows the earlier text`);
  return back.length === 0 ? null : `restored the earlier ${back.join(", ")} of ${task}`;
}

/** The earlier text of a memory; what was added since stays. */
export async function undoMemory(world: World, { path, before, after }: Changed): Promise<Undone> {
  // An earlier text that nobody can read would keep its owner from writing.
  const was = before !== null && isReadableAt(path, before) ? before : "";
  const is = after ?? "";
  let isChanged = false;
  await replaceFile(world.home().store, path, MEMORY_BYTES, (content) => {
    const now = content ?? "";
    const side = (text: string): { id: string; text: string } => ({ id: sha256(text), text });
    const text = now === is ? was : mustRead(path, () => mergeMemory(is, side(now), side(was)));
    isChanged = text !== now && !isThere(is, was, now);
    return isChanged ? text : null;
  });
  if (isChanged) noteHere(world, [path]);
  return isChanged ? `restored the earlier text of ${path}` : null;
}

/** The earlier text of a file that is edited as a whole, where nobody changed it since. */
export async function undoEdited(world: World, { path, before, after }: Changed): Promise<Undone> {
  if (before === NO_TEXT || guardText(path, after, before) === "before")
    throw new NotUndone("its earlier text cannot be read; `git show` in .relay shows it");
  let found: string | null = null;
  await replaceFile(world.home().store, path, mostBytesAt(path), (content) => {
    found = content;
    if (content !== after) return null;
    return before;
  });
  if (found === before) return null;
  if (found !== after) throw new NotUndone("it was changed later; `git show` in .relay shows the earlier text");
  noteHere(world, [path]);
  return `restored the earlier text of ${path}`;
}

/** A text that can be read in the place of one that cannot; whatever somebody wrote there since stays. */
export async function undoUnreadable(world: World, path: string, commit: string): Promise<Undone> {
  let isReplaced = false;
  await replaceFile(world.home().store, path, mostBytesAt(path), (content) => {
    isReplaced = content === null || !isReadableAt(path, content);
    return isReplaced ? `Undone: ${shortCommit(commit)} brought a text that cannot be read\n` : null;
  });
  if (isReplaced) noteHere(world, [path]);
  return isReplaced ? `replaced ${path}, which cannot be read` : null;
}

/** Whether a memory has all that a change took out, and nothing of what it put in. */
function isThere(after: string, before: string, now: string): boolean {
  const lines = (text: string): Set<string> => new Set(text.split("\n").filter((line) => line.trim() !== ""));
  const [is, was, there] = [lines(after), lines(before), lines(now)];
  return [...was].every((line) => is.has(line) || there.has(line)) && [...is].every((line) => was.has(line) || !there.has(line));
}
