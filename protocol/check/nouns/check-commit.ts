/** Whether commits of the code name sessions that are summed up. spec/check.md, "Check". */

import { saveSummaryCommand } from "../../board/nouns/session.ts";
import { type Finding, finding } from "../../core/format/finding.ts";

/** The trailer of a commit that names the session it was made in. */
export const SESSION_TRAILER = "Relay-Session";

/** A commit of the code, and the sessions that it names. */
export interface NamedCommit {
  commit: string;
  subject: string;
  values: readonly string[];
}

/** Checks that each commit names a session of the home, and one that has a summary. @param summed every session → whether it has one */
export function checkCommits(commits: readonly NamedCommit[], summed: ReadonlyMap<string, boolean>): Finding[] {
  return commits.flatMap(({ commit, subject, values }) => {
    if (values.length === 0)
      return [
        finding("commit_without_session", { commit }, `${JSON.stringify(subject)} without it`, `a trailer "${SESSION_TRAILER}: <session>"`),
      ];
    return values.flatMap((session) => {
      if (!summed.has(session)) return [finding("commit_unknown_session", { commit }, session, "a session of this home")];
      if (summed.get(session) === true) return [];
      return [finding("commit_without_summary", { commit }, session, `a summary of it (\`${saveSummaryCommand(session)}\`)`)];
    });
  });
}
