import * as z from "zod/mini";
import { flag } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import { removeDispatchWorktree, worktreeDispatches, worktreeOf } from "../files/dispatch-worktree.ts";
import { readDispatch } from "../files/read-dispatch.ts";
import { isAtWork } from "../nouns/dispatch-state.ts";

/** Removes the worktrees of dispatches that are over, with their branches, where all of it is committed and elsewhere. */
export const office_prune = defineOperation({
  name: "office_prune",
  summary: "Remove worktrees and branches of agents whose work is merged; says which it leaves, and why",
  effect: "destroy",
  idempotent: true,
  identity: "none",
  input: () => ({ list: flag("only list the worktrees that there are, and remove nothing") }),
  output: () => ({
    removed: z.array(z.object({ dispatch: z.string(), branch: z.string(), folder: z.string() })),
    left: z.array(z.object({ dispatch: z.string(), branch: z.string(), folder: z.string(), why: z.string() })),
  }),
  async run(world, { list }) {
    const removed = [];
    const left = [];
    for (const dispatch of worktreeDispatches(world)) {
      const worktree = worktreeOf(world, dispatch);
      if (worktree === null) continue;
      const { branch, folder } = worktree;
      const state = readDispatch(world, dispatch)?.state;
      const atWork = state !== undefined && isAtWork(state) ? `its dispatch is ${state}` : null;
      const why = atWork ?? (list === true ? "only listed" : await removeDispatchWorktree(world, dispatch));
      if (why === null) removed.push({ dispatch, branch, folder });
      else left.push({ dispatch, branch, folder, why });
    }
    return { removed, left };
  },
});
