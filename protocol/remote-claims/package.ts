/** Remote claims, as a package: the remote as the one who decides claims. */
import type { Package } from "../core/package.ts";
import type { ClaimsOfRemote } from "../sync/asks.ts";
import { decideClaims } from "./decide-with-remote.ts";
import { examineClaims } from "./examine-claims.ts";
import { pruneClaims } from "./prune-refs.ts";
import { remoteDecider } from "./remote-decider.ts";
import { noteSynced } from "./remote-notes.ts";
import { tellOverruled } from "./tell-loser.ts";

const ofSync: ClaimsOfRemote = {
  async decide(world, remote, patience) {
    const { claimRemote, ...decided } = await decideClaims(world, remote, patience);
    return { ...decided, prune: claimRemote === null ? null : (commit) => pruneClaims(world, claimRemote, commit) };
  },
  noteSynced: (world, remote) => noteSynced(world, remote),
  tellOverruled: (world, repository, merge) => tellOverruled(world, repository, merge),
};

/** The values of remote claims for the board, sync and `doctor`. */
export const remoteClaims: Package = {
  decider: () => remoteDecider,
  claims: () => ofSync,
  probes: { claims: (world) => examineClaims(world) },
};
