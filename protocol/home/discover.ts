/** Finding the home from a folder, or by its name. spec/commands.md, "Finding the home". */
import fs from "node:fs";
import path from "node:path";
import { orElse } from "../objects/format/file-error.ts";
import { refuse } from "../refusal.ts";
import { isTracked } from "../store/git/git-tracked.ts";
import { BARE_HOME, codeRepository, HOME_FOLDER, hasHome, homeAround, isFile, isFolder, realFolder, statOf } from "./code-repository.ts";

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
