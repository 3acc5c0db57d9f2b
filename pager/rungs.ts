/** The rungs that a pager itself can ring by; who waits for one part (a hook, a server with a channel) rings itself. */
import type { World } from "../protocol/index.ts";
import { execRung } from "./exec.ts";
import type { Rung } from "./rung.ts";
import { terminalRung } from "./tmux/tmux-rung.ts";

/** They are tried in the order that the part's ladder says. */
export const rungsOf = (world: World): Rung[] => [terminalRung(world), execRung(world)];
