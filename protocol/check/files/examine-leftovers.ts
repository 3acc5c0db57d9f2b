/** Checks the files that killed processes left, and which of them can be removed. spec/check.md, "doctor". */
import { type Finding, found } from "../../core/format/finding.ts";
import type { World } from "../../core/world.ts";
import { lifeOf } from "../../store/process.ts";
import { ageMs } from "../../store/read/facts.ts";
import { names } from "../../store/read/list-folder.ts";
import type { Store } from "../../store/root.ts";
import { removeFile } from "../../store/write/move-file.ts";
import { changedFiles, finishReplacing, keepAside, leftOf } from "../../store/write/replace.ts";

const OLD_MS = 3_600_000;

/** Checks files that were written aside, and changes of files that were committed or only prepared. */
export function* examineLeftovers(world: World): Generator<Finding> {
  const { store } = world.home();
  for (const name of names(store, "run/tmp")) yield* examineAside(store, `run/tmp/${name}`, name);
  for (const name of names(store, "local/pending")) yield* examineIntent(store, `local/pending/${name}`, name);
  for (const target of changedFiles(store)) {
    const { unfinished, staged, doubtful } = leftOf(store, target);
    const finish = (): void => finishReplacing(store, target);
    if (unfinished) yield found("unfinished_change", "a change that was committed is not in place yet", { path: target, fix: finish });
    const problem = "it may be a committed change: the revision beside it cannot be read";
    for (const path of staged)
      if (doubtful) yield found("unreadable_token", problem, { path, fix: () => keepAside(store, path) });
      else yield* examineAside(store, path, path.slice(path.lastIndexOf("/") + "/next-".length));
  }
}

const isOld = (store: Store, path: string): boolean => (ageMs(store, path) ?? 0) > OLD_MS;

/** A send that is there for long is one whose writer nobody can see, or no send at all: the next operation completes and withdraws the others. */
function* examineIntent(store: Store, path: string, name: string): Generator<Finding> {
  const writer = /^([\w-]+)\.m-[0-9a-z-]+\.md$/.exec(name)?.[1];
  if (!isOld(store, path) || (writer !== undefined && lifeOf(writer) !== "unknown")) return;
  const unseen = "a send that was not committed; Relay cannot see whether its process still runs";
  const problem = writer === undefined ? "not the name of a send, so no process finishes it" : unseen;
  yield found("left_aside", problem, { path, fix: () => void removeFile(store, path) });
}

/** @param writer begins with the process that wrote the file, as `thisProcess` writes it */
function* examineAside(store: Store, path: string, writer: string): Generator<Finding> {
  const process = (writer.split(".")[0] as string).split("-").slice(0, 4).join("-");
  if (lifeOf(process) !== "gone" && !isOld(store, path)) return;
  yield found("left_aside", "an unfinished file of a process that ended", { path, fix: () => void removeFile(store, path) });
}
