/** Checks a home: broken files, leftovers of killed processes, and what can be repaired safely. spec/check.md, "doctor". */
import { append } from "../../objects/format/append.ts";
import type { Finding } from "../../objects/format/finding.ts";
import type { World } from "../../world.ts";
import { examineLeft } from "../check/leftovers.ts";
import { findRepository } from "../git/repository.ts";
import { examineBoard } from "./examine-board.ts";
import { examineClocks } from "./examine-clocks.ts";
import { examineGuide } from "./examine-guide.ts";
import { examineInboxes } from "./examine-inboxes.ts";
import { examineNames, examinePermissions } from "./examine-place.ts";
import { examineRun } from "./examine-run.ts";
import { examineWakes } from "./examine-wakes.ts";

/** Looks the whole home over. Writes nothing; each finding's `fix` would. */
export function examine(world: World): Finding[] {
  const { store } = world.home();
  const findings: Finding[] = [];
  examinePermissions(store, findings);
  examineNames(store, findRepository(world) !== null, findings);
  append(findings, examineClocks(world));
  append(findings, examineInboxes(world));
  examineRun(world, findings);
  append(findings, examineBoard(world));
  examineLeft(store, findings);
  examineWakes(world, findings);
  findings.push(...examineGuide(world));
  return findings;
}
