/** Checks a home: broken files, leftovers of killed processes, and what can be repaired safely. spec/check.md, "doctor". */
import type { World } from "../../world.ts";
import type { Finding } from "../check/doctor-finding.ts";
import { examineLeft } from "../check/leftovers.ts";
import { findRepository } from "../git/repository.ts";
import { examineBoard } from "./examine-board.ts";
import { examineGuide } from "./examine-guide.ts";
import { examineInboxes } from "./examine-inboxes.ts";
import { examineNames, examinePermissions } from "./examine-place.ts";
import { examineRun } from "./examine-run.ts";
import { examineThreads } from "./examine-threads.ts";
import { examineWakes } from "./examine-wakes.ts";

/** Looks the whole home over. Writes nothing; each finding's `fix` would. */
export function examine(world: World): Finding[] {
  const { store } = world.home();
  const findings: Finding[] = [];
  examinePermissions(store, findings);
  examineNames(store, findRepository(world) !== null, findings);
  const known = examineThreads(world, findings);
  examineInboxes(world, known, findings);
  examineRun(world, findings);
  examineBoard(world, findings);
  examineLeft(store, findings);
  examineWakes(world, findings);
  findings.push(...examineGuide(world));
  return findings;
}
