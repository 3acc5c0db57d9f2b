/** The files of a home that are read again, to see whether a finding is still true. spec/check.md, "Check". */
import { messageId } from "../../objects/format/id.ts";
import { type Place, placeOf } from "../../objects/tree/layout.ts";
import type { Reading } from "./check-list.ts";

/** Tells of a file whether it is to be read. */
export type Reads = (reading: Pick<Reading, "place"> & { path: string }) => boolean;

/** Every file is read: the first look. */
export const readAllFiles: Reads = () => true;

/**
 * What hangs on some paths: of mail the files of the same messages, of events those of the same days, of texts themselves. All
 * else is read whatever was found: a session is looked at whole, and parts, guests and settings tell of many other files.
 * @param paths of what was found
 */
export function readsAgain(paths: ReadonlySet<string>): Reads {
  const places = [...paths].map((path) => placeOf(path));
  const messages = new Set(places.flatMap((place) => (isMail(place) ? [messageId(place.key)] : [])));
  const days = new Set([...paths].map(folderOf));
  return ({ path, place }) => {
    if (isMail(place)) return messages.has(messageId(place.key));
    if (place.kind === "events") return days.has(folderOf(path));
    return !ALONE.has(place.kind) || paths.has(path);
  };
}

/** Kinds of files that tell nothing of others. */
const ALONE: ReadonlySet<Place["kind"]> = new Set(["memory", "label", "content", "state", "version", "archive"]);

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/"));

function isMail(place: Place | null): place is Extract<Place, { kind: "message" | "unread" | "acked" }> {
  return place !== null && (place.kind === "message" || place.kind === "unread" || place.kind === "acked");
}
