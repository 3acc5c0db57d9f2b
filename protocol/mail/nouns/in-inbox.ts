/** The message that a path of an inbox or a thread is of. SPEC.md, "Inbox". */
import { type MessageLocation, messageId } from "../../core/format/id.ts";
import { placeOf } from "../../core/tree/layout.ts";

/** A message in a part's inbox. */
export interface InInbox {
  part: string;
  message: string;
  key: MessageLocation;
  unread: boolean;
}

/** What a path of an inbox says; null for any other path, and for an ack under a day that is not the message's. */
export function locateInInbox(path: string): InInbox | null {
  const place = path.startsWith("inbox/") ? placeOf(path) : null;
  if (place?.kind !== "unread" && place?.kind !== "acked") return null;
  return { part: place.part, message: messageId(place.key), key: place.key, unread: place.kind === "unread" };
}

/** The message that a path is of, in its thread or in an inbox; null for any other path. */
export function messageAt(path: string): MessageLocation | null {
  const place = /^(?:threads|inbox)\//.test(path) ? placeOf(path) : null;
  return place?.kind === "message" || place?.kind === "unread" || place?.kind === "acked" ? place.key : null;
}
