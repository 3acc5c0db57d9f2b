/** Sessions, and the other files of their folders, as files of a home. SPEC.md, "Session". */
import { parseFrontmatter } from "../../core/format/frontmatter.ts";
import { FILE_BYTES } from "../../core/format/schema.ts";
import { agree, type Counted, defineNoun, earliest, plainText, type Reference, saidBy, verbatim } from "../../core/noun/noun.ts";
import { EDITED, type Effects, namedBy } from "../../core/noun/noun-effects.ts";
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

/** What each path in the folder of a session says. */
export interface InSession {
  session: string;
}
/** What the path of an end or an opening says; turns count from 1. */
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

/** What a push did by an end or an opening: its noun's kind, but for the opening's. */
type TurnDid = { kind: "ended" | "resumed"; session: string; by: string };

/** What an end and an opening have in common. An end follows an opening, and an opening an end: one that nothing led to says nothing. */
const turnNoun = <Kind extends "ended" | "reopened">(kind: Kind, pathOf: (session: string, turn: number) => string) => {
  const effects: Effects<InSession, TurnDid> = {
    reads: "all",
    of: ({ before, after }, { session: id }) =>
      before === null ? [{ kind: kind === "ended" ? kind : "resumed", session: id, by: namedBy(after, `${kind}_by`) }] : [],
    words: ({ session: id, by }) => `${kind} session ${id} as ${by}`,
    isDoneTo: (_did, _part, takesPart) => takesPart(),
  };
  return {
    ...WRITTEN_ONCE,
    kind,
    effects,
    at: "sessions/*",
    path: ({ session: id, turn }: Turn): string => pathOf(id, turn),
    locate: (path: string): Turn | null =>
      inSession(path, /^sessions\/([^/]+)\/([^/]+)$/, (name) => {
        const found = turnOf(name);
        return found?.kind === kind ? { turn: found.turn } : null;
      }),
    limit: FILE_BYTES.session,
    author: saidBy(`${kind}_by`),
    series({ session: id, turn }: Turn): Counted {
      const folder = sessionFolder(id);
      return { folder, n: stepOf(pathOf(id, turn).slice(folder.length + 1)), numberOf: stepOf, jump: 1 };
    },
    merge: earliest(`${kind}_at`),
  } as const;
};

/** An end of a session. */
export const ended = defineNoun({
  ...turnNoun("ended", endedPath),
  expected: "the end of a session",
  parse(source, { session: id }) {
    const read = parseSession(id, NO_START, source);
    agreeOnSession(source, id);
    return read;
  },
  format: formatSession,
});

/** What says that a session was opened again. */
export const reopened = defineNoun({
  ...turnNoun("reopened", reopenedPath),
  expected: "the opening of a session",
  parse(source, { session: id }) {
    const read = parseReopened(source);
    agreeOnSession(source, id);
    return read;
  },
  format: ({ by, at }, { session: id }) => formatReopened(id, by, at),
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
