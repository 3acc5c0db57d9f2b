/** Checks every file of the home by itself, as `check` does. spec/check.md, "doctor". */

import type { Finding } from "../../objects/format/finding.ts";
import type { World } from "../../world.ts";
import { checkHome } from "../check/check-home.ts";
import { claimFacts } from "../check/claim-facts.ts";
import type { Reads } from "../check/read-again.ts";
import { folderSnapshot } from "../git/home-reader.ts";
import { withRepair } from "./repair-files.ts";

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
