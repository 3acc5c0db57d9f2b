/** `relay attach`: parts in tmux. */
import { spawnSync } from "node:child_process";
import { attachArgs } from "../pager/tmux/parts-in-tmux.ts";
import { createWorld, EXIT } from "../protocol/index.ts";
import { requireMembers } from "../protocol/mail/files/members.ts";
import { ownProgram, withAbsolutePath } from "../protocol/store/program.ts";
import type { Common } from "./commands.ts";

/** Shows a part, or the project's session, in this terminal. */
export async function attach(part: string | undefined, options: Common): Promise<number> {
  const world = createWorld({ home: options.home });
  world.home().config();
  if (part !== undefined) requireMembers(world, [part]);
  const args = await attachArgs(world, part ?? null);
  return spawnSync(ownProgram("tmux", process.env), args, { stdio: "inherit", env: withAbsolutePath(process.env) }).status ?? EXIT.failed;
}
