/**
 * Waits until the disk has what git wrote for a home: git flushes the bytes of what it writes as `FLUSHED` of `git-environment.ts` says, and no folder, so
 * that after a loss of power a name could be missing, and a branch could name a commit that is not there. spec/git.md, "Git".
 */
import fs from "node:fs";
import path from "node:path";
import { flushAt } from "../store/root.ts";
import type { Repository } from "./git-run.ts";

/** A fetch writes objects while another process moves the ref: what came so long before that move may be flushed by nobody yet. */
const MARGIN_MS = 60_000;

/** Flushes the folders of objects that changed since a ref was moved last, so that what the ref will name is there before it. */
export function flushObjects({ gitDir }: Repository, ref: string): void {
  const movedMs = fs.statSync(path.join(gitDir, ref), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  // After the clock was set back, times do not say what came later.
  const sinceMs = movedMs > Date.now() ? 0 : movedMs - MARGIN_MS;
  const objects = path.join(gitDir, "objects");
  for (const name of fs.readdirSync(objects)) {
    const at = path.join(objects, name);
    const stat = fs.statSync(at, { throwIfNoEntry: false });
    if (stat?.isDirectory() === true && stat.mtimeMs >= sinceMs) flushAt(at);
  }
  flushAt(objects);
}

/** Flushes the folder that a ref's name lies in, and those above it that may be new. */
export function flushRef({ gitDir }: Repository, ref: string): void {
  for (let at = path.dirname(ref); at.startsWith("refs"); at = path.dirname(at)) flushAt(path.join(gitDir, at));
}

/** Flushes a repository that git made just now: every file and folder of it, and its own name. */
export function flushRepository(gitDir: string): void {
  for (const entry of fs.readdirSync(gitDir, { withFileTypes: true })) {
    const at = path.join(gitDir, entry.name);
    if (entry.isDirectory()) flushRepository(at);
    else if (entry.isFile()) flushAt(at);
  }
  flushAt(gitDir);
}
