/** Whether Relay's own hooks stand in the files of a worktree too: then its plugin's keep still, and everything is said once. */
import path from "node:path";
import type { World } from "../../world.ts";

/**
 * Only what `relay setup` writes counts, where it writes it: a file that came with the code must not keep anybody from hearing of mail.
 * @param world one whose working directory is in the worktree
 */
export async function isSetUpBeside(world: World): Promise<boolean> {
  const { entriesOf } = await import("./agent-checks.ts");
  const { hostOf } = await import("../../objects/host/index.ts");
  const { isShared, LOCAL_SETTINGS } = await import("./agent-trust.ts");
  const own = entriesOf(world, hostOf("claude")).filter(
    ({ kind, odd, file }) => kind === "hook" && odd === null && file.endsWith(path.normalize(LOCAL_SETTINGS)),
  );
  return own.length > 0 && !isShared(world, LOCAL_SETTINGS);
}
