/**
 * Taking out of a file what a commit wrote into it: a merge of the file as it is with the text before the commit, from what the
 * commit made of it. spec/trust.md, "Undo".
 */

import { lastClaim } from "../../board/files/claims.ts";
import { readTask } from "../../board/nouns/merge-task.ts";
import { changed, formatTask, isTakenBack, TAKEN_BACK, type Task } from "../../board/nouns/task.ts";
import { acted } from "../../core/act.ts";
import { mustRead } from "../../core/home/broken-files.ts";
import type { Merge, Version } from "../../core/noun/noun.ts";
import { type Changed, NO_TEXT } from "../../core/noun/noun-effects.ts";
import { mostBytesAt } from "../../core/tree/broken.ts";
import { isReadableAt, nounAt, placeOf } from "../../core/tree/layout.ts";
import type { World } from "../../core/world.ts";
import { sha256 } from "../../store/digest.ts";
import { replaceFile } from "../../store/write/replace.ts";
import { shortCommit } from "../../trust/nouns/origin.ts";
import { guardText } from "../nouns/guard.ts";
import { NotUndone, type Undone } from "./undo-commit.ts";

/** The commit that is taken back, and who does it. */
interface Undoing {
  commit: string;
  by: string;
}

/**
 * Takes out of a file what a commit wrote into it, or puts something that says nothing in the place of a file that the commit began.
 * What was written at other places since stays.
 * @throws NotUndone where the same was changed since, or the earlier text cannot be read
 */
export async function undoText(world: World, change: Changed, undoing: Undoing): Promise<Undone> {
  const { path, before, after } = change;
  if (change.cameAlong === true) throw new NotUndone("it came here with the same push; `git show` in .relay shows the earlier text");
  if (before === NO_TEXT || (before !== null && guardText(path, after, before) === "before"))
    throw new NotUndone("its earlier text cannot be read; `git show` in .relay shows it");
  let [text, isDone, isGone]: [string | null, boolean, boolean] = [null, false, false];
  await replaceFile(world.home().store, path, mostBytesAt(path), (now) => {
    isGone = now === null && before === null;
    text = mustRead(path, () => without(world, change, now, undoing));
    isDone = text !== null && text !== now;
    return isDone ? text : null;
  });
  if (text === null && !isGone) throw new NotUndone("it was changed later; `git show` in .relay shows the earlier text");
  if (!isDone) return null;
  acted(world, { paths: [path] });
  return before === null ? `emptied ${path}` : `restored the earlier text of ${path}`;
}

/** A file without what a change did to it; null where the same was changed since. */
function without(world: World, { path, before, after }: Changed, now: string | null, undoing: Undoing): string | null {
  const place = placeOf(path);
  if (now !== null && now === before) return now;
  if (place?.kind === "task") return taskWithout(world, place, [before, after, now], undoing);
  if (before === null && !isReadableAt(path, after ?? "")) return now !== null && isReadableAt(path, now) ? now : `${titleOf(undoing)}\n`;
  if (now === after) return before ?? "";
  const merge: Merge<unknown> | undefined = nounAt(path)?.noun.merge;
  if (now === null || after === null || merge?.by !== "text") return null;
  const side = (text: string): Version => ({ id: sha256(text), text });
  const { text, isWhole } = merge.join(after, side(now), side(before ?? ""), place);
  return isWhole ? text : null;
}

const titleOf = ({ commit }: Undoing): string => `Undone: ${shortCommit(commit)} brought it`;
const TEXTS = ["title", "description", "priority"] as const;

/** The same of a task, whose status its claims say; one that the commit began is done, waits for nothing and says nothing. */
function taskWithout(
  world: World,
  { session, task: id }: { session: string; task: string },
  texts: readonly [before: string | null, after: string | null, now: string | null],
  undoing: Undoing,
): string | null {
  const [was, is, now] = texts.map((text) => readTask(id, text ?? "")) as [Task | null, Task | null, Task | null];
  const at = new Date(world.now()).toISOString();
  const fields = TEXTS.filter((field) => was?.[field] !== is?.[field] && now?.[field] !== was?.[field]);
  const isSince = texts[1] !== texts[2] && fields.some((field) => now?.[field] !== is?.[field]);
  if (was !== null) {
    if (isSince || now === null) return null;
    const own = Object.fromEntries(fields.map((field) => [field, was[field]]));
    return fields.length === 0 ? texts[2] : formatTask(changed(now, at, undoing.by, `${fields.join(", ")} as before`, own));
  }
  if (now !== null && isTakenBack(now)) return texts[2];
  if (isSince) return null;
  const empty: Partial<Task> = {
    description: "",
    dependsOn: [],
    other: {},
    parent: undefined,
    derivedReason: undefined,
    assignee: undefined,
  };
  const fence = Math.max(lastClaim(world, session, id)?.fence ?? 0, now?.fence ?? 0);
  const fresh = { id, priority: "low", createdBy: undoing.by, createdAt: at, history: [], ...now };
  return formatTask(
    changed({ ...fresh, ...empty } as unknown as Task, at, undoing.by, TAKEN_BACK, { title: titleOf(undoing), status: "done", fence }),
  );
}
