/** Events, and what a later version will say of use, as files of a home: a file a day and clone, a line for each. spec/messages.md, "Events". */
import { FILE_BYTES } from "../format/schema.ts";
import { addedOnly, unionOfLines } from "../noun/merge-fields.ts";
import { defineNoun, verbatim } from "../noun/noun.ts";
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

/** A file of a later version: it is kept, and nobody reads it yet. */
export const usage = defineNoun({
  kind: "usage",
  words: ["file", "files"],
  at: "usage",
  path: ({ month, clone }: { month: string; clone: string }) => `usage/${month}/${clone}.jsonl`,
  locate(path) {
    const [, month, clone] = /^usage\/(\d{4}-\d\d)\/([0-9a-z]{8})\.jsonl$/.exec(path) ?? [];
    return month !== undefined && clone !== undefined ? { month, clone } : null;
  },
  limit: FILE_BYTES.usage,
  section: "SPEC.md, The tree",
  expected: "a file of lines",
  parse: verbatim,
  ...lines,
});
