/** What sync asks of other packages: claims that the remote decides, and team files that nobody can read. */
import type { FileFault } from "../core/refusal.ts";
import type { World } from "../core/world.ts";
import type { Change } from "../git/git-changes.ts";
import type { Repository } from "../git/git-run.ts";
import type { Patience, Remote } from "../git/remote/git-network.ts";
import type { Store } from "../store/root.ts";

/** What became of the claims that a remote decides. */
export interface DecidedClaims {
  /** Removes refs of claims that a commit has; null where this remote does not decide. */
  prune: ((commit: string) => Promise<unknown>) | null;
  /** Whether there was no claim at all, so that nothing was written. */
  hasNone: boolean;
  /** In words, what lies among the refs of claims and is none. */
  strays: string | null;
}

/** Claims that the remote decides, as sync asks for them. */
export interface ClaimsOfRemote {
  /** Brings the claims of this home and those of the remote together. @throws Refusal */
  decide(world: World, remote: Remote, patience: Patience): Promise<DecidedClaims>;
  /** Notes that the home has all that a remote had. */
  noteSynced(world: World, remote: Remote): void;
  /** Tells those whose claims gave way in a merge that was made here. */
  tellOverruled(world: World, repository: Repository, merge: { from: string; to: string; changes: readonly Change[] }): Promise<void>;
}

declare module "../core/package.ts" {
  interface Package {
    /** Claims that the remote decides. */
    claims?(): ClaimsOfRemote;
    /** Says what is wrong with a team file; null of any other file. */
    teamFault?(store: Store, path: string): FileFault | null;
  }
}
