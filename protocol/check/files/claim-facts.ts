/** What this machine knows of claims beside their records. spec/check.md, "Check". */

import { leasePath } from "../../board/nouns/claim.ts";
import { orElse } from "../../core/format/file-error.ts";
import { knownClone } from "../../core/home/feed.ts";
import type { World } from "../../core/world.ts";
import { lifeOf } from "../../store/process.ts";
import { facts } from "../../store/read/facts.ts";
import type { Store } from "../../store/root.ts";
import type { HoldView } from "../nouns/check-task.ts";

/** What is known of claims beside their records; who exists is found out by the check itself. */
export type ClaimFacts = Omit<HoldView, "isKnown">;

/** What lies under `run/` of a folder; of a commit, which has no store, nothing. */
export function claimFacts(world: World, store: Store | null): ClaimFacts {
  const clone = store === null ? null : orElse(null, () => knownClone(store));
  return {
    nowMs: world.now(),
    renewedMs: (session, { task, fence }) =>
      store === null ? null : orElse(null, () => facts(store, leasePath(session, task, fence))?.modifiedMs ?? null),
    life({ process, clone: writer }) {
      const life = process === undefined || clone === null || writer !== clone ? "unknown" : lifeOf(process);
      return life === "unknown" ? null : life;
    },
  };
}
