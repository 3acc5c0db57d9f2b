/** Checks a home: broken files, leftovers of killed processes, and what can be repaired safely. spec/check.md, "doctor". */
import fs from "node:fs";
import path from "node:path";
import { parseConfig } from "../../objects/config/config.ts";
import { FORMAT } from "../../objects/config/config-schema.ts";
import { append } from "../../objects/format/append.ts";
import type { Finding } from "../../objects/format/finding.ts";
import { guestPath } from "../../objects/part/nouns.ts";
import { HUMAN, inboxNew } from "../../objects/part/part.ts";
import { exists } from "../../store/read.ts";
import type { World } from "../../world.ts";
import { checkHome } from "../check/check-home.ts";
import { claimFacts } from "../check/claim-facts.ts";
import type { Reads } from "../check/lasting-findings.ts";
import { examineLeft } from "../check/leftovers.ts";
import { codeRepository } from "../code-repository.ts";
import { HOME_GIT } from "../discover.ts";
import { folderSnapshot } from "../git/home-reader.ts";
import { findRepository } from "../git/repository.ts";
import type { Home } from "../home.ts";
import { inboxFolders } from "../part/members.ts";
import { examineBoard } from "./examine-board.ts";
import { examineGuide } from "./examine-guide.ts";
import { examineInboxes } from "./examine-parts.ts";
import { examineNames, examinePermissions } from "./examine-place.ts";
import { examineRun } from "./examine-run.ts";
import { examineClocks, examineWakes } from "./examine-wakes.ts";
import { withRepair } from "./repair-files.ts";

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

/** Checks the home's folder under the configuration that counts. @param reads which files are read; all are listed */
export async function examineFiles(world: World, reads: Reads): Promise<Finding[]> {
  const { store, config } = world.home();
  const around = claimFacts(world, store);
  const { findings, warnings } = await checkHome(folderSnapshot(store.root), around, (at) => world.progress?.(at), null, reads, config());
  return [...findings, ...warnings].map((each) => withRepair(world, each));
}

/** What was found in the files, and what was found otherwise: what is wrong with one file is told once. */
export function toldOnce(files: readonly Finding[], others: readonly Finding[]): Finding[] {
  const named = new Set(others.flatMap(({ severity, path }) => (severity === "error" ? [path] : [])));
  return [...files.filter(({ path }) => !named.has(path)), ...others];
}

/** The home as its folders show it: who has an inbox, and is no guest, is a part. Only for looking: nothing may follow from a guess. */
export function guessedHome({ store }: Home): Home {
  const parts = inboxFolders(store).filter((part) => exists(store, inboxNew(part)) && !exists(store, guestPath(part)));
  const code = codeRepository(path.dirname(store.root));
  const inTree = code !== null && !exists(store, ".git") && !fs.existsSync(path.join(code.commonDir, HOME_GIT));
  const config = parseConfig(
    JSON.stringify({
      format: FORMAT,
      project: { id: "unknown", name: "unknown" },
      main: HUMAN,
      parts: Object.fromEntries(parts.map((part) => [part, {}])),
      in_tree: inTree,
    }),
  );
  return { store, config: () => config, configFault: () => null, configHeld: () => [] };
}
