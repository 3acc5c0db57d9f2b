/** Prints for people: an event that was recorded. */
import type { Printer } from "../style.ts";
import { localTime } from "../words.ts";

/** The id of an event, and what it changed about when a part is woken. */
export const printEvent: Printer<"event"> = ({ eventId, limitedUntil, lifted }, style) =>
  `${style.green("Recorded")} ${eventId}${limitedUntil === undefined ? "" : `; no wakes until ${localTime(limitedUntil)}`}${lifted === true ? "; it may be woken again" : ""}`;
