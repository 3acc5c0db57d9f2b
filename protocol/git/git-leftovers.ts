/** What killed processes left in a home's git directory, so that no person must take it away. spec/git.md, "Recording". */
import fs from "node:fs";
import path from "node:path";
import { orElse } from "../core/format/file-error.ts";
import { lifeOf } from "../store/process.ts";
import { readPlainText } from "../store/read/plain-file.ts";
import { OWN_INDEX } from "./git-index.ts";
import type { Repository } from "./git-run.ts";
import { ASIDE, clearReports, dropAside } from "./objects/objects-aside.ts";

/** No record takes so long, and no git writes at one file for so long: what cannot be seen to be over is over then. */
const ABANDONED_MS = 86_400_000;
/** What fast-import of an older Relay, a fetch or a gc wrote among the objects until it was killed. */
const HALF_WRITTEN = /^tmp_(pack|idx|rev)_/;
/** The whole text of a `.keep` that fast-import makes, and nothing else does. */
const KEPT = "fast-import";

/** Removes what killed processes left. The caller holds the lock of recorders. */
export function clearLeftovers(repository: Repository): void {
  const { gitDir } = repository;
  for (const name of fs.readdirSync(gitDir)) {
    const at = path.join(gitDir, name);
    if (name.startsWith(OWN_INDEX) && isOver(at, name.slice(OWN_INDEX.length))) fs.rmSync(at, { force: true });
    if (name.startsWith(ASIDE) && isOver(at, name.slice(ASIDE.length))) dropAside(repository, at);
  }
  clearReports(gitDir);
  const packs = path.join(gitDir, "objects", "pack");
  for (const name of orElse([], () => fs.readdirSync(packs))) {
    const at = path.join(packs, name);
    const isLeft = HALF_WRITTEN.test(name) || (name.endsWith(".keep") && isOfFastImport(at));
    if (isLeft && sinceMs(at) > ABANDONED_MS) fs.rmSync(at, { force: true });
  }
}

/** Whether what a process made is of nobody any more. @param owner as `thisThread` says it, and more behind a dot */
function isOver(at: string, owner: string): boolean {
  const process = owner.split(".")[0]?.split("-").slice(0, 4).join("-") as string;
  const life = lifeOf(process);
  return life === "gone" || (life === "unknown" && sinceMs(at) > ABANDONED_MS);
}

const sinceMs = (at: string): number => Date.now() - (fs.lstatSync(at, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());

/** A `.keep` that a person, a fetch or a push made has another text, or none. */
const isOfFastImport = (at: string): boolean =>
  fs.lstatSync(at, { throwIfNoEntry: false })?.size === KEPT.length && orElse(false, () => readPlainText(at) === KEPT);
