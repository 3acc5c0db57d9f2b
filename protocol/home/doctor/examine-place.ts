/** Checks the home's folder as a place on the disk, and the texts that were kept in it beside those that won. spec/check.md, "doctor". */
import fs from "node:fs";
import path from "node:path";
import { orElse } from "../../objects/format/file-error.ts";
import { type Finding, found } from "../../objects/format/finding.ts";
import { isKept } from "../../objects/noun/merge-tree.ts";
import { entries, exists, facts } from "../../store/read.ts";
import { absolute, type Store } from "../../store/root.ts";
import { keptFinding } from "./examine-kept.ts";

/** So many files that gave way are told where no branch knows who wrote them. */
const KEPT_NAMED = 5;

/** Looks whether this user may write in the home. */
export function examinePermissions(store: Store, findings: Finding[]): void {
  for (const folder of [".", "threads", "inbox", "local", "run"]) {
    if (folder !== "." && !exists(store, folder)) continue;
    if (facts(store, folder)?.kind !== "folder") {
      findings.push(found("not_a_file", "expected a folder", { path: folder }));
      continue;
    }
    try {
      fs.accessSync(absolute(store, folder), fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK);
    } catch {
      findings.push(
        found("not_writable", "this user may not write here", {
          path: folder,
          remedy: "Fix its owner or mode, or add the home to the sandbox's writable roots",
        }),
      );
    }
  }
}

/**
 * Links anywhere in the home that lead out of it; their files are neither read nor written. And what gave way.
 * @param isRecorded whether the home has a branch, which knows who wrote what gave way
 */
export function examineNames(store: Store, isRecorded: boolean, findings: Finding[]): void {
  const kept: string[] = [];
  const walk = (folder: string, depth: number): void => {
    for (const entry of entries(store, folder)) {
      const at = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.kind === "link") {
        const real = realOf(absolute(store, at));
        // Links among the shared files are found with them.
        if (isOwn(at) && (real === null || !real.startsWith(store.root + path.sep)))
          findings.push(
            found("outside_home", "a link that leads out of the home; it is neither read nor written", {
              path: at,
              remedy: "Remove the link",
            }),
          );
      } else if (isKept(entry.name)) {
        // Of claims nothing is to be taken over: whoever lost one was told.
        if (!at.includes("/claims/")) kept.push(at);
      } else if (entry.kind === "folder" && depth < 4 && entry.name !== ".git") walk(at, depth + 1);
    }
  };
  walk("", 0);
  if (isRecorded) return;
  for (const at of kept.slice(0, KEPT_NAMED))
    findings.push({ ...keptFinding(at, null), remedy: "read it, and note who wrote it; then delete it" });
}

/** Whether a path is of this machine alone, where `check` does not look. */
const isOwn = (at: string): boolean => /^(local|outbox|run)(\/|$)/.test(at);

const realOf = (at: string): string | null => orElse(null, () => fs.realpathSync.native(at));
