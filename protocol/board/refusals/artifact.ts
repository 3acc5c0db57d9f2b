/** Refusals about artifacts and reviews. */

import { someOf } from "../../core/format/many.ts";
import { placeWords } from "../../core/format/shell-word.ts";
import { nearest } from "../../core/names.ts";
import { EXIT, entry, nearestHint, quote } from "../../core/refusals/entry.ts";

/** So many names are worth reading where none is near. */
const NAMED = 5;

/** Code → the exit code of a refusal, and its sentence by its data. */
export const ARTIFACT_REFUSALS = {
  unknown_artifact: entry(
    EXIT.notFound,
    (d: { given: string; artifact: null; known: string[]; session_id?: string }, { on }) => {
      if (d.session_id !== undefined && !d.known.includes(d.given))
        return `artifact ${quote(d.given)} is of session ${d.session_id}, which is not the session that is open now. Name it: ${on(
          `session_id = ${quote(d.session_id)}`,
          `add \`--session ${placeWords([d.session_id])}\` to the command`,
        )}.`;
      const near = nearest(d.given, d.known);
      const some = d.known.slice(0, NAMED);
      const posted = some.length === 0 ? "Nothing is posted in this session yet." : `Posted in this session: ${some.join(", ")}.`;
      return `no artifact ${quote(d.given)}.${near.length === 0 ? ` ${posted}` : nearestHint(near)} ${on(
        "Use a name that `post_artifact` made.",
        "`relay artifact list` lists them.",
      )}`;
    },
    () => "artifact not found",
  ),
  versions_full: entry(
    EXIT.refused,
    (d: { artifact: string; version: number }) =>
      `the artifact ${quote(d.artifact)} has the highest possible version, ${d.version}, so nothing was written. Post it under another name.`,
  ),
  unknown_review: entry(
    EXIT.notFound,
    (d: { given: string; nearest?: string[] }, { on }) =>
      `no review ${quote(d.given)}.${nearestHint(d.nearest ?? [])} ${on("`list_reviews`", "`relay review list`")} lists them.`,
    () => "review not found",
  ),
  not_the_reviewer: entry(
    EXIT.refused,
    (d: { reviewer: string; task?: string; others?: string[] }, { on }) =>
      `${quote(d.reviewer)} was asked for this review, so nobody else can submit it. Leave it to ${d.reviewer}${
        d.task === undefined
          ? ""
          : `, or have another part asked: ${on(`\`update_task ${d.task}\` with \`reviewer\`${d.others === undefined || d.others.length === 0 ? "" : `, \`${[...d.others, "PART"].join(",")}\``}`, `\`relay task update ${placeWords([d.task])} --reviewer ${[...(d.others ?? []), "PART"].join(",")}\``)}`
      }.`,
    () => "permission denied: not the assigned reviewer",
  ),
  not_the_requester: entry(
    EXIT.refused,
    (d: { requester: string }) =>
      `${quote(d.requester)} asked for this review, so nobody else can withdraw it. Ask ${d.requester} to do it.`,
  ),
  review_submitted: entry(
    EXIT.refused,
    (d: { status: string; why?: string; name?: string; reviewer?: string }, { on }) =>
      d.status === "withdrawn"
        ? `this review was withdrawn, so there is nothing to answer${d.why === undefined ? "" : ` (${d.why})`}. ${on("`next`", "`relay next`")} says what is asked of you.`
        : `this review has its result already: ${d.status}. Ask for another, to be answered anew: ${on(`\`request_review\` of ${quote(d.name ?? "")} by ${d.reviewer}`, `\`relay review request ${placeWords([d.name ?? "", d.reviewer ?? ""])}\``)}.`,
    (d) => (d.status === "withdrawn" ? "Review withdrawn" : `Review already submitted — status is ${d.status}`),
  ),
  unresolved_merge: entry(
    EXIT.refused,
    (d: { files: string[] }) =>
      `your worktree has ${d.files.length === 1 ? "a conflict" : "conflicts"} in ${someOf(d.files)}, so nothing was handed in. Fix that, commit, and submit again.`,
  ),
  self_review: entry(
    EXIT.refused,
    (d: { author: string }, { on }) =>
      `${quote(d.author)} made this artifact, so another part must review it. Name another reviewer; ${on("`roster`", "`relay roster`")} lists all parts.`,
  ),
};
