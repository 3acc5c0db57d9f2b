/** The rungs that a pager can use. A hook, or a server with a channel, that waits for one part rings that part itself. */
import type { World } from "../protocol/index.ts";
import { execRung } from "./exec.ts";
import type { Rung } from "./rung.ts";
import { terminalRung } from "./tmux/tmux-rung.ts";

/** They are tried in the order that the part's ladder says. */
export const rungsOf = (world: World): Rung[] => [terminalRung(world), execRung(world)];
