/** A home's own repository: its place, its settings, and its author. spec/git.md, "Git". */
import fs from "node:fs";
import path from "node:path";
import { orElse } from "../../core/format/file-error.ts";
import { pathWord, shellWord } from "../../core/format/shell-word.ts";
import { codeRepository, HOME_GIT } from "../../core/home/find-home.ts";
import { refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { ensureLine, unshare, writeBeside } from "../../store/beside/beside.ts";
import { readPlainText } from "../../store/read/plain-file.ts";
import { PINNED } from "../git-config.ts";
import type { Repository } from "../git-run.ts";

/** What never goes into git: the outbox, what belongs to this machine, what is disposable. */
export const IGNORED = ["/outbox/", "/local/", "/run/"];
/** Where a fetched branch lies until it is merged or joined. */
export const INCOMING = "refs/relay/incoming";
/** Half-made files of running writers. */
const HALF_MADE = [".staged-*", ".copy.*", ".sending.*"];

/**
 * What keeps other tools off a home's files, by name: what packs a project leaves them out, and what formats texts leaves them as they
 * are. None is recorded but in the tree.
 */
export const TOOL_FILES = {
  ".npmignore": "*\n",
  ".prettierrc": '{ "requirePragma": true }\n',
  ".markdownlint.json": '{ "default": false }\n',
  ".editorconfig": "root = true\n\n[*]\ntrim_trailing_whitespace = false\ninsert_final_newline = unset\nend_of_line = unset\n",
} as const;

/** Lines of `info/exclude`. */
const EXCLUDED = [...IGNORED, ...HALF_MADE, ...Object.keys(TOOL_FILES).map((name) => `/${name}`)];

/** Whether a name is that of a half-made file, or of a folder of such. */
export const isHalfMade = (name: string): boolean => HALF_MADE.some((pattern) => name.startsWith(pattern.slice(0, -1)));

/** Returns whether Relay's own lines in `info/exclude` leave a path out. */
export const isLeftOut = (at: string): boolean =>
  Object.hasOwn(TOOL_FILES, at) || IGNORED.some((folder) => `/${at}/`.startsWith(folder)) || at.split("/").some(isHalfMade);

/** Whether the repository leaves out what Relay leaves out, and nothing that a person wrote into its `info/exclude`. */
export function leavesOutOurs({ gitDir }: Repository): boolean {
  const lines = readPlainText(path.join(gitDir, "info", "exclude")).split("\n");
  return lines.every((line) => line === "" || line.startsWith("#") || EXCLUDED.includes(line));
}

/** Bytes are kept as they are, whatever a recorded `.gitattributes` asks for. */
const ATTRIBUTES = "* -text -ident !eol !filter !working-tree-encoding";

/** Grows when a pin is added, so that older homes get it. */
const PINS = "5";

/** Pins a home's repository, unless it is. @throws Refusal `no_repository` where something in it leads elsewhere */
export async function pin(repository: Repository): Promise<void> {
  const { gitDir } = repository;
  refuseLed(repository);
  const config = path.join(gitDir, "config");
  if (new RegExp(`^[ \\t]*pins = ${PINS}$`, "m").test(readPlainText(config))) return;
  const lines = [...PINNED, ["relay.pins", PINS] as const].map(([name, value]) => {
    const dot = name.indexOf(".");
    return `[${name.slice(0, dot)}]\n\t${name.slice(dot + 1)} = ${value}\n`;
  });
  // The settings say that all is pinned: whoever is killed, or fails, before them does it again.
  ensureLine(path.join(gitDir, "info", "attributes"), ATTRIBUTES);
  for (const line of EXCLUDED) ensureLine(path.join(gitDir, "info", "exclude"), line);
  // What comes last counts.
  writeBeside(config, `${readPlainText(config).replace(/(?<!\n)\n*$/, "\n")}${lines.join("")}`);
}

/** The home's own repository; null where it has none (in-tree, or outside of git). */
export function findRepository(world: World): Repository | null {
  const home = world.home();
  const found = home.config().inTree ? null : repositoryAt(home.store.root);
  return found === null ? null : { ...found, durable: home.store.durable };
}

/** The repository of a home by its folder: computed, whatever the gitfile in it says, which anybody may have written. */
export function repositoryAt(root: string): Repository | null {
  const code = codeRepository(path.dirname(root));
  if (code === null || path.resolve(code.home) !== path.resolve(root)) return null;
  const gitDir = path.join(code.commonDir, HOME_GIT);
  return fs.existsSync(path.join(gitDir, "HEAD")) ? { gitDir, workTree: root } : null;
}

/** The home's own repository, for what writes in it. @throws Refusal `no_repository`, also where a link in it would lead what git writes elsewhere */
export function requireRepository(world: World): Repository {
  const repository = findRepository(world);
  if (repository !== null) {
    refuseLed(repository);
    unshareLogs(repository.gitDir);
    return repository;
  }
  const home = world.home();
  const inTree = home.config().inTree;
  const inCode = codeRepository(path.dirname(home.store.root)) !== null;
  const why = inTree
    ? `it is files of the code (\`--in-tree\`). Commit them: \`${commitCommand(home.store.root)}\``
    : inCode
      ? "make one with `relay init`"
      : "it lies outside of git. Make the folder a repository (`git init`), then run `relay init` again";
  throw refuse("no_repository", { home: home.store.root, why });
}

/** Gives the logs of refs, to which git appends, a file of their own. */
function unshareLogs(gitDir: string): void {
  const entries = orElse([], () => fs.readdirSync(path.join(gitDir, "logs"), { withFileTypes: true, recursive: true }));
  for (const entry of entries) if (entry.isFile()) unshare(path.join(entry.parentPath, entry.name));
}

/** Refuses a home's repository in which something would lead what git writes, or reads, elsewhere, or hold it up. @throws Refusal `no_repository` */
export function refuseLed({ gitDir, workTree }: Repository): void {
  const stopped = [...namesIn(gitDir), ...READ_IN_HOME.map((name) => path.join(workTree, name))].find(isSpecial);
  if (stopped !== undefined)
    throw refuse("no_repository", { home: workTree, why: `${stopped} is no plain file, and git would wait for it. Remove it` });
  const link = linkIn(gitDir);
  const led =
    link ??
    LEADING.map((name) => path.join(gitDir, name)).find((at) => fs.existsSync(at)) ??
    NAMING.map((name) => path.join(gitDir, name)).find(isFull);
  if (led === undefined) return;
  const why = `${led} ${link === null ? "leads elsewhere" : "is a link, and git would write where it leads"}. Remove it`;
  throw refuse("no_repository", { home: workTree, why });
}

/** Files of the home that git reads before it looks at others. */
const READ_IN_HOME = [".gitignore", ".gitattributes"];
const namesIn = (gitDir: string): string[] =>
  [".", "info"].flatMap((folder) =>
    orElse([], () => fs.readdirSync(path.join(gitDir, folder))).map((name) => path.join(gitDir, folder, name)),
  );
/** Tells a special file, such as a FIFO, from a file, a folder or a link: reading a FIFO blocks until something writes to it. */
const isSpecial = (at: string): boolean => {
  const stat = fs.lstatSync(at, { throwIfNoEntry: false });
  return stat !== undefined && !stat.isFile() && !stat.isDirectory() && !stat.isSymbolicLink();
};

/** Files by which git takes a repository's objects and refs from another one. Relay makes none of them. */
const LEADING = ["commondir", "gitdir", "objects/info/alternates", "objects/info/http-alternates"];
/** Folders whose files name remotes, also by what looks like an address. */
const NAMING = ["remotes", "branches"];
const isFull = (folder: string): boolean => orElse([], () => fs.readdirSync(folder)).length > 0;

/** The command by which a person commits a home that is files of the code. @param root absolute path of the home */
export function commitCommand(root: string): string {
  const top = codeRepository(path.dirname(root))?.top ?? path.dirname(root);
  const [at, git] = [pathWord(path.relative(top, root)), `git -C ${shellWord(top)}`];
  return `${git} add ${at} && ${git} commit -m "the home" -- ${at}`;
}

/** A link where git keeps refs, logs, objects and its own files; null where there is none. @returns its absolute path */
function linkIn(gitDir: string): string | null {
  const list = (folder: string, recursive: boolean): fs.Dirent[] =>
    orElse([], () => fs.readdirSync(path.join(gitDir, folder), { withFileTypes: true, recursive }));
  // Its upkeep writes and deletes in all of these.
  const flat = [".", "objects", "objects/info", "objects/pack"].flatMap((folder) => list(folder, false));
  const deep = ["refs", "logs", "info", "worktrees", "rr-cache"].flatMap((folder) => list(folder, true));
  const found = [...flat, ...deep];
  const link = found.find((entry) => entry.isSymbolicLink());
  if (link !== undefined) return path.join(link.parentPath, link.name);
  return fs.lstatSync(gitDir, { throwIfNoEntry: false })?.isSymbolicLink() === true ? gitDir : null;
}

/** The ref of the branch that the home is recorded on. @throws Refusal `no_repository` when somebody detached it */
export function branchRef({ gitDir, workTree }: Repository): string {
  const ref = /^ref: (refs\/heads\/.+)$/m.exec(readPlainText(path.join(gitDir, "HEAD")))?.[1];
  if (ref === undefined)
    throw refuse("no_repository", { home: workTree, why: "it is on no branch. Switch it back: `cd .relay && git switch relay`" });
  return ref;
}

/** The same without `refs/heads/`. */
export const branchName = (repository: Repository): string => branchRef(repository).slice("refs/heads/".length);
