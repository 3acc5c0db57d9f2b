/** Hooks: commands of the user's that gate an agent's tasks, once they are granted on this machine. spec/agents.md, "Hooks and trust". */

import path from "node:path";
import type { HookFailure } from "../../board/asks.ts";
import { codeRepository, isSubmodule } from "../../core/home/find-home.ts";
import type { World } from "../../core/world.ts";
import { untied } from "../../git/git-environment.ts";
import { runProgram } from "../../store/run.ts";
import { granted } from "../../trust/files/grants.ts";
import { stateFolder } from "../../trust/files/state-folder.ts";
import { type Grant, HOOKS, type Hook, hookGrant } from "../../trust/nouns/grant.ts";
import type { ResolvedAgent } from "../nouns/agent.ts";
import { findAgent } from "./agents.ts";

/** How long all commands of a hook together may take, in milliseconds. */
export const HOOK_LIMITS_MS: Readonly<Record<Hook, number>> = { before_task: 30_000, after_task: 120_000 };

/** A command that somebody wrote for an agent and a moment; it is granted for exactly these three together. */
export interface HookCommand {
  agent: string;
  hook: Hook;
  command: string;
}

/** Every hook command of an agent. */
export const commandsOf = ({ id, hooks }: ResolvedAgent): HookCommand[] =>
  HOOKS.flatMap((hook) => hooks[hook].map((command) => ({ agent: id, hook, command })));

/** What must be granted for a command to run. */
export const grantOf = ({ agent, hook, command }: HookCommand): Grant => hookGrant(agent, hook, command, HOOK_LIMITS_MS[hook]);

/**
 * Runs an agent's hook for a task; its commands one after the other, until one fails.
 * @param sessionId the session of the task: its team says what the agent's hooks are, else the pool
 * @param limitMs for all of them together
 * @returns the first failure; "none" where nothing ran, so that no time went by. What nobody granted here holds nobody up: it is left
 *   out, and the answer says so
 */
export async function runHooks(
  world: World,
  agentId: string,
  hook: Hook,
  taskId: string,
  sessionId: string,
  limitMs: number = HOOK_LIMITS_MS[hook],
): Promise<HookFailure | "passed" | "none"> {
  const agent = findAgent(world, agentId, sessionId);
  const commands = agent === null ? [] : commandsOf(agent).filter((each) => each.hook === hook);
  // What was granted is what runs: nothing is read again in between.
  const runs = commands.map((each) => granted(world, grantOf(each)) ?? leftOut(world, each)).filter((argv) => argv !== null);
  if (runs.length === 0) return "none";
  // A hook may use git itself, and must not land in the repository whose own hook Relay was called from.
  const env = {
    ...untied(world.env),
    RELAY_AGENT_ID: agentId,
    RELAY_TASK_ID: taskId,
    RELAY_SESSION_ID: sessionId,
  };
  const until = performance.now() + limitMs;
  for (const argv of runs) {
    const timeoutMs = Math.max(1, until - performance.now());
    const { exitCode, output } = await runProgram(argv, { cwd: folderOf(world), env, timeoutMs, signal: world.signal });
    if (exitCode !== 0) return { hook, exitCode, output };
  }
  return "passed";
}

/** Notes for the answer that a command did not run, because nobody granted it here. */
function leftOut(world: World, { agent, hook, command }: HookCommand): null {
  const { problem } = stateFolder(world);
  const why = problem === null ? "" : ` (${problem})`;
  const shown = JSON.stringify(command);
  world
    .home()
    .store.notes.set(
      `${agent} ${hook} ${command}`,
      `the ${hook} hook of ${agent} did not run, because nobody allowed it on this machine${why}: ${shown}. A person reads it and runs \`relay trust\``,
    );
  return null;
}

/** Where hooks run: at the top of the worktree that the call comes from, where it is one of this project, and no submodule; else beside the home. */
function folderOf(world: World): string {
  const { root } = world.home().store;
  const code = codeRepository(world.cwd);
  return code !== null && code.top !== null && code.home === root && !isSubmodule(code) ? code.top : path.dirname(root);
}
