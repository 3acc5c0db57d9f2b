import path from "node:path";
import * as z from "zod/mini";
import { flag, maybe } from "../../core/format/schema.ts";
import { hereFile, makeNoPart, makePart, partIn } from "../../core/home/worktree-part.ts";
import { defineOperation } from "../../core/operation.ts";
import { refuse } from "../../core/refusal.ts";
import { linkWorktrees, sharedPart } from "../../git/home/create-home.ts";
import { bindHere } from "../files/bound-parts.ts";
import { requireMembers } from "../files/members.ts";
import { replacedPart } from "../files/presence.ts";
import { PartArgument } from "./part-argument.ts";

/** Says which part this worktree is; kept in git's per-worktree directory, never shared. */
export const part_here = defineOperation({
  name: "part_here",
  summary: "Make this worktree a part: commands and agents in it act as that part",
  effect: "write",
  idempotent: true,
  identity: "none",
  positionals: ["part"],
  input: () => ({ part: maybe(PartArgument), unset: flag("forget the part of this worktree") }),
  output: () => ({ part: z.nullable(z.string()), worktree: z.string(), warning: z.optional(z.string()) }),
  example: { part: "web" },
  async run(world, { part, unset }) {
    const file = hereFile(world.cwd);
    if (file === null) throw refuse("not_in_git", { path: world.cwd, hint: "Use --part, or set RELAY_PART, where there is no worktree" });
    const worktree = path.dirname(file);
    if (unset === true) {
      makeNoPart(world, file);
      return { part: null, worktree };
    }
    if (part === undefined) return { part: world.me.how === "default" ? world.me.part : null, worktree };
    requireMembers(world, [part]);
    const before = partIn(world, file);
    makePart(world, file, part);
    linkWorktrees(world);
    bindHere(world, [part]);
    const warnings = [replacedPart(world, before, part, true), sharedPart(world, part)].filter((each) => each !== null);
    return { part, worktree, ...(warnings.length === 0 ? {} : { warning: warnings.join("; ") }) };
  },
});
