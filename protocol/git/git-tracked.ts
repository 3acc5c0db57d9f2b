/** Which files a repository of code tracks. Git is asked at once, and only where its index may name what is asked for. */
import fs from "node:fs";
import path from "node:path";
import { refuse } from "../core/refusal.ts";
import { readPlain } from "../store/read/plain-file.ts";
import { zeroFields } from "./git-path.ts";
import { gitAtOnce, LIST } from "./spawn-git.ts";

/**
 * What a working tree's repository tracks at some paths and below them, in whatever case.
 * @param top absolute path of the working tree
 * @param paths from its top, with `/`
 * @returns such paths; null where git cannot be asked
 */
export function trackedBelow(top: string, paths: readonly string[]): string[] | null {
  const listed = gitAtOnce(top, [...LIST, ...paths.map((each) => `:(top,literal,icase)${each}`)]);
  return listed === null ? null : zeroFields(listed).filter((name) => name !== "");
}

/** What an index tracks of a folder, and the sign of that index. */
interface TrackedBy {
  sign: string;
  tracked: readonly string[];
}

/** By the root of a home. */
const trackedBefore = new Map<string, TrackedBy>();

/**
 * What the code around a home tracks of some of the home's folders, and in place of the home: a submodule or a link. Git is asked only where
 * its index seems to name such a path, because every call of every operation begins with this question.
 * @param code the code's working tree, and its git directory; absolute paths
 * @param root absolute path of the home, the same folders each time
 * @param names of folders in the home
 * @returns paths in the home, with `/`; an empty one for the home itself
 */
export function trackedBelowHome(code: { gitDir: string; top: string }, root: string, names: readonly string[]): readonly string[] {
  const index = path.join(code.gitDir, "index");
  const stat = fs.statSync(index, { throwIfNoEntry: false });
  if (stat === undefined) return [];
  if (!stat.isFile()) throw refuse("git_failed", { command: "git", reason: `${index} is no plain file. Remove it` });
  const sign = `${index} ${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}`;
  const known = trackedBefore.get(root);
  if (known?.sign === sign) return known.tracked;
  const itself = slashed(path.relative(code.top, root));
  const folders = names.map((name) => `${itself}/${name}`);
  const isNamed = namesIn(code.gitDir, index);
  // What cannot be asked counts as tracked.
  const below = folders.some((each) => isNamed(`${each}/`) || isNamed(`${each}\0`)) ? (trackedBelow(code.top, folders) ?? folders) : [];
  const whole = isNamed(`${itself}\0`) ? (trackedBelow(code.top, [itself]) ?? [itself]) : [];
  const found = [...below, ...whole.filter((name) => name.toLowerCase() === itself.toLowerCase())];
  const tracked = found.map((name) => slashed(path.relative(root, path.join(code.top, name))));
  trackedBefore.set(root, { sign, tracked });
  return tracked;
}

const slashed = (at: string): string => at.split(path.sep).join("/");

/** Gives whether an index may have a piece of a name: false is sure. Folded, as some disks fold names. */
function namesIn(gitDir: string, index: string): (piece: string) => boolean {
  const bytes = readPlain(index);
  // From version 4 on names are shortened; an index that is split has most of them in another file.
  if (bytes.length < 8 || bytes.readUInt32BE(4) > 3) return () => true;
  if (fs.readdirSync(gitDir).some((name) => name.startsWith("sharedindex."))) return () => true;
  const text = bytes.toString("latin1").toLowerCase();
  return (piece) => text.includes(Buffer.from(piece).toString("latin1").toLowerCase());
}
