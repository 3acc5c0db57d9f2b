/** The files that describe agents, as files of a home. spec/agents.md, "Team files". */

import { sessionOfTeam, teamPath } from "../../board/nouns/session.ts";
import { FILE_BYTES } from "../../core/format/schema.ts";
import { defineNoun, onlyAt } from "../../core/noun/noun.ts";
import { editedOrUnreadable } from "../../core/noun/noun-effects.ts";
import { POOL_PATH, parseTeam } from "./team.ts";

const team = {
  words: ["team", "teams"],
  limit: FILE_BYTES.team,
  section: "spec/agents.md, Team files",
  expected: "agents",
  // A team that a push begins counts for whoever is bound to an agent of it.
  effects: editedOrUnreadable(parseTeam),
  guard: "kept",
  isEdited: true,
} as const;

/** The agents of all sessions. */
export const pool = defineNoun({
  ...team,
  kind: "pool",
  ...onlyAt(POOL_PATH),
  parse: (source) => parseTeam(source, POOL_PATH),
});

/** The agents of a session. */
export const sessionTeam = defineNoun({
  ...team,
  kind: "team",
  at: "*",
  path: ({ session }: { session: string }) => teamPath(session),
  locate(path) {
    const session = sessionOfTeam(path);
    return session === null ? null : { session };
  },
  parse: (source, { session }) => parseTeam(source, teamPath(session)),
  refersTo: ({ session }) => [{ kind: "session", name: session }],
});
