/** Which file a program's name leads to. */
import fs from "node:fs";
import path from "node:path";
import { orElse } from "../core/format/file-error.ts";
import { linkOf, projectFolders } from "./linked-worktrees.ts";

/** The folders that programs are looked for in, but for those that mean another place in each folder, where a project may have put its own. */
export const absoluteOnly = (searched: string | undefined): string | undefined =>
  searched
    ?.split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder))
    .join(path.delimiter);

type Environment = Readonly<Record<string, string | undefined>>;

/** An environment with such folders alone: of every program that is started by its name. */
export const withAbsolutePath = <E extends Environment>(env: E): E =>
  env["PATH"] === undefined ? env : { ...env, PATH: absoluteOnly(env["PATH"]) };

/** The projects that this process works in: agents write there, in a `.venv/bin` or `node_modules/.bin` too. */
const projects = new Set<string>();
/** Folders of programs outside of the projects, by the `PATH` and how many projects were known. */
const outsideFound = new Map<string, string>();

/** Notes a project, so that Relay takes no program of its own work from there; not the user's own home folder, and none above it. */
export function noteProject(folder: string): void {
  const at = realOf(folder);
  const { homedir } = process.getBuiltinModule("node:os");
  if (!isBelow(realOf(homedir()), at)) projects.add(at);
}

/** The folders in which Relay looks for the programs of its own work, git and tmux among them: those of `absoluteOnly`, outside of the projects. */
function outside(searched: string): string {
  if (outsideFound.size === 0) projectHere().forEach(noteProject);
  const key = `${projects.size} ${searched}`;
  const known = outsideFound.get(key);
  if (known !== undefined) return known;
  const isOut = (folder: string): boolean =>
    ![path.resolve(folder), realOf(folder)].some((at) => [...projects].some((each) => isBelow(at, each)));
  const found = (absoluteOnly(searched) ?? "").split(path.delimiter).filter(isOut).join(path.delimiter);
  outsideFound.set(key, found);
  return found;
}

/** An environment for the programs of Relay's own work. */
export const withOwnPath = <E extends Environment>(env: E): E => (env["PATH"] === undefined ? env : { ...env, PATH: outside(env["PATH"]) });

/** The file of a program of Relay's own work that gets the whole `PATH`, for what it starts in turn; a path that is not there, where there is none. */
export const ownProgram = (name: string, env: Environment): string =>
  findProgram(name, "/", outside(env["PATH"] ?? "")) ?? path.join(path.parse(process.execPath).root, "nonexistent", name);

const realOf = (folder: string): string => orElse(path.resolve(folder), () => fs.realpathSync.native(folder));
/** Tells whether a path is that of a folder, or lies below it. */
export const isBelow = (at: string, folder: string): boolean =>
  at === folder || at.startsWith(folder.endsWith(path.sep) ? folder : folder + path.sep);

/** The folders of the project around the working directory; empty outside of any. */
function projectHere(): string[] {
  for (let at = orElse("/", () => process.cwd()); at !== path.dirname(at); at = path.dirname(at)) {
    const dotGit = path.join(at, ".git");
    if (!fs.existsSync(dotGit)) continue;
    const link = linkOf(dotGit);
    const common = link === null ? dotGit : path.dirname(path.dirname(link));
    return projectFolders(common, at);
  }
  return [];
}

/**
 * Where a program lies: in the absolute folders of `PATH`, or, with a slash in its name, from a folder.
 * @returns its absolute path; null when there is none that may be run
 */
export function findProgram(name: string, from: string, searched: string | undefined): string | null {
  const folders = (absoluteOnly(searched) ?? "").split(path.delimiter).filter((folder) => folder !== "");
  const places = name.includes("/") ? [path.resolve(from, name)] : folders.map((folder) => path.join(folder, name));
  return places.find(isRunnable) ?? null;
}

/** The file of the command that this process was started by, which others can be started by; null in a program that is not Relay's own. */
export function ownCommand(): string | null {
  const script = process.argv[1] ?? "";
  return /^relay(\.[cm]?js)?$/.test(path.basename(script)) ? script : null;
}

/** Whether a path names a program that may be run. */
export function isRunnable(file: string): boolean {
  return orElse(false, () => {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  });
}

/** Whether a word of a command names a file below a folder: `./test.sh`, `scripts/x`, or a whole path. */
export function leadsInto(word: string, folder: string): boolean {
  const at = path.resolve(folder, word);
  return at.startsWith(folder + path.sep) && fs.statSync(at, { throwIfNoEntry: false })?.isFile() === true;
}
