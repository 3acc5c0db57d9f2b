/** What people call the things of a record whose names are ids: tasks, claims, artifacts and reviews. */

import { parseArtifact } from "../../board/nouns/artifact.ts";
import { artifact } from "../../board/nouns/artifact-nouns.ts";
import { parseReview, reviewPath } from "../../board/nouns/review.ts";
import { parseTask, taskPath } from "../../board/nouns/task.ts";
import { orElse } from "../../core/format/file-error.ts";
import { FILE_BYTES } from "../../core/format/schema.ts";
import { placeOf } from "../../core/tree/layout.ts";
import type { World } from "../../core/world.ts";
import { openHomeAt } from "../../git/home/home-at-commit.ts";
import { readText } from "../../store/read/read-file.ts";
import type { Store } from "../../store/root.ts";

const TITLED = new Set(["task", "claim", "artifact", "review"]);

/** A thing that is not as it was. */
interface Changed {
  word: string;
  path: string;
  change: string;
}

/**
 * The same things, those that people know by a title with it: as it is in the later record, or was in the earlier one where the thing went.
 * One whose file cannot be read has none.
 * @param from the earlier commit @param to the later one
 */
export async function withTitles<T extends Changed>(
  world: World,
  from: string,
  to: string,
  things: readonly T[],
): Promise<(T & { title?: string })[]> {
  const stores = new Map<string, Store>();
  for (const { word, change } of things) {
    const commit = change === "removed" ? from : to;
    if (TITLED.has(word) && !stores.has(commit)) stores.set(commit, (await openHomeAt(world, commit)).home.store);
  }
  return things.map((thing) => {
    const store = TITLED.has(thing.word) ? stores.get(thing.change === "removed" ? from : to) : undefined;
    const title = store === undefined ? null : orElse(null, () => titleAt(store, thing.path));
    return title === null ? thing : { ...thing, title };
  });
}

/** The title of what a path belongs to; null where it has none. @throws FileError, Refusal */
function titleAt(store: Store, path: string): string | null {
  const place = placeOf(path);
  if (place === null) return null;
  if (place.kind === "artifact" || place.kind === "content")
    return read(store, artifact.path(place), FILE_BYTES.artifact, (text) => parseArtifact(text).name);
  if (place.kind === "review" || place.kind === "result")
    return read(store, reviewPath(place.session, place.review), FILE_BYTES.review, (text) => parseReview(text).name);
  if (place.kind === "task" || place.kind === "claim" || place.kind === "decision")
    return read(store, taskPath(place.session, place.task), FILE_BYTES.task, (text) => parseTask(text, place.task).title);
  return null;
}

function read(store: Store, path: string, limit: number, titleOf: (text: string) => string): string | null {
  const text = readText(store, path, limit);
  return text === null ? null : titleOf(text);
}
