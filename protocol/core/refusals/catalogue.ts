/** The refusals that the core, the store and git make, where no package is known. */
import { ARGUMENT_REFUSALS } from "./argument.ts";
import { DISK_REFUSALS } from "./disk.ts";
import { GIT_REFUSALS } from "./git.ts";
import { HOME_REFUSALS } from "./home.ts";

/** Code → exit code and sentences. */
export const CORE_REFUSALS = { ...ARGUMENT_REFUSALS, ...HOME_REFUSALS, ...DISK_REFUSALS, ...GIT_REFUSALS };
