/** The remote as the one who decides claims, where the home says so; else the disk does. spec/git.md, "Claims across machines". */
import { byThisDisk, type Decider } from "../board/files/claims.ts";
import { decideTask } from "./decide-with-remote.ts";
import { claimRemoteOf, isUndecided, offerClaim, whyUndecided } from "./offer-claim.ts";
import { renewRemote } from "./renew-remote.ts";

/** Asks the home's remote before a record is written here; a home without one decides by its own disk. */
export const remoteDecider: Decider = {
  async add(world, session, task, after, claim, intent) {
    const remote = await claimRemoteOf(world);
    if (remote === null) return byThisDisk.add(world, session, task, after, claim, intent);
    intent?.create();
    if (await decideTask(world, session, task)) return null;
    return offerClaim(world, remote, session, task, after, claim);
  },
  decideUndecided: decideTask,
  renew: renewRemote,
  whyUndecided: async (world, session, record) => (isUndecided(world, session, record) ? whyUndecided(world) : null),
};
