/** Collects what a program's model calls took, from the record that the program keeps itself, and warns of the budget. spec/usage.md, "Collecting". */

import { asRefusal } from "../../protocol/core/perform.ts";
import type { World } from "../../protocol/index.ts";
import { launchEnvironment } from "../../protocol/office/files/launch-environment.ts";
import type { Frozen } from "../../protocol/office/files/launch-settings.ts";
import { localFolder } from "../../protocol/office/files/local-files.ts";
import { officeToWrite } from "../../protocol/office/files/office-folder.ts";
import { absolute } from "../../protocol/store/root.ts";
import { warnOfBudget } from "../../protocol/usage/files/budget.ts";
import { collectOfficeTurn } from "../../protocol/usage/files/collect-turn.ts";
import { type LaunchRecord, launchPath } from "../launch/launch-folder.ts";
import { programOf } from "../programs/programs.ts";

/**
 * Collects the calls of a program that has ended. Each has the id that its record gives it, so that a second reading counts nothing again.
 * A failure here does not fail the turn: the feed has its reason, and `relay usage collect` reads the calls later.
 * @param session the program's own, as it said it
 */
export async function collectCalls(
  world: World,
  record: LaunchRecord,
  launch: Frozen,
  session: string | undefined,
  tell: (type: string, more: Record<string, unknown>) => void,
): Promise<void> {
  const { dispatch, turn, position, program } = record;
  if (program === "command" || session === undefined) return;
  const store = officeToWrite(world.home().store);
  const kept = absolute(store, localFolder(dispatch));
  const printed = absolute(store, launchPath(record, "stdout"));
  const env = { ...launchEnvironment(world, program), ...programOf(program).keepsIn?.(kept) };
  try {
    const calls = collectOfficeTurn(world, { agent: program, session, cwd: launch.cwd, env, printed, dispatch, part: position });
    if (calls === null) tell("usage_unread", { dispatch, turn, program, session });
    else await warnOfBudget(world, position);
  } catch (error) {
    tell("fault", { dispatch, problem: asRefusal(world, error).message });
  }
}
