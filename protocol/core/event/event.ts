/** Events: what a part says about itself, and the local feed that viewers follow. spec/messages.md, "Events". */
/** One line of `events/<day>/<clone>.jsonl`. Instants are ISO 8601. */
export interface PartEvent {
  id: string;
  at: string;
  part: string;
  type: string;
  /** A text, or whatever else its writer has to say of it. */
  detail?: string | Record<string, unknown> | undefined;
  usage?: Record<string, unknown> | undefined;
  parent_event_id?: string | undefined;
  /** The agent that its writer started. */
  spawned_agent_label?: string | undefined;
  started_at?: string | undefined;
  ended_at?: string | undefined;
  reset_at?: string | undefined;
}

/**
 * Reads one line of a file of events. A push can hold hundreds of thousands of broken lines, so that nothing is thrown for
 * one, and what cannot be an object is not parsed.
 * @returns the event, or what is wrong with the line
 */
export function readEvent(line: string): PartEvent | string {
  const text = line.trim();
  let value: Partial<PartEvent>;
  try {
    if (!text.startsWith("{") || !text.endsWith("}")) return NO_OBJECT;
    value = JSON.parse(text);
  } catch {
    return NO_OBJECT;
  }
  for (const key of ["id", "at", "part", "type"] as const) {
    if (typeof value[key] !== "string") return `the event has no text "${key}"`;
  }
  return value as PartEvent;
}

const NO_OBJECT = "the line is not a JSON object";

/** What a file of events says: the ids of its events, and its broken lines. */
export interface EventsFile {
  ids: { line: number; id: string }[];
  broken: { line: number; problem: string }[];
}

/** Reads a file of events. A last line without its end may still be being written. */
export function eventsIn(source: string): EventsFile {
  const file: EventsFile = { ids: [], broken: [] };
  for (const [at, row] of source.split("\n").slice(0, -1).entries()) {
    if (row === "") continue;
    const event = readEvent(row);
    if (typeof event === "string") file.broken.push({ line: at + 1, problem: event });
    else file.ids.push({ line: at + 1, id: event.id });
  }
  return file;
}

/** What an event's id looks like. */
export const EVENT_ID = /^e-\d{8}-[0-9a-z]{1,32}$/;
/** `e-<yyyymmdd>-<token>`; the token begins with the time, as a message's does. */
export const eventId = (day: string, token: string): string => `e-${day.replaceAll("-", "")}-${token}`;

/** Where the events of an event's day lie. */
export const eventsFolder = (id: string): string => `events/${id.slice(2, 6)}-${id.slice(6, 8)}-${id.slice(8, 10)}`;

/** Where this clone's events of a day lie. */
export const eventPath = (day: string, clone: string): string => `events/${day}/${clone}.jsonl`;
