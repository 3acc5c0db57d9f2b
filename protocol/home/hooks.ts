/** Hooks: commands of the user's that gate an agent's tasks, once they are trusted on this machine. SPEC.md, "Hooks and trust". */
import path from "node:path";
import { HOOKS, type Hook, type ResolvedAgent } from "../objects/agent.ts";
import { refuse } from "../refusal.ts";
import { sha256 } from "../store/digest.ts";
import { publish } from "../store/files.ts";
import { untied } from "../store/git.ts";
import { exists } from "../store/read.ts";
import type { Store } from "../store/root.ts";
import { runShell } from "../store/run.ts";
import type { World } from "../world.ts";
import { findAgent } from "./agents.ts";
import { codeRepository } from "./discover.ts";

/** How long all commands of a hook together may take, in milliseconds. */
export const HOOK_LIMITS_MS: Readonly<Record<Hook, number>> = { before_task: 30_000, after_task: 120_000 };

/** A command that somebody wrote for an agent and a moment; trust is in exactly these three together. */
export interface HookCommand {
  agent: string;
  hook: Hook;
  command: string;
}

/** A hook did not pass; no exit code when it was killed because it took too long, or the call was cancelled. */
export interface HookFailure {
  hook: Hook;
  exitCode: number | null;
  /** The end of what it wrote. */
  output: string;
}

/** Every hook command of an agent. */
export function commandsOf({ id, hooks }: ResolvedAgent): HookCommand[] {
  return HOOKS.flatMap((hook) => hooks[hook].map((command) => ({ agent: id, hook, command })));
}

/** What stands for a command in the records of trust. */
export const trustId = ({ agent, hook, command }: HookCommand): string => sha256(JSON.stringify([agent, hook, command]));

const trustPath = (id: string): string => `local/trust/${id}`;

/** Whether a command may run on this machine. */
export const isTrusted = (store: Store, command: HookCommand): boolean => exists(store, trustPath(trustId(command)));

/** Records that a command may run on this machine; `local/` is in no git, so nobody can send it. */
export function trust(store: Store, command: HookCommand): void {
  publish(store, trustPath(trustId(command)), `${command.command}\n`);
}

/**
 * Runs an agent's hook for a task; its commands one after the other, until one fails.
 * @param sessionId the session of the task: its team says what the agent's hooks are, else the pool
 * @param limitMs for all of them together
 * @returns null when all passed, or there are none
 * @throws Refusal `hook_untrusted`, before any of them ran; `malformed_file` when the agent's definition cannot be read
 */
export async function runHooks(
  world: World,
  agentId: string,
  hook: Hook,
  taskId: string,
  sessionId: string,
  limitMs: number = HOOK_LIMITS_MS[hook],
): Promise<HookFailure | null> {
  const agent = findAgent(world, agentId, sessionId);
  const commands = agent === null ? [] : commandsOf(agent).filter((each) => each.hook === hook);
  if (commands.length === 0) return null;
  const { store } = world.home();
  const waiting = commands.filter((each) => !isTrusted(store, each));
  if (waiting.length > 0) throw refuse("hook_untrusted", { hook, commands: waiting.map(({ command }) => command) });
  // A hook may use git itself, and must not land in the repository whose own hook Relay was called from.
  const env = { ...untied(world.env), RELAY_AGENT_ID: agentId, RELAY_TASK_ID: taskId, RELAY_SESSION_ID: sessionId };
  const until = performance.now() + limitMs;
  for (const { command } of commands) {
    const timeoutMs = Math.max(1, until - performance.now());
    const { exitCode, output } = await runShell(command, { cwd: folderOf(world), env, timeoutMs, signal: world.signal });
    if (exitCode !== 0) return { hook, exitCode, output };
  }
  return null;
}

/** Where hooks run: at the top of the worktree that the call comes from, where it is one of this project; else beside the home. */
function folderOf(world: World): string {
  const { root } = world.home().store;
  const repository = codeRepository(world.cwd);
  const own = repository !== null && repository.top !== null && repository.home === root;
  return own ? (repository.top as string) : path.dirname(root);
}
