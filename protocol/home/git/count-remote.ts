/** Counts the files of a remote branch before reading it: a few kilobytes can be a tree with more files than any disk holds. spec/git.md, "The remote". */
import { refuse } from "../../refusal.ts";
import { changesMoreThan } from "../../store/git/git-history.ts";
import type { Repository } from "../../store/git/git-run.ts";

/** Files that all commits of one sync may change together; and those of a whole history, which a clone joins. */
const CHANGES_MOST = { sync: 2_000_000, join: 10_000_000 };

/**
 * Refuses a commit that came with more changes than anybody looks at.
 * @param known what this clone has already
 * @throws Refusal `remote_damaged`
 */
export async function requireCountable(
  repository: Repository,
  { remote, branch, theirs, known }: { remote: string; branch: string; theirs: string; known: readonly string[] },
): Promise<void> {
  const most = CHANGES_MOST[known.length === 0 ? "join" : "sync"];
  const range = [theirs, ...known.map((commit) => `^${commit}`)];
  if (known.includes(theirs) || !(await changesMoreThan(repository, range, most))) return;
  const reason = `its commits change more files than Relay reads (at most ${most})`;
  throw refuse("remote_damaged", { remote, ref: `refs/heads/${branch}`, commit: theirs, object: theirs, fault: "tooManyFiles", reason });
}
