/** Approvals that the code has left behind. spec/board.md, "Artifact". */

import { orElse } from "../../objects/format/file-error.ts";
import type { World } from "../../world.ts";
import { recordOf } from "./artifacts.ts";
import { aheadOf } from "./commits.ts";
import { listReviews } from "./reviews.ts";

/**
 * Says of each artifact whose last approved version is about a commit that its branch has left: `Refund: approved 5e817e8, web is 2 ahead`.
 * @param task only artifacts of this task; undefined of all
 */
export async function approvedBehind(world: World, session: string, task?: string): Promise<string[]> {
  const latest = new Map<string, { id: string; version: number }>();
  for (const { status, name, artifact: id, version, task: of } of listReviews(world, session, [])) {
    if (status !== "approved" || (task !== undefined && of !== task) || (latest.get(name)?.version ?? 0) >= version) continue;
    latest.set(name, { id, version });
  }
  const said: string[] = [];
  for (const [name, { id }] of latest) {
    const artifact = orElse(null, () => recordOf(world, session, id));
    const ahead = artifact === null ? null : await aheadOf(world, artifact);
    if (artifact !== null && ahead !== null && ahead > 0)
      said.push(`${name}: approved ${artifact.commit?.slice(0, 7)}, ${artifact.branch} is ${ahead} ahead`);
  }
  return said;
}
