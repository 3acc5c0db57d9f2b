/** Checks the home's folder as a place on the disk. spec/check.md, "doctor". */
import fs from "node:fs";
import path from "node:path";
import { orElse } from "../../core/format/file-error.ts";
import { type Finding, found } from "../../core/format/finding.ts";
import { isKept } from "../../core/noun/merge-tree.ts";
import { MACHINE } from "../../core/tree/layout.ts";
import type { World } from "../../core/world.ts";
import { findRepository } from "../../git/home/repository.ts";
import { exists, facts } from "../../store/read/facts.ts";
import { entries } from "../../store/read/list-folder.ts";
import { absolute } from "../../store/root.ts";
import { examineKeptHere } from "./examine-kept.ts";

/** Checks whether this user may write in the home. */
export function* examinePermissions(world: World): Generator<Finding> {
  const { store } = world.home();
  const { R_OK, W_OK, X_OK } = fs.constants;
  const remedy = "Fix its owner or mode, or add the home to the sandbox's writable roots";
  for (const folder of [".", "threads", "inbox", "local", "run"]) {
    if (folder !== "." && !exists(store, folder)) continue;
    if (facts(store, folder)?.kind !== "folder") yield found("not_a_file", "expected a folder", { path: folder });
    else if (!orElse(false, () => fs.accessSync(absolute(store, folder), R_OK | W_OK | X_OK) === undefined))
      yield found("not_writable", "this user may not write here", { path: folder, remedy });
  }
}

/** Free room that a disk with room has at least, in bytes, and as a part of a small disk. */
const ROOM = { bytes: 1_048_576, part: 0.01 };

/** Checks whether the disk of the home has room for another file. A disk that does not say it counts as one with room. */
export function* examineRoom(world: World): Generator<Finding> {
  const { root } = world.home().store;
  const disk = orElse(null, () => fs.statfsSync(root));
  if (disk === null || disk.blocks === 0) return;
  const bytes = disk.bavail * disk.bsize;
  const isFull = bytes < Math.min(ROOM.bytes, ROOM.part * disk.blocks * disk.bsize);
  const isOutOfFiles = disk.files > 0 && disk.ffree === 0;
  if (!isFull && !isOutOfFiles) return;
  const problem = isFull ? `the disk is full (${bytes} bytes are free)` : "the disk takes no further file (no inode is free)";
  yield found("disk_full", problem, { path: root, remedy: "Make room on it; until then nothing is written" });
}

/** Finds links of this machine's folders that lead out of the home, and, where no branch knows them, the files that lost a merge. */
export function* examineNames(world: World): Generator<Finding> {
  const { store } = world.home();
  const links: string[] = [];
  const kept: string[] = [];
  const hasBranch = findRepository(world) !== null;
  const walk = (folder: string, depth: number): void => {
    for (const { name, kind } of entries(store, folder)) {
      const at = folder === "" ? name : `${folder}/${name}`;
      // Links among the shared files are found with them: `check` does not read the folders of one machine.
      const isMachine = folder !== "" || MACHINE.has(name);
      if (kind === "link" && MACHINE.has(topOf(at))) links.push(at);
      else if (isKept(name)) kept.push(at);
      else if (kind === "folder" && depth < 4 && name !== ".git" && (isMachine || !hasBranch)) walk(at, depth + 1);
    }
  };
  walk("", 0);
  for (const at of links) {
    const real = orElse(null, () => fs.realpathSync.native(absolute(store, at)));
    if (real?.startsWith(store.root + path.sep) !== true) yield found("outside_home", LEAVES, { path: at, remedy: "Remove the link" });
  }
  if (!hasBranch) yield* examineKeptHere(kept);
}

const topOf = (at: string): string => at.split("/", 1)[0] as string;

const LEAVES = "a link that leads out of the home; it is neither read nor written";
