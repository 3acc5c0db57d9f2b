/** The summary of a session, and those it had before, as files of a home. spec/board.md, "Session summary". */
import { FILE_BYTES } from "../../core/format/schema.ts";
import { agree, defineNoun, plainText, saidBy } from "../../core/noun/noun.ts";
import { editedOrUnreadable } from "../../core/noun/noun-effects.ts";
import { inSession, summaryPath, summaryVersionOf, summaryVersionPath, summaryVersions } from "./session.ts";
import { OF_SESSION, refersToTask } from "./session-nouns.ts";
import { parseSummary } from "./summary.ts";

const SUMMARY = {
  ...OF_SESSION,
  limit: FILE_BYTES.summary,
  section: "spec/board.md, Session summary",
  author: saidBy("by"),
  merge: { by: "versions" },
} as const;

/** What a session came to. */
export const summary = defineNoun({
  ...SUMMARY,
  kind: "summary",
  at: "sessions/*/summary.md",
  path: ({ session }: { session: string }) => summaryPath(session),
  locate: (path) => inSession(path, /^sessions\/([^/]+)\/summary\.md$/, () => ({})),
  expected: "a summary",
  parse(source, { session }) {
    const read = parseSummary(source);
    agree(source, "session", read.session ?? session, session);
    return read;
  },
  refersTo: ({ session }, read) =>
    [...(read?.tasks?.keys() ?? [])].map((task) => refersToTask(session, task, { key: "tasks", code: "dangling_summary" })),
  effects: editedOrUnreadable(parseSummary),
  guard: "kept",
  mustBeReadable: true,
  isEdited: true,
});

/** A summary as it was before another one was saved. */
export const version = defineNoun({
  ...SUMMARY,
  kind: "version",
  at: "sessions/*/summaries",
  path: ({ session, version: number }: { session: string; version: number }) => summaryVersionPath(session, number),
  locate: (path) =>
    inSession(path, /^sessions\/([^/]+)\/summaries\/([^/]+)$/, (name = "") => {
      const number = summaryVersionOf(name);
      return number === null ? null : { version: number };
    }),
  expected: "a summary as it was before",
  parse: plainText,
  guard: "once",
  series: ({ session, version: n }) => ({ folder: summaryVersions(session), n }),
});
