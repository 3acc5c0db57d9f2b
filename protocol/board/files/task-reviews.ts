/** What the reviews of a task came to, in words. spec/board.md, "Review". */

import { shortOf } from "../../core/format/id.ts";
import type { Faults } from "../../core/home/broken-files.ts";
import type { World } from "../../core/world.ts";
import { nameNow } from "../../mail/files/members.ts";
import { isLatest, recordOf } from "./artifacts.ts";
import { type CommitOfCode, type CommitState, commitStates } from "./commits.ts";
import { listReviews, type ReviewState } from "./read-review.ts";

/**
 * Says of each task what the reviews of its newest versions came to: `approved by api at 5e817e8, not merged`, `changes asked by api`, `in
 * review at api`.
 * @param tasks only of these
 * @returns by task; those without a review are not in it
 */
export async function reviewsOfTasks(
  world: World,
  session: string,
  tasks: ReadonlySet<string>,
  faults: Faults,
): Promise<ReadonlyMap<string, string>> {
  const newest = new Map<string, ReviewState[]>();
  for (const review of listReviews(world, session, faults)) {
    const { task, name, artifact, version } = review;
    if (task === undefined || !tasks.has(task) || !isLatest(world, session, artifact)) continue;
    const key = `${task} ${name}`;
    const known = newest.get(key);
    if (known?.[0]?.version === version) known.push(review);
    else newest.set(key, [review]);
  }
  const said = new Map<string, string>();
  const shown = [...newest.values()];
  const codes = shown.map(([review]): CommitOfCode => recordOf(world, session, review as ReviewState) ?? {});
  const states = await commitStates(world, codes);
  for (const [at, reviews] of shown.entries()) {
    const { task = "" } = reviews[0] as ReviewState;
    const words = wordsOf(world, reviews, codes[at] ?? {}, states[at] ?? {});
    if (words !== "") said.set(task, [said.get(task) ?? [], words].flat().join("; "));
  }
  return said;
}

function wordsOf(world: World, reviews: readonly ReviewState[], code: CommitOfCode, state: CommitState): string {
  const by = (status: ReviewState["status"]): string =>
    [...new Set(reviews.flatMap((each) => (each.status === status ? [nameNow(world, each.reviewer)] : [])))].join(", ");
  const [changes, pending, approved] = [by("changes_requested"), by("pending"), by("approved")];
  if (changes !== "") return `changes asked by ${changes}`;
  const at = approved === "" ? "" : `approved by ${approved}${commitWords(code, state)}`;
  const ids = reviews.filter(({ status }) => status === "pending").map(({ id }) => shortOf(id));
  const open = pending === "" ? [] : [`in review at ${pending} (${ids.join(", ")})`];
  return [...open, ...(at === "" ? [] : [at])].join("; ");
}

function commitWords({ commit, branch }: CommitOfCode, { merged, ahead }: CommitState): string {
  if (commit === undefined) return "";
  const more = merged === undefined ? "" : merged ? ", merged" : ", not merged";
  return ` at ${commit.slice(0, 7)}${more}${ahead === undefined ? "" : `, ${branch} is ${ahead} ahead`}`;
}
