/** The set-up of each agent here, and whether it works. */
import * as z from "zod/mini";
import { hereFile } from "../../home/worktree-part.ts";
import { HOST_NAMES, type HostName } from "../../objects/host/index.ts";
import { findProgram } from "../../store/program.ts";
import type { World } from "../../world.ts";

/** One thing that was checked of the setup of an agent. */
export const SetupCheck = z.object({
  agent: z.string(),
  what: z.string(),
  state: z.enum(["ok", "wrong", "unknown"]),
  detail: z.string(),
  remedy: z.optional(z.string()),
});

/** What is set up here, piece by piece. */
export async function checkSetups(world: World, agent: HostName | null) {
  const { checkAgent } = await import("../../home/setup/agent-checks.ts");
  const { part } = world.me;
  const worktree = hereFile(world.cwd);
  const who = { part, partBefore: part, partIn: worktree === null || part === null ? null : ("worktree" as const) };
  // Who never had an agent wants no word on it.
  const isHere = (each: HostName): boolean => findProgram(each, world.cwd, world.env["PATH"]) !== null;
  const checks = (agent === null ? HOST_NAMES : [agent]).flatMap((each) => {
    const found = checkAgent(world, each);
    return agent === null && found.every(({ what }) => what === "set up") && !isHere(each) ? [] : found;
  });
  return { agent, written: false, removed: false, files: [], ...who, notes: [], checks };
}
