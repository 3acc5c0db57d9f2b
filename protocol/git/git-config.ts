/**
 * Settings for each git that Relay starts, so that no file of a repository starts a program: hooks and the file-system monitor are off, and
 * whatever names a program in the repository's own configuration is set to one that does nothing. The user's own configuration counts as it
 * is. spec/git.md, "Git".
 */

import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { orElse } from "../core/format/file-error.ts";
import { withoutEnd } from "../core/format/without-end.ts";
import { type Refusal, refuse } from "../core/refusal.ts";
import { readPlain } from "../store/read/plain-file.ts";
import { errorCode } from "../store/root.ts";

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

/** Settings of the home's repository, so that nothing of the user's or the code's changes a byte of it. */
export const PINNED: readonly (readonly [string, string])[] = [
  ["core.autocrlf", "false"],
  ["core.safecrlf", "false"],
  // A relative path would lie in the home, where whoever is synced with could put a file.
  ["core.hooksPath", "/dev/null"],
  ["core.excludesFile", "/dev/null"],
  ["core.attributesFile", "/dev/null"],
  ["core.fsmonitor", "false"],
  ["core.fileMode", "false"],
  ["core.trustctime", "true"],
  ["core.checkStat", "default"],
  ["core.splitIndex", "false"],
  ["core.sparseCheckout", "false"],
  ["core.logAllRefUpdates", "true"],
  ["index.version", "4"],
  ["commit.gpgSign", "false"],
  ["tag.gpgSign", "false"],
  ["push.gpgSign", "false"],
  ["push.followTags", "false"],
  ["fetch.prune", "false"],
  ["i18n.commitEncoding", "UTF-8"],
  // What a recorder has just written, and no commit names yet, must outlive a clean-up beside it.
  ["gc.pruneExpire", "2.weeks.ago"],
  // The log of the branch says what was here at an instant: dates of commits come with pushes.
  ["gc.reflogExpire", "never"],
  ["gc.reflogExpireUnreachable", "never"],
];
/** Settings beside them by which a file of the repository would hold git up, or have it read what is no file of it. */
const HELD: readonly Setting[] = [
  ["mailmap.file", "/dev/null"],
  ["diff.orderFile", "/dev/null"],
  ["core.filesRefLockTimeout", "100"],
  ["core.packedRefsTimeout", "1000"],
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
  // git-lfs, which a user's own settings may have git start, takes programs from the repository's.
  [/^lfs\.(?:path|standalonetransferagent)$/, ""],
  [/^lfs\.(?:clean|smudge)$/, "cat"],
];

/**
 * The settings for a git that is to be started.
 * @param cwd where it is started
 * @param gitDir the directory that it is told; absent where it looks for one from `cwd` upward
 * @throws Refusal `git_failed` where a configuration there cannot be read as git reads it
 */
export function silencing(cwd: string, gitDir?: string): Setting[] {
  const repositories = gitDir === undefined ? repositoriesAround(cwd) : [gitDir];
  const own = repositories.flatMap((each) => configsOf(each).flatMap((file) => settingNames(file)));
  // What stands in the file behind the pins would count there.
  const pinned = gitDir === undefined ? [] : [...PINNED, ...HELD];
  return [...FIXED, ...pinned, ...[...new Set(own)].flatMap((name) => silenced(name) ?? [])];
}

/**
 * A setting of a home's repository that leads git's network elsewhere, or hides one: how a remote is reached is the code's and the user's
 * to say. Null where there is none.
 */
export const leadingIn = (gitDir: string): string | null =>
  configsOf(gitDir)
    .flatMap((file) => settingNames(file))
    .find((name) =>
      /^(?:https?|url|credential|protocol|include|includeif|ssh)\.|^extensions\.partialclone$|^fetch\.bundleuri$|^core\.gitproxy$|^remote\.[\s\S]*\.promisor$|^remote\.[\s\S]*[/:][\s\S]*\./.test(
        name,
      ),
    ) ?? null;

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

/** The last value of a setting in a repository's own file of configuration; null where there is none, or it cannot be read. @param name in lower case */
export const valueIn = (gitDir: string, name: string): string | null =>
  orElse(null, () => {
    const file = path.join(gitDir, "config");
    return settingsOf(textOf(file) ?? "", file).findLast(([each]) => each === name)?.[1] ?? null;
  });

/** Tells whether git may collect garbage in a repository: it runs each hook, and writes to each place, that is named so, and nothing takes one back. @param gitDir its directory */
export const mayCollect = (gitDir: string): boolean =>
  !configsOf(gitDir).some((file) => settingNames(file).some((name) => /^gc\.(?:recentobjectshook|repackfilterto)$/i.test(name)));

/** What silences a setting; null for one that starts nothing. @param name as git writes it, with its subsection */
function silenced(name: string): [Setting] | null {
  const key = `${name.slice(0, name.indexOf("."))}${name.slice(name.lastIndexOf("."))}`.toLowerCase();
  const value = SILENT.find(([pattern]) => pattern.test(key))?.[1];
  return value === undefined ? null : [[name, value]];
}

/** Every directory in which git may find a repository from a folder upward: more than it takes do no harm. */
export function repositoriesAround(folder: string): string[] {
  const found: string[] = [];
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    const dotGit = path.join(at, ".git");
    const leads = /^gitdir: (.+)$/s.exec(lineIn(dotGit) ?? "")?.[1];
    // A folder may be a repository itself; of any other one a file `config` is no configuration.
    if (fs.existsSync(path.join(at, "HEAD"))) found.push(at);
    found.push(leads === undefined ? dotGit : from(at, leads));
    if (path.dirname(at) === at) return found;
  }
}

/** The files of configuration of a repository. */
function configsOf(gitDir: string): string[] {
  const common = lineIn(path.join(gitDir, "commondir"));
  const shared = common === null ? [] : [path.join(from(gitDir, common), "config")];
  return [path.join(gitDir, "config"), path.join(gitDir, "config.worktree"), ...shared];
}

/** A path as git takes it: the system follows a link before the `..` behind it. */
const from = (folder: string, said: string): string => (path.isAbsolute(said) ? said : `${folder}/${said}`);

/** What a file says, without line ends behind it, as git reads where a repository lies. */
function lineIn(file: string): string | null {
  const text = textOf(file);
  return text === null ? null : withoutEnd(text, "\r\n");
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The text of a file; null where there is none. @throws Refusal `git_failed` where git may read another text than this */
function textOf(file: string): string | null {
  const stat = orElse(null, () => fs.statSync(file, { throwIfNoEntry: false }) ?? null);
  if (stat === null || stat.isDirectory()) return null;
  if (!stat.isFile()) throw unread(file, "it is no plain file");
  const bytes = read(file);
  if (bytes === null) return null;
  const text = orElse(null, () => utf8.decode(bytes));
  if (text === null || text.includes("\0")) throw unread(file, "it is no UTF-8 text");
  return text;
}

function read(file: string): Buffer | null {
  try {
    return readPlain(file);
  } catch (error) {
    // What is there and cannot be read here, such as a file of any size, git may read.
    if (errorCode(error) === "ENOENT") return null;
    throw unread(file, (error as Error).message);
  }
}

/** Without the names of all settings nothing keeps those that name a program from counting. */
const unread = (file: string, problem: string): Refusal =>
  refuse("git_failed", { command: "git", reason: `Relay cannot read ${file} as git does: ${problem}. Correct it, or take it away` });

/** The names of all settings in a file of configuration, and in those that it includes. @param read the files that were read @throws Refusal `git_failed` */
function settingNames(file: string, read = new Set<string>()): string[] {
  const text = read.has(file) ? null : textOf(file);
  read.add(file);
  if (text === null) return [];
  return settingsOf(text, file).flatMap(([name, value, written]) => {
    if (!/^include(?:if\..*)?\.path$/s.test(name)) return [name];
    // Versions of git differ in what they make of other white space and of escapes.
    if (!ONE_PATH.test(written) || /^~[^/]|^%\(/.test(value)) throw unread(file, `it includes ${JSON.stringify(value)}`);
    return [name, ...settingNames(from(path.dirname(file), value.replace(/^~(?=\/)/, os.homedir())), read)];
  });
}

/** A path that is written as it is, with no more than quotes around it and single blanks in it. */
const ONE_PATH = /^[ \t]*("?)[^"\\\s]+(?: [^"\\\s]+)*\1[ \t\r]*$/;

/** What git's own reader takes for one thing: a gap, a head, a setting. */
const GAP = /(?:[ \t\r\n]|[#;][^\n]*)+/y;
const HEAD = /\[([A-Za-z0-9.-]*)(?:[ \t\r]+"((?:[^"\\\n]|\\[^\n])*)")?\]/y;
const KEY = /([A-Za-z][A-Za-z0-9-]*)[ \t]*(?:=|(?=\n|$))/y;
const VALUE = /((?:"(?:[^"\\\n]|\\[\s\S])*"|\\[\s\S]|[^"\\\n#;])*)(?:[#;][^\n]*)?(?:\n|$)/y;

/** The settings of a text, as git reads it, each with its value, and that as it is written. @throws Refusal `git_failed` where git would not read it either */
function settingsOf(source: string, file: string): [name: string, value: string, written: string][] {
  const text = source.replace(/^\ufeff/, "").replaceAll("\r\n", "\n");
  const settings: [string, string, string][] = [];
  let [at, section] = [0, ""];
  const next = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found !== null) at = pattern.lastIndex;
    return found;
  };
  for (next(GAP); at < text.length; next(GAP)) {
    const head = next(HEAD);
    if (head !== null) {
      const [, base = "", sub] = head;
      section = `${base.toLowerCase()}${sub === undefined ? "" : `.${sub.replace(/\\([\s\S])/g, "$1")}`}`;
      continue;
    }
    const key = next(KEY);
    const value = key?.[0].endsWith("=") === true ? next(VALUE)?.[1] : "";
    if (key === null || value === undefined) throw unread(file, `line ${text.slice(0, at).split("\n").length} is no setting`);
    settings.push([`${section}.${key[1]?.toLowerCase()}`, plain(value), value]);
  }
  return settings;
}

/** A value without what only writes it: quotes, escapes, lines that go on, white space around it. */
const plain = (value: string): string =>
  withoutEnd(value.replace(/^[ \t\r]+/, ""), " \t\r").replace(
    /\\([\s\S])|"/g,
    (_all, escaped: string = "") => ({ "\n": "", n: "\n", t: "\t", b: "\b" })[escaped] ?? escaped,
  );
