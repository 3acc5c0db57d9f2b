/** Remote claims, as a package: the remote as the one who decides claims. */
import type { Package } from "../core/package.ts";
import { remoteDecider } from "./remote-decider.ts";

/** What remote claims give to the board. */
export const remoteClaims: Package = { decider: () => remoteDecider };
