/** The set-up of each agent here, and whether it works. */
import * as z from "zod/mini";
import { hereFile } from "../../home/worktree-part.ts";
import type { AgentName } from "../../objects/setup/agent-setup.ts";
import { findProgram } from "../../store/program.ts";
import type { World } from "../../world.ts";

/** The agents; what is written for each is loaded when it is needed. */
export const SETUP_AGENTS = ["claude", "codex", "gemini"] as const satisfies readonly AgentName[];

/** One thing that was checked of the setup of an agent. */
export const SetupCheck = z.object({
  agent: z.string(),
  what: z.string(),
  state: z.enum(["ok", "wrong", "unknown"]),
  detail: z.string(),
  remedy: z.optional(z.string()),
});

/** What is set up here, piece by piece. */
export async function checkSetups(world: World, agent: AgentName | null) {
  const { checkAgent } = await import("../../home/setup/agent-checks.ts");
  const { part } = world.me;
  const worktree = hereFile(world.cwd);
  const who = { part, partBefore: part, partIn: worktree === null || part === null ? null : ("worktree" as const) };
  // Who never had an agent wants no word on it.
  const isHere = (each: AgentName): boolean => findProgram(each, world.cwd, world.env["PATH"]) !== null;
  const checks = (agent === null ? SETUP_AGENTS : [agent]).flatMap((each) => {
    const found = checkAgent(world, each);
    return agent === null && found.every(({ what }) => what === "set up") && !isHere(each) ? [] : found;
  });
  return { agent, written: false, removed: false, files: [], ...who, notes: [], checks };
}
