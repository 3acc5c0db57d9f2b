/** Hooks. */
import type { World } from "../world.ts";

export interface HookFailure {
  hook: string;
  exitCode: number | null;
  output: string;
}

export async function runHooks(
  _world: World,
  _agent: string,
  _hook: "before_task" | "after_task",
  _task: string,
  _session: string,
): Promise<HookFailure | null> {
  return null;
}
