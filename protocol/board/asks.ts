/** What the board asks of other packages: hooks and teams of agents, a record at once, what a session cost. */
import type { World } from "../core/world.ts";
import type { Hook } from "../trust/nouns/grant.ts";

/** A hook that did not pass; no exit code when it was killed because it took too long, or the call was cancelled. */
export interface HookFailure {
  hook: Hook;
  exitCode: number | null;
  /** The end of what it wrote. */
  output: string;
}

declare module "../core/package.ts" {
  interface Package {
    /** Runs an agent's hook for a task. @returns the first failure; "none" where nothing ran */
    runHooks?(world: World, agentId: string, hook: Hook, taskId: string, sessionId: string): Promise<HookFailure | "passed" | "none">;
    /** Lists the ids that the team file of a session names. */
    teamIds?(world: World, session: string): string[];
    /** Records before a call is answered. @returns whether it is recorded; what to warn of */
    recordNow?(world: World): Promise<{ recorded?: true; warning?: string }>;
    /** Sums what the calls of models of a session cost; null where nothing is known. */
    usageOfSession?(world: World, session: string): { calls: number; usd: number; unknown: number } | null;
  }
}
