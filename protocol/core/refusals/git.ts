/** Refusals of git, and about the records of a home. */
import { shellWord } from "../format/shell-word.ts";
import { EXIT, entry, quote } from "./entry.ts";

/** Code → the exit code of a refusal, and its sentence by its data. */
export const GIT_REFUSALS = {
  unknown_ref: entry(
    EXIT.notFound,
    (d: { given: string; looked: string }) =>
      `no commit ${quote(d.given)} in the repository of ${d.looked}. Expected a branch, a tag or a commit that was fetched. Example: "origin/relay".` +
      (d.given.includes("/") ? " A remote has no home before its first `relay sync`, so run that first." : ""),
  ),
  unknown_range: entry(
    EXIT.notFound,
    (d: { given: string; looked: string }) =>
      `no commits ${quote(d.given)} in the repository of ${d.looked}. Expected a range of commits of the code, with both ends fetched. Example: "origin/main..HEAD".`,
  ),
  git_failed: entry(EXIT.failed, (d: { command: string; reason: string }) =>
    d.reason.includes("spawn git ENOENT")
      ? "git was not found on the PATH. Install git 2.34 or newer, or put it on the PATH."
      : `${d.command} failed: ${d.reason}. Correct that with git, then try again.`,
  ),
  missing_object: entry(
    EXIT.failed,
    (d: { object: string; repository: string }) =>
      `the repository ${d.repository} lacks ${d.object}, which this moment of the home needs: it was cloned in part, or is damaged. ` +
      `Nothing was fetched. Fetch all of it: \`git --git-dir ${shellWord(d.repository)} fetch --refetch --no-filter\`; or give a later moment.`,
  ),
  no_repository: entry(
    EXIT.refused,
    (d: { home: string; why: string }) =>
      `Relay cannot record or share the home ${d.home}, because it has no repository of its own: ${d.why}.`,
  ),
  unknown_commit: entry(EXIT.notFound, (d: { given: string; first?: string }, { operation }) =>
    d.first === undefined
      ? `no commit ${quote(d.given)} of the home. Expected one that \`relay log\` lists${operation === "undo" ? "" : ", or a time such as 2026-01-31T09:30:00Z"}.`
      : `no commit of the home is as old as ${quote(d.given)}: the first is of ${d.first}. Give a later time, or a commit that \`relay log\` lists.`,
  ),
};
