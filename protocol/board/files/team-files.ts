/** Which sessions have a team file. SPEC.md, "Session". */

import { exists } from "../../store/read/facts.ts";
import { keptNames, names } from "../../store/read/list-folder.ts";
import type { Store } from "../../store/root.ts";
import { finishReplacing } from "../../store/write/replace.ts";
import { sessionOfTeam, teamPath } from "../nouns/session.ts";

/** Whether a session has a team file; one that a failing disk kept from its place is put there first. */
export function hasTeamFile(store: Store, session: string): boolean {
  finishReplacing(store, teamPath(session));
  return exists(store, teamPath(session));
}

/** The sessions that have a team file, in order. */
export function sessionsWithTeams(store: Store): string[] {
  const late = names(store, "local/revisions").flatMap((name) => sessionOfTeam(name) ?? []);
  for (const session of late) if (!exists(store, teamPath(session))) finishReplacing(store, teamPath(session));
  return keptNames(store, ".")
    .flatMap((name) => sessionOfTeam(name) ?? [])
    .sort();
}
