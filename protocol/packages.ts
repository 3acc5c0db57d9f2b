/** What the packages give to the core, which imports none of them. Each is evaluated when it is first used. */
import { listNouns } from "./core/noun/noun-list.ts";
import { listOperations } from "./core/operation.ts";
import { nouns } from "./nouns.ts";
import { operations } from "./operations.ts";

/** Makes all of it known to the core. Who performs operations does this first; doing it twice changes nothing. */
export function usePackages(): void {
  listNouns(() => nouns);
  listOperations(operations);
}
