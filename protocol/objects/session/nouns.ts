/** Sessions, and the other files of their folders, as files of a home. SPEC.md, "Session". */
import { parseFrontmatter } from "../format/frontmatter.ts";
import { FILE_BYTES } from "../format/schema.ts";
import { EDITED, type Effects, namedBy } from "../noun/effects.ts";
import { agree, type Counted, defineNoun, earliest, plainText, type Reference, saidBy, verbatim } from "../noun/noun.ts";
import {
  endedPath,
  formatReopened,
  formatSession,
  inSession,
  labelPath,
  parseReopened,
  parseSession,
  reopenedPath,
  sessionFolder,
  sessionPath,
  statePath,
  stepOf,
  turnOf,
} from "./session.ts";

export interface InSession {
  session: string;
}
export interface Turn extends InSession {
  turn: number;
}

/** What all files of a session's folder have in common that nothing else counts. */
export const OF_SESSION = {
  words: ["session", "sessions"],
  section: "SPEC.md, Session",
  name: ({ session }: InSession): string => session,
} as const;

/** What refers to a task of a session. */
export const refersToTask = (session: string, task: string, more: Omit<Reference, "kind" | "name">): Reference => ({
  kind: "task",
  name: `${session}/${task}`,
  ...more,
});
const WRITTEN_ONCE = { ...OF_SESSION, guard: "once" } as const;

/** A beginning that is as it must be, so that an end can be read by itself. */
const NO_START = '---\nstarted_by: "human"\nstarted_at: "1970-01-01T00:00:00.000Z"\n---\n';

const agreeOnSession = (source: string, session: string): void =>
  agree(source, "id", parseFrontmatter(source).header["id"] ?? session, session);

/** The beginning of a session. */
export const session = defineNoun({
  ...WRITTEN_ONCE,
  kind: "session",
  at: "sessions/*/session.md",
  path: ({ session: id }: InSession) => sessionPath(id),
  locate: (path) => inSession(path, /^sessions\/([^/]+)\/session\.md$/, () => ({})),
  limit: FILE_BYTES.session,
  expected: "a session",
  parse(source, { session: id }) {
    const read = parseSession(id, source, null);
    agreeOnSession(source, id);
    return read;
  },
  format: formatSession,
  author: saidBy("started_by"),
  merge: earliest("started_at"),
});

/** An end follows an opening, and an opening an end: one that nothing led to says nothing. */
const countedTurn = (session: string, path: string): Counted => ({
  folder: sessionFolder(session),
  n: stepOf(path.slice(sessionFolder(session).length + 1)),
  numberOf: stepOf,
  jump: 1,
});

const locateTurn =
  (kind: "ended" | "reopened") =>
  (path: string): Turn | null =>
    inSession(path, /^sessions\/([^/]+)\/([^/]+)$/, (name) => {
      const found = turnOf(name);
      return found?.kind === kind ? { turn: found.turn } : null;
    });

/** Of an end or an opening: who did it. @param key of the header, which says so */
const turnEffects = <Kind extends "ended" | "resumed">(
  kind: Kind,
  key: string,
): Effects<InSession, { kind: Kind; session: string; by: string }> => ({
  reads: "all",
  of: ({ before, after }, { session: id }) => (before === null ? [{ kind, session: id, by: namedBy(after, key) }] : []),
  words: ({ session: id, by }) => `${kind === "ended" ? "ended" : "reopened"} session ${id} as ${by}`,
  isDoneTo: (_did, _part, takesPart) => takesPart(),
});

/** An end of a session. */
export const ended = defineNoun({
  ...WRITTEN_ONCE,
  kind: "ended",
  at: "sessions/*",
  path: ({ session: id, turn }: Turn) => endedPath(id, turn),
  locate: locateTurn("ended"),
  limit: FILE_BYTES.session,
  expected: "the end of a session",
  parse(source, { session: id }) {
    const read = parseSession(id, NO_START, source);
    agreeOnSession(source, id);
    return read;
  },
  format: formatSession,
  author: saidBy("ended_by"),
  effects: turnEffects("ended", "ended_by"),
  series: (where) => countedTurn(where.session, endedPath(where.session, where.turn)),
  merge: earliest("ended_at"),
});

/** What says that a session was opened again. */
export const reopened = defineNoun({
  ...WRITTEN_ONCE,
  kind: "reopened",
  at: "sessions/*",
  path: ({ session: id, turn }: Turn) => reopenedPath(id, turn),
  locate: locateTurn("reopened"),
  limit: FILE_BYTES.session,
  expected: "the opening of a session",
  parse(source, { session: id }) {
    const read = parseReopened(source);
    agreeOnSession(source, id);
    return read;
  },
  format: ({ by, at }, { session: id }) => formatReopened(id, by, at),
  author: saidBy("reopened_by"),
  effects: turnEffects("resumed", "reopened_by"),
  series: (where) => countedTurn(where.session, reopenedPath(where.session, where.turn)),
  merge: earliest("reopened_at"),
});

/** What the leader of a session wants back after a restart. */
export const state = defineNoun({
  ...OF_SESSION,
  kind: "state",
  effects: EDITED,
  at: "sessions/*/state.json",
  path: ({ session: id }: InSession) => statePath(id),
  locate: (path) => inSession(path, /^sessions\/([^/]+)\/state\.json$/, () => ({})),
  limit: FILE_BYTES.summary,
  expected: "a text",
  parse: verbatim,
  guard: "kept",
  isEdited: true,
});

/** The thread that a session knows under a name. */
export const label = defineNoun({
  ...WRITTEN_ONCE,
  kind: "label",
  at: "sessions/*/labels",
  path: ({ session: id, hash }: InSession & { hash: string }) => labelPath(id, hash),
  locate: (path) => inSession(path, /^sessions\/([^/]+)\/labels\/([0-9a-f]{24})\.txt$/, (hash) => ({ hash })),
  limit: FILE_BYTES.label,
  expected: "the thread of a name",
  parse: plainText,
  refersTo: (_where, text) => (text === null ? [] : [{ kind: "thread", name: text.split("\n", 1)[0] as string }]),
});
