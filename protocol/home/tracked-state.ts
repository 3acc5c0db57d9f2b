/** Files of one machine that the code tracks: they came with it, by a clone, a checkout or a pull. spec/git.md, "In the tree". */
import fs from "node:fs";
import path from "node:path";
import { trackedBelow } from "../store/git/spawn-git.ts";
import { MACHINE_FOLDERS } from "../store/root.ts";
import { codeRepository } from "./code-repository.ts";

/** What was found of a home, and the index that it was found in. */
interface Seen {
  sign: string;
  tracked: readonly string[];
}

const seen = new Map<string, Seen>();

/**
 * What the code tracks of a home's `outbox/`, `local/` and `run/`. Git is asked only where its index seems to name such a
 * path, because every call of every operation begins with this question.
 * @param root absolute path of the home
 * @returns paths in the home, with `/`
 */
export function trackedState(root: string): readonly string[] {
  const code = codeRepository(path.dirname(root));
  if (code === null || code.top === null) return [];
  const index = path.join(code.gitDir, "index");
  const stat = fs.statSync(index, { throwIfNoEntry: false });
  if (stat === undefined) return [];
  const sign = `${index} ${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}`;
  const known = seen.get(root);
  if (known?.sign === sign) return known.tracked;
  const tracked = mayTrack(code.gitDir, index, namesOf(code.top, root)) ? tracksOf(code.top, root) : [];
  seen.set(root, { sign, tracked });
  return tracked;
}

const slashed = (at: string): string => at.split(path.sep).join("/");
/** The machine's folders by their paths from the top of the working tree. */
const namesOf = (top: string, root: string): string[] =>
  [...MACHINE_FOLDERS].map((name) => slashed(path.relative(top, path.join(root, name))));

/** Whether an index may name one of some paths, or something below it: false is sure. Folded, as some disks fold names. */
function mayTrack(gitDir: string, index: string, paths: readonly string[]): boolean {
  const bytes = fs.readFileSync(index);
  // From version 4 on names are shortened; an index that is split has most of them in another file.
  if (bytes.length < 8 || bytes.readUInt32BE(4) > 3) return true;
  if (fs.readdirSync(gitDir).some((name) => name.startsWith("sharedindex."))) return true;
  const text = bytes.toString("latin1").toLowerCase();
  return paths.some((each) => {
    const name = Buffer.from(each).toString("latin1").toLowerCase();
    return text.includes(`${name}/`) || text.includes(`${name}\0`);
  });
}

function tracksOf(top: string, root: string): string[] {
  const names = namesOf(top, root);
  // What cannot be asked counts as tracked.
  const tracked = trackedBelow(top, names) ?? names;
  return tracked.map((name) => slashed(path.relative(root, path.join(top, name))));
}
