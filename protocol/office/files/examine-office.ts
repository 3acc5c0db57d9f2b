/** Checks what the office needs on this machine: trust, programs, a runner, and what its agents left. spec/check.md, "doctor". */

import { type Finding, found } from "../../core/format/finding.ts";
import type { World } from "../../core/world.ts";
import { names } from "../../store/read/list-folder.ts";
import { absolute } from "../../store/root.ts";
import { isAtWork } from "../nouns/dispatch-state.ts";
import { worktreeDispatches, worktreeOf } from "./dispatch-worktree.ts";
import { missingPrograms } from "./missing-programs.ts";
import { inOffice, LAUNCHES } from "./office-folder.ts";
import { readLimits } from "./office-limits.ts";
import { readDispatch } from "./read-dispatch.ts";
import { inspectOffice } from "./read-office.ts";
import { isRunnerLost } from "./runner-hold.ts";
import { untrustedFiles } from "./trusted-office.ts";

/** Checks the office of this machine. Writes nothing, and starts nothing. */
export function* examineOffice(world: World): Generator<Finding> {
  const { store } = world.home();
  yield* examineTrust(world);
  for (const problem of readLimits(world).problems) yield found("limit_ignored", problem, { remedy: "Correct the file, or remove it" });
  if (isRunnerLost(store))
    yield found("runner_lost", "the process that runs the office's agents was killed", {
      remedy: "A pager starts it again, and so does any command about the office: `relay office tree`",
    });
  for (const name of inOffice(store, [], (office) => names(office, LAUNCHES))) {
    const dispatch = name.split(".", 1)[0] as string;
    const state = readDispatch(world, dispatch)?.state;
    if (state === "running") continue;
    const path = inOffice(store, name, (office) => absolute(office, `${LAUNCHES}/${name}`));
    yield found("launch_left", `a start of an agent was left, and its dispatch is ${state ?? "not here"}`, { path });
  }
  for (const dispatch of worktreeDispatches(world)) {
    const state = readDispatch(world, dispatch)?.state;
    if (state !== undefined && isAtWork(state)) continue;
    const problem = `the worktree of a dispatch is left, which is ${state ?? "not here"}`;
    yield found("worktree_left", problem, {
      path: worktreeOf(world, dispatch)?.folder,
      remedy: "Merge its branch, then `relay office prune`",
    });
  }
}

/** An office that may not run yet, or one whose programs are not there. What is wrong with its files `check` says. */
function* examineTrust(world: World): Generator<Finding> {
  const { store } = world.home();
  const { office, files, faults, texts } = inspectOffice(store);
  if (office === null || faults.length > 0) return;
  const changed = untrustedFiles(world, texts);
  if (changed[0] !== undefined) {
    const problem = "nobody trusted the office on this machine as its files are now, so none of its agents runs";
    yield found("office_untrusted", problem, { path: changed[0], remedy: "Read its files, then `relay trust office`" });
    return;
  }
  for (const program of missingPrograms(world, { office, files })) {
    const problem = `agents of the office run by ${program}, and this machine has no such program on its PATH`;
    yield found("program_missing", problem, { remedy: `Install it, or name its file: \`relay office runner ${program} -- PATH\`` });
  }
}
