/** Doubts about a commit that is handed in. spec/board.md, "Artifact". */

import { orElse } from "../../core/format/file-error.ts";
import { shortOf } from "../../core/format/id.ts";
import { someOf } from "../../core/format/many.ts";
import { HOME_FOLDER } from "../../core/home/find-home.ts";
import type { World } from "../../core/world.ts";
import { askGit } from "../../git/git.ts";
import { NOT_INSIDE } from "../../git/git-environment.ts";
import { isSamePart, nameNow } from "../../mail/files/members.ts";
import { readArtifact } from "./artifacts.ts";
import { type CommitOfCode, carriedBy, commitStates, mainBranch, worktreeFor } from "./commits.ts";
import { listReviews, type ReviewState } from "./read-review.ts";

/** Files of a part's worktree that its HEAD lacks: those in conflict, and the others; new ones whose path begins with a dot are settings of programs. */
export async function uncommitted(world: World, part: string): Promise<{ conflicts: string[]; changed: string[] }> {
  const folder = worktreeFor(world, part);
  const shape = ["--porcelain", "-z", "--no-renames", "--untracked-files=normal", NOT_INSIDE];
  const listed = folder === null ? null : await askGit(folder, ["status", ...shape, "--", ":(top)", `:(top,exclude)${HOME_FOLDER}`]);
  const rows = (listed ?? "").split("\0").filter((row) => row !== "" && !row.startsWith("?? ."));
  const files = (isConflict: boolean): string[] =>
    rows.filter((row) => /^(U.|.U|AA|DD)/.test(row) === isConflict).map((row) => row.slice("XY ".length));
  return { conflicts: files(true), changed: files(false) };
}

/** The part whose version a review is of; who asked for it where the version cannot be read. */
const authorOf = (world: World, session: string, { artifact, requester }: ReviewState): string =>
  orElse(requester, () => readArtifact(world, session, artifact).artifact.createdBy);

/** Lists the doubts about a commit that is handed in: changes that it lacks, an earlier refusal, a branch that has it already, and others' work in it. */
export async function doubtsOf(
  world: World,
  session: string,
  { name, by, changed, ...code }: CommitOfCode & { name: string; by: string; changed: string[] },
): Promise<string[]> {
  const { commit, branch } = code;
  if (commit === undefined) return [];
  const short = commit.slice(0, 7);
  const reviews = listReviews(world, session, []);
  const same = reviews.find((each) => each.name === name && each.commit === commit && each.status === "changes_requested");
  const main = await mainBranch(world);
  const [state] = await commitStates(world, [code]);
  const open = reviews.filter(
    ({ status, requester }) => ["pending", "changes_requested"].includes(status) && !isSamePart(world, requester, by),
  );
  // A reviewer may have asked for another look at the part's own work.
  const carried = (await carriedBy(world, commit, open)).flatMap((each) => {
    const author = authorOf(world, session, each);
    const { id, commit: other = "", name: of } = each;
    const words = `the commit has ${other.slice(0, 7)} of ${nameNow(world, author)}, too: ${of}, not approved yet (${shortOf(id)})`;
    return isSamePart(world, author, by) ? [] : [words];
  });
  return [
    ...(changed.length === 0 ? [] : [`${short} lacks what you did not commit: ${someOf(changed)}`]),
    ...(same === undefined ? [] : [`${short} is the commit that ${nameNow(world, same.reviewer)} asked changes of`]),
    ...(state?.merged === true && branch !== main ? [`${main} has ${short} already`] : []),
    ...carried,
  ];
}
