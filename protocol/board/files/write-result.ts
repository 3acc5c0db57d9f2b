/** Writing what a review came to. spec/board.md, "Review". */

import { act } from "../../core/act.ts";
import { succeeds } from "../../core/format/file-error.ts";
import type { World } from "../../core/world.ts";
import { publish } from "../../store/write/publish.ts";
import { removeIf } from "../../store/write/remove-if.ts";
import { isReserved } from "../../store/write/reserve.ts";
import { formatResult, parseResult, type ReviewResult, resultPath } from "../nouns/review.ts";
import { REVIEW_BYTES, type ReviewState } from "./read-review.ts";

/**
 * Writes the result of a review, exclusively. A file that cannot be read says nothing, so the first that can be read takes its place.
 * @returns true where this call wrote it, else null
 */
export function writeResult(
  world: World,
  session: string,
  { status: _status, comments: _comments, by: _by, done: _done, ...request }: ReviewState,
  given: Omit<ReviewResult, "at" | "request">,
): true | null {
  const { store } = world.home();
  const path = resultPath(session, request.id);
  if (!isReserved(store, path)) removeIf(store, path, REVIEW_BYTES, (bytes) => !succeeds(() => parseResult(String(bytes))));
  const text = formatResult({ ...given, at: new Date(world.now()).toISOString(), request });
  return act(world, { paths: [path] }, () => (publish(store, path, text) === "created" ? true : null));
}
