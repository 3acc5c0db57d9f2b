/** The set-up of each agent here, and whether it works. */
import * as z from "zod/mini";
import { HOST_NAMES, type HostName, hostOf } from "../../agents/hosts/index.ts";
import { codeRepository } from "../../core/home/find-home.ts";
import { hereFile, worktreeNames } from "../../core/home/worktree-part.ts";
import { inWorktree, type World } from "../../core/world.ts";
import { findProgram } from "../../store/program.ts";

/** One thing that was checked of the setup of an agent. */
export const SetupCheck = z.object({
  agent: z.string(),
  /** The top of the worktree, where that is another one than here. */
  worktree: z.optional(z.string()),
  what: z.string(),
  state: z.enum(["ok", "wrong", "unknown"]),
  detail: z.string(),
  remedy: z.optional(z.string()),
});

/** The other worktrees of this repository that are parts: an agent whose files lie in its worktree is set up in each. */
function otherParts(world: World): { top: string; part: string }[] {
  const repository = codeRepository(world.cwd);
  const all = repository === null ? [] : worktreeNames(world, repository.commonDir);
  return all.flatMap(({ gitDir, top, part }) => (part === null || gitDir === repository?.gitDir ? [] : [{ top, part }]));
}

/** What is set up here and in the other worktrees of parts, piece by piece. */
export async function checkSetups(world: World, agent: HostName | null) {
  const { checkAgent } = await import("../files/agent-checks.ts");
  const { part } = world.me;
  const worktree = hereFile(world.cwd);
  const who = { part, partBefore: part, partIn: worktree === null || part === null ? null : ("worktree" as const) };
  // Who never had an agent wants no word on it.
  const isHere = (each: HostName): boolean => findProgram(each, world.cwd, world.env["PATH"]) !== null;
  const elsewhere = otherParts(world);
  const checkedIn = (each: HostName, { top, part: its }: { top: string; part: string }) => {
    return checkAgent(inWorktree(world, top, its), each).map((check) => ({ ...check, worktree: top }));
  };
  const checks = (agent === null ? HOST_NAMES : [agent]).flatMap((each) => {
    const found = checkAgent(world, each);
    const isNone = agent === null && found.every(({ what }) => what === "set up") && !isHere(each);
    return isNone
      ? []
      : [...found, ...(hostOf(each).server.base === "worktree" ? elsewhere.flatMap((there) => checkedIn(each, there)) : [])];
  });
  return { agent, written: false, removed: false, files: [], ...who, notes: [], checks };
}
