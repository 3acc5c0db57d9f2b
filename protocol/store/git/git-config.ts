/**
 * Settings for each git that Relay starts, so that no file of a repository starts a program: hooks and the file-system monitor are off, and
 * whatever names a program in the repository's own configuration is set to one that does nothing. The user's own configuration counts as it
 * is. spec/git.md, "Git".
 */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { orElse } from "../../objects/format/file-error.ts";

/** A setting of git. */
export type Setting = readonly [name: string, value: string];

/** Of every git. */
const FIXED: readonly Setting[] = [
  ["core.hooksPath", "/dev/null"],
  ["core.fsmonitor", "false"],
  ["protocol.ext.allow", "never"],
  ["submodule.recurse", "false"],
  ["fetch.recurseSubmodules", "false"],
];

/** Settings that name a program, by section and key, and the value that starts none of a repository's choice. */
const SILENT: readonly (readonly [name: RegExp, value: string])[] = [
  [/^core\.(?:sshcommand)$/, "ssh"],
  [/^core\.gitproxy$/, "none"],
  [/^core\.(?:editor|askpass)$|^sequence\.editor$/, "true"],
  [/^core\.alternaterefscommand$|^hook\.command$/, "true"],
  [/^core\.pager$|^pager\./, "cat"],
  [/^credential\.helper$/, ""],
  [/^diff\.external$|^filter\.(?:clean|smudge|process)$|^trailer\.(?:command|cmd)$/, ""],
  [/^filter\.required$|^log\.showsignature$|^(?:commit|tag|push)\.gpgsign$/, "false"],
  [/^diff\.textconv$/, "cat"],
  [/^diff\.command$/, "true"],
  [/^merge\.driver$|^gpg\.program$|^gpg\.defaultkeycommand$/, "false"],
  [/^remote\.uploadpack$/, "git-upload-pack"],
  [/^remote\.receivepack$/, "git-receive-pack"],
  [/^remote\.vcs$/, ""],
];

/** So deep do files of configuration include others. */
const DEPTH = 10;

/**
 * The settings for a git that is to be started.
 * @param cwd where it is started
 * @param gitDir the directory that it is told; absent where it looks for one from `cwd` upward
 */
export function silencing(cwd: string, gitDir?: string): Setting[] {
  const repositories = gitDir === undefined ? repositoriesAround(cwd) : [gitDir];
  const own = repositories.flatMap((each) => configsOf(each).flatMap((file) => settingNames(file, DEPTH)));
  return [...FIXED, ...[...new Set(own)].flatMap((name) => silenced(name) ?? [])];
}

/** The variables that give git settings; the last of a name counts. */
export function asVariables(settings: readonly Setting[]): Record<string, string> {
  const variables: Record<string, string> = { GIT_CONFIG_COUNT: `${settings.length}` };
  for (const [at, [name, value]] of settings.entries()) {
    variables[`GIT_CONFIG_KEY_${at}`] = name;
    variables[`GIT_CONFIG_VALUE_${at}`] = value;
  }
  return variables;
}

/** The settings that variables give git. */
export const settingsIn = (variables: Readonly<Record<string, string | undefined>>): Setting[] =>
  Array.from({ length: Number(variables["GIT_CONFIG_COUNT"] ?? 0) }, (_, at) => [
    variables[`GIT_CONFIG_KEY_${at}`] ?? "",
    variables[`GIT_CONFIG_VALUE_${at}`] ?? "",
  ]);

/** Whether git may collect garbage in a repository: it runs each hook of this name, and nothing takes one back. @param gitDir its directory */
export const mayCollect = (gitDir: string): boolean =>
  !configsOf(gitDir).some((file) => settingNames(file, DEPTH).some((name) => name.toLowerCase() === "gc.recentobjectshook"));

/** What silences a setting; null for one that starts nothing. @param name as git writes it, with its subsection */
function silenced(name: string): [Setting] | null {
  const key = `${name.slice(0, name.indexOf("."))}${name.slice(name.lastIndexOf("."))}`.toLowerCase();
  const value = SILENT.find(([pattern]) => pattern.test(key))?.[1];
  return value === undefined ? null : [[name, value]];
}

/** Every directory in which git may find a repository from a folder upward: more than it takes do no harm. */
function repositoriesAround(folder: string): string[] {
  const found: string[] = [];
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    const dotGit = path.join(at, ".git");
    const leads = /^gitdir: (.+)$/m.exec(textOf(dotGit) ?? "")?.[1];
    found.push(at, leads === undefined ? dotGit : path.resolve(at, leads));
    if (path.dirname(at) === at) return found;
  }
}

/** The files of configuration of a repository. */
function configsOf(gitDir: string): string[] {
  const common = textOf(path.join(gitDir, "commondir"))?.trim();
  const shared = common === undefined ? [] : [path.join(path.resolve(gitDir, common), "config")];
  return [path.join(gitDir, "config"), path.join(gitDir, "config.worktree"), ...shared];
}

const textOf = (file: string): string | null => orElse(null, () => (fs.statSync(file).isFile() ? fs.readFileSync(file, "latin1") : null));

/** The names of all settings in a file of configuration, and in those that it includes. @param depth of those that may follow */
function settingNames(file: string, depth: number): string[] {
  const text = depth === 0 ? null : textOf(file);
  if (text === null) return [];
  let section = "";
  return text.split("\n").flatMap((line) => {
    const [head = "", named = "", subsection] = /^\s*\[\s*([\w.-]+)\s*(?:"((?:[^"\\]|\\.)*)")?\s*\]/.exec(line) ?? [];
    if (head !== "") section = subsection === undefined ? named : `${named}.${subsection.replace(/\\(.)/g, "$1")}`;
    const [, key, value = ""] = /^\s*([a-z][\w-]*)\s*(?:=\s*(.*))?/i.exec(line.slice(head.length)) ?? [];
    if (key === undefined) return [];
    const isInclude = /^include(?:if\..*)?$/i.test(section) && key.toLowerCase() === "path";
    return [`${section}.${key}`, ...(isInclude ? settingNames(included(value, file), depth - 1) : [])];
  });
}

/** The path of an included file. @param value as it is written @param from the file that includes it */
function included(value: string, from: string): string {
  const said = value
    .replace(/\s*[#;].*$/, "")
    .trim()
    .replace(/^"(.*)"$/, "$1");
  return path.resolve(path.dirname(from), said.replace(/^~(?=\/)/, os.homedir()));
}
