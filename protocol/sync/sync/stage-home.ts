/** Takes the home into an index: what changed since it was recorded last, where that is known, else everything. spec/git.md, "Recording". */
import { orElse } from "../../core/format/file-error.ts";
import { mostBytesAt } from "../../core/tree/broken.ts";
import { isLayout } from "../../core/tree/layout.ts";
import type { World } from "../../core/world.ts";
import { packFiles } from "../../git/git-blobs.ts";
import { type Staged, stageAll, stageNamed } from "../../git/git-index.ts";
import type { Repository } from "../../git/git-run.ts";
import { isLeftOut, leavesOutOurs } from "../../git/home/repository.ts";
import { locateInInbox } from "../../mail/nouns/in-inbox.ts";
import { bytesAt } from "../../store/read/read-file.ts";
import { changedFiles, foldersOf } from "./changed-files.ts";
import { instant, isLarge, keepSeen, seenHome } from "./seen-home.ts";
import { dirname } from "./write-file.ts";

/** What was taken into an index. */
interface StagedHome extends Staged {
  /** The commit whose files the home has, where nothing changed since it was made; null where something may have. */
  sameAs: string | null;
  /**
   * Keeps for the next record what this one saw, before its index takes the place of the repository's.
   * @param commit the one whose files the index has
   * @param loud paths whose folders the next record looks at, whatever their times say
   */
  keep: (commit: string, loud: readonly string[]) => void;
}

/**
 * Takes the home into an index.
 * @param came paths that the home has as the commit has them, and the index may not
 * @throws Refusal `git_failed`, those of the disk
 */
export async function stageHome(world: World, repository: Repository, index: string, came: readonly string[]): Promise<StagedHome> {
  const { store } = world.home();
  const now = instant(store);
  const keeper =
    (wholeMs: number, folders: Record<string, number> | null): StagedHome["keep"] =>
    (commit, loud) => {
      if (now !== null && folders !== null) keepSeen(store, index, { ...now, wholeMs, commit, folders, loud: loud.map(dirname) });
    };
  // What lies in an inbox is the message that its thread has.
  const packMany = (paths: readonly string[]): Promise<void> =>
    packFiles(
      repository,
      paths.filter((path) => locateInInbox(path) === null),
      // What cannot be read is told by what takes it in.
      (path) => orElse(null, () => bytesAt(store, path, mostBytesAt(path))),
    );
  const seen = now === null ? null : seenHome(store, repository, now);
  const changed = seen === null ? null : await changedFiles(store, repository, seen);
  if (seen !== null && changed !== null) {
    const { paths, isRecorded, folders } = changed;
    if (paths.length === 0) return { faults: [], left: [], indexed: null, sameAs: seen.commit, keep: keeper(seen.wholeMs, folders) };
    const isWanted = (path: string): boolean => isRecorded(path) || isLayout(path);
    const left = paths.filter((path) => !isWanted(path));
    const wanted = paths.filter(isWanted);
    // What the record has is mostly as it was, and is not read for the sake of what is new beside it.
    await packMany(wanted.filter((path) => !isRecorded(path)));
    // What git could not take it names where it looks at everything.
    if (await stageNamed(repository, index, wanted))
      return { faults: [], left, indexed: null, sameAs: null, keep: keeper(seen.wholeMs, folders) };
  }
  const folders = isLarge(repository) ? foldersOf(store) : null;
  // What came is in the commit, and is in the index before that is compared with it.
  if (came.length > 0) await stageNamed(repository, index, came);
  const isOurs = leavesOutOurs(repository) ? isLeftOut : null;
  const staged = await stageAll(repository, index, { isWanted: isLayout, isOurs, prepare: packMany });
  return { ...staged, sameAs: null, keep: keeper(now?.seenMs ?? 0, folders) };
}
