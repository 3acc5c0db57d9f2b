/** Events: what a part says about itself, and the local feed that viewers follow. SPEC.md, "Events". */
import { MessageError } from "./message.ts";

/** One line of `events/<day>/<clone>.jsonl`. Instants are ISO 8601. */
export interface PartEvent {
  id: string;
  at: string;
  part: string;
  type: string;
  detail?: string | undefined;
  usage?: Record<string, unknown> | undefined;
  parent_event_id?: string | undefined;
  started_at?: string | undefined;
  ended_at?: string | undefined;
  reset_at?: string | undefined;
}

/**
 * Reads one line of a file of events.
 * @throws MessageError when it is not the whole of an event; its line is for the caller to count
 */
export function parseEvent(line: string): PartEvent {
  let value: Partial<PartEvent> | null;
  try {
    value = JSON.parse(line);
  } catch {
    throw new MessageError("the line is no JSON");
  }
  for (const key of ["id", "at", "part", "type"] as const) {
    if (typeof value?.[key] !== "string") throw new MessageError(`the event has no "${key}", a text`);
  }
  return value as PartEvent;
}

/** What an event's id looks like. */
export const EVENT_ID = /^e-\d{8}-[0-9a-z]{1,32}$/;
/** `e-<yyyymmdd>-<token>`; the token begins with the time, as a message's does. */
export const eventId = (day: string, token: string): string => `e-${day.replaceAll("-", "")}-${token}`;

/** Where the events of an event's day lie. */
export const eventsFolder = (id: string): string => `events/${id.slice(2, 6)}-${id.slice(6, 8)}-${id.slice(8, 10)}`;

/** Where this clone's events of a day lie. */
export const eventPath = (day: string, clone: string): string => `events/${day}/${clone}.jsonl`;

/** Where the local feed of a day lies. */
export const feedPath = (day: string): string => `run/feed/${day}.jsonl`;

/** One line of the local feed: `type` is a noun and what happened to it (`message:sent`). `at` is ISO 8601. */
export interface FeedLine {
  at: string;
  type: string;
  part: string | null;
  [detail: string]: unknown;
}

/** A part is not woken before this, at most a day ahead. */
export const LIMITED_AT_MOST_MS = 24 * 60 * 60 * 1000;

/** Where the mark of a limited part lies; it holds the instant (ISO 8601) at which it may be woken again. */
export const limitedPath = (part: string): string => `run/limited/${part}/until.txt`;
