/** Taking back what a commit did to tasks and to settings. spec/trust.md, "Undo". */
import { orElse } from "../../objects/format/file-error.ts";
import { FILE_BYTES } from "../../objects/format/schema.ts";
import type { Changed } from "../../objects/noun/effects.ts";
import { task as taskNoun } from "../../objects/task/nouns.ts";
import { changed, formatTask, isTakenBack, parseTask, TAKEN_BACK, type Task } from "../../objects/task/task.ts";
import { shortCommit } from "../../objects/tree/origin.ts";
import { replaceFile } from "../../store/write/replace.ts";
import type { World } from "../../world.ts";
import { noteHere } from "../note-origins.ts";
import { lastClaim } from "../task/claims.ts";
import { NotUndone, type Undone } from "./undo-commit.ts";

/** Makes a task that a commit began one that is done, waits for nothing and says nothing; one whose text was changed since stays. */
export async function undoBegun(world: World, { path, after }: Changed, { commit, by }: { commit: string; by: string }): Promise<Undone> {
  const place = taskNoun.locate(path);
  if (place === null) return null;
  const { session, task: id } = place;
  const at = new Date(world.now()).toISOString();
  const fence = lastClaim(world, session, id)?.fence ?? 0;
  const fresh: Task = {
    ...{ id, title: "", status: "done", priority: "low", createdBy: by, createdAt: at, updatedAt: at },
    ...{ dependsOn: [], fence: 0, other: {}, description: "", history: [] },
  };
  const then = readableTask(after ?? "", id);
  const state = { isSince: false, isDone: false };
  await replaceFile(world.home().store, path, FILE_BYTES.task, (content) => {
    const now = readableTask(content ?? "", id);
    const isBack = now !== null && isTakenBack(now);
    const isSame = content === after || (now !== null && now.title === then?.title && now.description === then.description);
    Object.assign(state, { isSince: !isBack && !isSame, isDone: !isBack && isSame });
    if (!state.isDone) return null;
    const task = now ?? fresh;
    const nothing = { description: "", dependsOn: [], parent: undefined, derivedReason: undefined, assignee: undefined, other: {} };
    const title = `Undone: ${shortCommit(commit)} brought it`;
    return formatTask(changed(task, at, by, TAKEN_BACK, { ...nothing, title, status: "done", fence: Math.max(fence, task.fence) }));
  });
  if (state.isSince) throw new NotUndone("it was changed later; `relay task update` finishes it");
  if (!state.isDone) return null;
  noteHere(world, [path]);
  return `emptied task ${id}, which counts as done`;
}

const readableTask = (source: string, id: string): Task | null => orElse(null, () => parseTask(source, id));
