/** Finding the home, and the repository of the code around it, without starting git. spec/commands.md, "Finding the home". */
import fs from "node:fs";
import path from "node:path";
import { orElse } from "../objects/format/file-error.ts";
import { refuse } from "../refusal.ts";
import { isTracked, trackedBelow } from "../store/git/git-tracked.ts";
import { MACHINE_FOLDERS } from "../store/root.ts";
import { BARE_HOME, codeRepository, HOME_FOLDER, hasHome, homeAround, isFile, isFolder, realFolder, statOf } from "./code-repository.ts";

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

/** Where git's own directory of a home lies in the code's common directory. */
export const HOME_GIT = "relay";

/**
 * The home at a path, through a link that Relay or the user made; never through one that came with the code. Where it lies in
 * another home, the other.
 * @throws Refusal `linked_home`
 */
function followed(at: string): string {
  const real = fs.realpathSync.native(at);
  const home = homeAround(path.dirname(real)) ?? real;
  if (statOf(at, fs.lstatSync)?.isSymbolicLink() !== true) return home;
  const repository = codeRepository(path.dirname(at));
  if (repository === null) return home;
  // The link that `init` lays into a linked worktree.
  if (repository.home !== at && realFolder(repository.home) === real) return followed(repository.home);
  if (isTracked(path.dirname(at), path.basename(at))) throw refuse("linked_home", { path: at, target: fs.readlinkSync(at) });
  return home;
}

/** The home that a path names: the home itself, or the folder that holds it. Null when there is none. */
export function homeAt(given: string): string | null {
  for (const at of [given, path.join(given, HOME_FOLDER), path.join(given, BARE_HOME)]) {
    if (hasHome(at)) return at === given ? (homeAround(fs.realpathSync.native(at)) ?? fs.realpathSync.native(at)) : followed(at);
  }
  return null;
}

/**
 * Looks for a home from a folder upward; null when there is none. Inside of a home it is that home. In each folder: a `.relay/relay.yml`; else a `.git`,
 * whose repository's home is it. A repository's boundary ends the search, but for a submodule's.
 */
export function findHome(from: string): string | null {
  const start = realFolder(from);
  // Standing inside the home itself, where neither its own gitfile nor what arrived in it ends the search.
  const around = homeAround(start);
  if (around !== null) return around;
  for (let at = start; ; at = path.dirname(at)) {
    if (hasHome(path.join(at, HOME_FOLDER))) return followed(path.join(at, HOME_FOLDER));
    const repository =
      isFolder(path.join(at, ".git")) || isFile(path.join(at, ".git")) || isFile(path.join(at, "HEAD")) ? codeRepository(at) : null;
    if (repository !== null && (repository.top === at || repository.gitDir === at)) {
      return hasHome(repository.home) ? followed(repository.home) : null;
    }
    if (isFile(path.join(at, ".git")) && repository === null) return null;
    if (path.dirname(at) === at) return null;
  }
}

/**
 * The home for a connection or a command: the one named, else the first found from the folders given.
 * @param named the value of `--home` or `RELAY_HOME`
 * @param folders the roots of a client first, then the working directory
 * @throws Refusal `no_home`
 */
export function requireHome(named: string | undefined, folders: readonly string[]): string {
  if (named !== undefined && named !== "") {
    const home = homeAt(path.resolve(folders.at(-1) ?? ".", named));
    if (home === null) throw refuse("no_home", { looked: named });
    return home;
  }
  for (const folder of folders) {
    const home = findHome(folder);
    if (home !== null) return home;
  }
  const looked = folders.join(", ") || ".";
  throw refuse("no_home", folders.some(isRecorded) ? { looked, recorded: true } : { looked });
}

/** Whether there is a record of a home that is gone. */
function isRecorded(from: string): boolean {
  const code = codeRepository(from);
  return code !== null && isFile(path.join(code.commonDir, HOME_GIT, "HEAD"));
}

/** The home that a folder leads to; null where it leads to none, or to one that may not be used. */
export const homeOf = (folder: string): string | null => orElse(null, () => findHome(folder));

/** Texts that say where a home is, and who calls, each with an example. */
const TEXTS = { cwd: "/path/to/project", home: "/path/to/project/.relay", part: "web" } as const;

/** Refuses what a program without types may give for a folder or a part. @throws Refusal `usage` */
export function requireTexts(options: Readonly<Record<keyof typeof TEXTS, unknown>>): void {
  for (const [name, example] of Object.entries(TEXTS)) {
    const given = options[name as keyof typeof TEXTS];
    if (given !== undefined && typeof given !== "string")
      throw refuse("usage", {
        problem: `${name}: expected a text, given ${(JSON.stringify(given) ?? typeof given).slice(0, 80)}.`,
        help: `Example: \`createWorld({ ${name}: "${example}" })\``,
      });
  }
}
