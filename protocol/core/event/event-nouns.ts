/** Events as files of a home: a file a day and clone, a line for each. spec/messages.md, "Events". */
import { FILE_BYTES } from "../format/schema.ts";
import { addedOnly, unionOfLines } from "../noun/merge-fields.ts";
import { defineNoun } from "../noun/noun.ts";
import { eventPath, eventsIn } from "./event.ts";

const timeOf = (line: string): string => /"at":"([^"]*)"/.exec(line)?.[1] ?? "";
const lines = { merge: unionOfLines(timeOf), guard: "kept", edits: addedOnly(timeOf) } as const;

/** The events of a day that a clone wrote. */
export const events = defineNoun({
  kind: "events",
  words: ["event", "events"],
  at: "events",
  path: ({ day, clone }: { day: string; clone: string }) => eventPath(day, clone),
  locate(path) {
    const [, day, clone] = /^events\/(\d{4}-\d\d-\d\d)\/([0-9a-z]{8})\.jsonl$/.exec(path) ?? [];
    return day !== undefined && clone !== undefined ? { day, clone } : null;
  },
  limit: FILE_BYTES.events,
  section: "spec/messages.md, Events",
  expected: "an event a line",
  parse: (source) => eventsIn(source),
  ...lines,
});
