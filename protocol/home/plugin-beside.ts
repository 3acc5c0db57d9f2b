/** Whether Relay's own hooks stand in the files of a worktree too: then its plugin's keep still, and everything is said once. */
import type { World } from "../world.ts";

/** @param world one whose working directory is in the worktree */
export async function isSetUpBeside(world: World): Promise<boolean> {
  const { entriesOf } = await import("./agent-checks.ts");
  return entriesOf(world, "claude").some(({ kind }) => kind === "hook");
}
