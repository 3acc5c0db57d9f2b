/** Approvals that their branches left behind, or that the main branch lacks. spec/board.md, "Artifact". */

import { orElse } from "../../core/format/file-error.ts";
import type { World } from "../../core/world.ts";
import { nameNow } from "../../mail/files/members.ts";
import { resultPath } from "../nouns/review.ts";
import { recordOf } from "./artifacts.ts";
import { type CommitOfCode, commitStates, unsquashed } from "./commits.ts";
import { listReviews, type ReviewState } from "./read-review.ts";

/** An approval that later commits of the branch are not part of: where it lies, and what to do. */
interface Behind {
  path: string;
  words: string;
}

/** Approvals of a session: those that their branches left behind, and those that the main branch lacks. */
interface Approvals {
  behind: Behind[];
  /** Names the artifacts whose newest version every reviewer approved, and whose commit the main branch lacks, and how to merge each. */
  unmerged(): Promise<Unmerged[]>;
  /** One review of each artifact whose newest version every reviewer approved, and whose commit git here has. */
  approved: ReviewState[];
}

/** Approved work that is to be merged, its commit, and its task. */
interface Unmerged {
  task?: string | undefined;
  commit: string;
  words: string;
}

/**
 * The approvals of a session's artifacts, each the last of its artifact; one question to git for both kinds.
 * @param task only artifacts of this task; undefined of all
 */
export async function approvalsOf(world: World, session: string, task?: string): Promise<Approvals> {
  const all = listReviews(world, session, []).filter(
    ({ status, task: of }) => status !== "withdrawn" && (task === undefined || of === task),
  );
  const newest = new Map<string, number>();
  for (const { name, version } of all) newest.set(name, Math.max(version, newest.get(name) ?? 0));
  const isOpen = new Set(
    all.filter(({ name, version, status }) => status !== "approved" && version === newest.get(name)).map(({ name }) => name),
  );
  const latest = new Map<string, ReviewState>();
  for (const review of all)
    if (review.status === "approved" && (latest.get(review.name)?.version ?? 0) < review.version) latest.set(review.name, review);
  const reviews = [...latest.values()];
  const codes = reviews.map((review): CommitOfCode => orElse(null, () => recordOf(world, session, review)) ?? {});
  const states = await commitStates(world, codes);
  const behind = reviews.flatMap(({ id, name }, at) => {
    const { ahead } = states[at] ?? {};
    if (ahead === undefined) return [];
    const { commit: whole = "", branch } = codes[at] as CommitOfCode;
    const commit = whole.slice(0, 7);
    const words = `${name}: approved ${commit}, ${branch} is ${ahead} ahead; where that belongs to it submit it again, else merge ${commit} alone`;
    return [{ path: resultPath(session, id), words }];
  });
  const lacking = reviews.flatMap(({ name, version, requester, task: of }, at): Unmerged[] => {
    const { commit = "" } = codes[at] as CommitOfCode;
    if (states[at]?.merged !== false || version !== newest.get(name) || isOpen.has(name)) return [];
    const words = `${name} v${version} of ${nameNow(world, requester)}: \`git merge ${commit.slice(0, 7)}\``;
    return [{ ...(of === undefined ? {} : { task: of }), commit, words }];
  });
  const unmerged = async (): Promise<Unmerged[]> => {
    const commits = await unsquashed(
      world,
      lacking.map(({ commit }) => commit),
    );
    return lacking.filter(({ commit }) => commits.has(commit));
  };
  const approved = reviews.filter(
    ({ name, version }, at) => states[at]?.merged !== undefined && version === newest.get(name) && !isOpen.has(name),
  );
  return { behind, unmerged, approved };
}
