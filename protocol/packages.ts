/** What the packages give to the core, which imports none of them. Each is evaluated when it is first used. */
import { agents } from "./agents/package.ts";
import { board } from "./board/package.ts";
import { listNouns } from "./core/noun/noun-list.ts";
import { listOperations } from "./core/operation.ts";
import { listPackages } from "./core/package.ts";
import { mail } from "./mail/package.ts";
import { nouns } from "./nouns.ts";
import { office } from "./office/package.ts";
import { operations } from "./operations.ts";
import { remoteClaims } from "./remote-claims/package.ts";
import { setup } from "./setup/package.ts";
import { sync } from "./sync/package.ts";
import { turn } from "./turn/package.ts";
import { usage } from "./usage/package.ts";
import { wake } from "./wake/package.ts";

/** Makes all of it known to the core. Who performs operations does this first; doing it twice changes nothing. */
export function usePackages(): void {
  listNouns(() => nouns);
  listOperations(operations);
  listPackages([mail, board, sync, turn, remoteClaims, wake, agents, usage, office, setup]);
}
