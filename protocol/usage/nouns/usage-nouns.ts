/** Usage as files of a home: a file a month and clone, a line for each call. spec/usage.md, "Lines". */
import { FILE_BYTES } from "../../core/format/schema.ts";
import { addedOnly, unionOfLines } from "../../core/noun/merge-fields.ts";
import { defineNoun } from "../../core/noun/noun.ts";
import { usageIn, usagePath } from "./usage-line.ts";

const timeOf = (line: string): string => /"at":"([^"]*)"/.exec(line)?.[1] ?? "";

/** The calls of a month that a clone collected. */
export const usage = defineNoun({
  kind: "usage",
  words: ["usage file", "usage files"],
  at: "usage",
  path: ({ month, clone }: { month: string; clone: string }) => usagePath(month, clone),
  locate(path) {
    const [, month, clone] = /^usage\/(\d{4}-\d\d)\/([0-9a-z]{8})\.jsonl$/.exec(path) ?? [];
    return month !== undefined && clone !== undefined ? { month, clone } : null;
  },
  limit: FILE_BYTES.usage,
  section: "spec/usage.md, Lines",
  expected: "a call a line",
  parse: (source, { month }) => usageIn(source, month),
  merge: unionOfLines(timeOf),
  guard: "kept",
  edits: addedOnly(timeOf),
});
