/** `relay down`: parts in tmux. */
import { startOf } from "../pager/tmux/parts-in-tmux.ts";
import { stopPart } from "../pager/tmux/stop-part.ts";
import { shellWord } from "../protocol/core/format/shell-word.ts";
import { removeWorktree } from "../protocol/git/home/worktrees.ts";
import { createWorld, EXIT } from "../protocol/index.ts";
import { members, requireMembers } from "../protocol/mail/files/members.ts";
import type { Common } from "./commands.ts";
import { printFields } from "./print-fields.ts";

/** Ends parts that `up` started. */
export async function down(parts: readonly string[], options: Common & { force?: boolean; remove?: boolean }): Promise<number> {
  const world = createWorld({ home: options.home });
  world.home().config();
  requireMembers(world, parts);
  const wanted = parts.length > 0 ? [...parts] : members(world).flatMap(({ part }) => (startOf(world, part) === null ? [] : [part]));
  const done = await Promise.all(wanted.map(async (part) => ({ part, how: await stopPart(world, part, options.force === true) })));
  const words = { ended: "ended", killed: "killed", not_up: "was not running" };
  const lines = done.map(({ part, how }) => `${part}: ${words[how]}`);
  const worktrees: ({ part: string } & Awaited<ReturnType<typeof removeWorktree>>)[] = [];
  if (options.remove === true)
    // One after the other: git holds a lock for each.
    for (const part of wanted) worktrees.push({ part, ...(await removeWorktree(world, part)) });
  for (const { part, folder, left, branch } of worktrees) {
    const stays = branch === undefined ? "" : `; its branch stays. To remove it too: git branch -d ${shellWord(branch)}`;
    lines.push(left === null ? `${part}: removed its worktree ${folder}${stays}` : `${part}: kept ${folder ?? "everything"}: ${left}`);
  }
  printFields(options, lines.join("\n") || "Nothing was running.", { parts: done, ...(options.remove === true ? { worktrees } : {}) });
  return EXIT.ok;
}
