/** What the packages give to the core, which imports none of them. Each is evaluated when it is first used. */
import { agents } from "./agents/package.ts";
import { board } from "./board/package.ts";
import { announceActs } from "./core/home/feed.ts";
import { listNouns } from "./core/noun/noun-list.ts";
import { listOperations } from "./core/operation.ts";
import { listPackages, type Package } from "./core/package.ts";
import { listRefusals } from "./core/refusal.ts";
import { mail } from "./mail/package.ts";
import { nouns } from "./nouns.ts";
import { office } from "./office/package.ts";
import { operations } from "./operations.ts";
import { REFUSALS } from "./refusals.ts";
import { remoteClaims } from "./remote-claims/package.ts";
import { removal } from "./removal/package.ts";
import { setup } from "./setup/package.ts";
import { sync } from "./sync/package.ts";
import { trust } from "./trust/package.ts";
import { turn } from "./turn/package.ts";
import { usage } from "./usage/package.ts";
import { wake } from "./wake/package.ts";

/** Makes all of it known to the core. Who performs operations does this first; doing it twice changes nothing. */
export function usePackages(): void {
  listNouns(() => nouns);
  listOperations(operations);
  listRefusals(() => REFUSALS);
  const feed: Package = { acts: { announce: (world, deed) => announceActs(world, deed) } };
  listPackages([trust, feed, mail, removal, board, sync, turn, remoteClaims, wake, agents, usage, office, setup]);
}
