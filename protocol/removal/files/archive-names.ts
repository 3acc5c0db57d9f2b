/** Which threads have archives, by names alone. spec/removal.md, "Archive". */
import { type ThreadLocation, threadId } from "../../core/format/id.ts";
import { exists } from "../../store/read/facts.ts";
import { names } from "../../store/read/list-folder.ts";
import type { Store } from "../../store/root.ts";
import { ARCHIVE_FOLDER, archivePath, locateArchive } from "../nouns/archive.ts";

/** Whether a thread has an archive. */
export const hasArchive = (store: Store, location: ThreadLocation): boolean => exists(store, archivePath(location));

/** The threads that have archives, those that began last first. */
export function archivedThreads(store: Store): ThreadLocation[] {
  return names(store, ARCHIVE_FOLDER)
    .flatMap((month) =>
      names(store, `${ARCHIVE_FOLDER}/${month}`).flatMap((name) => locateArchive(`${ARCHIVE_FOLDER}/${month}/${name}`) ?? []),
    )
    .filter(({ number }) => number === 1)
    .map(({ key }) => key)
    .sort((a, b) => (threadId(a) < threadId(b) ? 1 : -1));
}
