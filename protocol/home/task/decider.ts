/** Who decides between two who want the same number of a task's claims. SPEC.md, "Claiming"; spec/git.md, "Claims across machines". */
import type { ClaimRecord } from "../../objects/task/claim.ts";
import type { World } from "../../world.ts";
import { addRecord, type NewClaim, newClaim } from "./claim-read.ts";

/** What a claim needs of whoever decides: this disk alone (`byThisDisk`), or a remote that is asked first (`remote/`). */
export interface Decider {
  /**
   * Adds a record after the one that was seen last.
   * @param after the fence that was seen last
   * @returns the record as it stands here; null when somebody else was quicker
   * @throws Refusal `claims_full`
   */
  add(world: World, session: string, task: string, after: number, claim: NewClaim): Promise<ClaimRecord | null>;
  /**
   * Has records of a task decided that were made while nobody could be asked; nothing to do of most.
   * @returns whether one of them was lost: then the task is another's now
   */
  decideUndecided(world: World, session: string, task: string): Promise<boolean>;
  /** Tells other machines that a claim of this one goes on, where they have to hear it. */
  renew(world: World, session: string, task: string, fence: number): Promise<void>;
  /** Why a record is only provisional, as a sentence; null where it is decided. */
  whyUndecided(world: World, session: string, record: ClaimRecord): Promise<string | null>;
}

/** The exclusive create on this disk decides, at once. */
export const byThisDisk: Decider = {
  async add(world, session, task, after, claim) {
    const record = newClaim(world, task, after + 1, claim, false);
    return addRecord(world, session, record) ? record : null;
  },
  decideUndecided: async () => false,
  renew: async () => {},
  whyUndecided: async () => null,
};

/** Who decides this home's claims: its disk, unless its settings leave it to a remote. */
export const deciderOf = (world: World): Decider => (world.home().config().claims === "remote" ? world.remoteDecider : byThisDisk);
