/** Approvals that their branches left behind, or that the main branch lacks. spec/board.md, "Artifact". */

import { orElse } from "../../core/format/file-error.ts";
import type { World } from "../../core/world.ts";
import { nameNow } from "../../mail/files/members.ts";
import { resultPath } from "../nouns/review.ts";
import { recordOf } from "./artifacts.ts";
import { type CommitOfCode, commitStates, unmergedOf } from "./commits.ts";
import { listReviews, type ReviewState } from "./read-review.ts";

/** An approval that later commits of the branch are not part of: where it lies, and what to do. */
interface Behind {
  path: string;
  words: string;
}

/**
 * The approvals of a session's artifacts, each the last of its artifact, whose branch has commits since.
 * @param task only artifacts of this task; undefined of all
 */
export async function approvedBehind(world: World, session: string, task?: string): Promise<Behind[]> {
  const latest = new Map<string, ReviewState>();
  for (const review of listReviews(world, session, [])) {
    const { status, name, version, task: of } = review;
    if (status === "approved" && (task === undefined || of === task) && (latest.get(name)?.version ?? 0) < version)
      latest.set(name, review);
  }
  const reviews = [...latest.values()];
  const codes = reviews.map((review): CommitOfCode => orElse(null, () => recordOf(world, session, review)) ?? {});
  const states = await commitStates(world, codes);
  return reviews.flatMap(({ id, name }, at) => {
    const { ahead } = states[at] ?? {};
    if (ahead === undefined) return [];
    const { commit: whole = "", branch } = codes[at] as CommitOfCode;
    const commit = whole.slice(0, 7);
    const words = `${name}: approved ${commit}, ${branch} is ${ahead} ahead; where that belongs to it submit it again, else merge ${commit} alone`;
    return [{ path: resultPath(session, id), words }];
  });
}

/** Names the artifacts of a session whose newest version every reviewer approved, and whose commit the main branch lacks, and how to merge each. */
export async function approvedUnmerged(world: World, session: string): Promise<string[]> {
  const newest = new Map<string, ReviewState[]>();
  for (const review of listReviews(world, session, []).filter(({ status }) => status !== "withdrawn")) {
    const [known] = newest.get(review.name) ?? [];
    if (known === undefined || known.version < review.version) newest.set(review.name, [review]);
    else if (known.version === review.version) newest.get(review.name)?.push(review);
  }
  const approved = [...newest.values()]
    .filter((reviews) => reviews.every(({ status }) => status === "approved"))
    .flatMap(([one]) => one ?? []);
  const unmerged = await unmergedOf(
    world,
    approved.flatMap(({ commit }) => commit ?? []),
  );
  return approved.flatMap(({ name, version, requester, commit }) =>
    commit !== undefined && unmerged.has(commit)
      ? [`${name} v${version} of ${nameNow(world, requester)}: \`git merge ${commit.slice(0, 7)}\``]
      : [],
  );
}
