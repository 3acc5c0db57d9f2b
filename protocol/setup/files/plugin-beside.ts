/** Whether Relay's own hooks stand in the files of a host too: then its plugin's keep still, and everything is said once. */
import path from "node:path";
import type { HostName } from "../../agents/hosts/index.ts";
import type { World } from "../../core/world.ts";

/**
 * Only what `relay setup` writes counts, where it writes it: a file that came with the code must not keep anybody from hearing of mail.
 * @param world one whose working directory is in the worktree
 */
export async function isSetUpBeside(world: World, agent: HostName): Promise<boolean> {
  const { entriesOf } = await import("./agent-checks.ts");
  const { hostOf } = await import("../../agents/hosts/index.ts");
  const { isShared } = await import("./agent-trust.ts");
  const host = hostOf(agent);
  const { hooks } = host;
  if (hooks === undefined || (hooks.base === "worktree" && isShared(world, hooks.path))) return false;
  return entriesOf(world, host).some(({ kind, odd, file }) => kind === "hook" && odd === null && file.endsWith(path.normalize(hooks.path)));
}
