/** What the reviews of a task came to, in words. spec/board.md, "Review". */

import type { Faults } from "../../core/home/broken-files.ts";
import type { World } from "../../core/world.ts";
import { nameNow } from "../../mail/files/members.ts";
import { isLatest, recordOf } from "./artifacts.ts";
import { commitState } from "./commits.ts";
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
    newest.set(key, [...(newest.get(key) ?? []).filter((each) => each.version === version), review]);
  }
  const said = new Map<string, string>();
  for (const reviews of newest.values()) {
    const { task = "" } = reviews[0] as ReviewState;
    const words = await wordsOf(world, session, reviews);
    if (words !== "") said.set(task, [said.get(task) ?? [], words].flat().join("; "));
  }
  return said;
}

async function wordsOf(world: World, session: string, reviews: readonly ReviewState[]): Promise<string> {
  const by = (status: ReviewState["status"]): string =>
    [...new Set(reviews.flatMap((each) => (each.status === status ? [nameNow(world, each.reviewer)] : [])))].join(", ");
  const [changes, pending, approved] = [by("changes_requested"), by("pending"), by("approved")];
  if (changes !== "") return `changes asked by ${changes}`;
  const at = approved === "" ? "" : `approved by ${approved}${await commitWords(world, session, reviews[0] as ReviewState)}`;
  return [pending === "" ? [] : [`in review at ${pending}`], at === "" ? [] : [at]].flat().join("; ");
}

async function commitWords(world: World, session: string, review: ReviewState): Promise<string> {
  const record = recordOf(world, session, review);
  if (record?.commit === undefined) return "";
  const { merged, ahead } = await commitState(world, record);
  const more = merged === undefined ? "" : merged ? ", merged" : ", not merged";
  return ` at ${record.commit.slice(0, 7)}${more}${ahead === undefined ? "" : `, ${record.branch} is ${ahead} ahead`}`;
}
