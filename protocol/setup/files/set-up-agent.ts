/** Sets up an agent on this machine: plans the changes, and applies them. spec/agents.md, "Setting up agents". */
import fs from "node:fs";
import path from "node:path";
import { hostFolder } from "../../agents/files/host-folder.ts";
import { type Base, type Host, skillsOf } from "../../agents/hosts/host.ts";
import { HOSTS } from "../../agents/hosts/index.ts";
import { orElse } from "../../core/format/file-error.ts";
import { mustRead } from "../../core/home/broken-files.ts";
import { codeRepository, HOME_GIT } from "../../core/home/find-home.ts";
import type { Starter } from "../../core/names.ts";
import { refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { git } from "../../git/git.ts";
import { trackedBelow } from "../../git/git-tracked.ts";
import { ensureLine } from "../../store/beside/beside.ts";
import { BACKUP, readProjectFile, readUserFile, refuseLinked, removeIfEmpty, replaceUserFile } from "../../store/beside/user-file.ts";
import { relayEntries } from "../nouns/agent-entries.ts";
import { editsFor, type FileEdit, type SetupOptions } from "../nouns/agent-setup.ts";
import { diffText } from "../nouns/diff.ts";
import { withoutBlock } from "../nouns/marked-block.ts";

/** A file before and after; null where it is not there. */
export interface FileChange {
  path: string;
  before: string | null;
  after: string | null;
  diff: string;
  /** Whether the file held anything but what Relay wrote. */
  foreign: boolean;
  /** Whether a text that was kept before has all of theirs that the file holds now. */
  isKept(backup: string): boolean;
  /** Its path from the top of the worktree; null for one of the agent's own folder. */
  inWorktree: string | null;
  /** Whether it is this machine's and not to be committed. */
  local: boolean;
}

/**
 * Plans which files of the user's an agent's set-up changes, and how.
 * @param leaving the hosts whose set-up is taken out, this one among them; null where it is written
 * @throws Refusal `malformed_file`
 */
export function planSetup(world: World, host: Host, options: SetupOptions, leaving: readonly Host[] | null): FileChange[] {
  const remove = leaving !== null;
  const stays = (of: (host: Host) => string): boolean =>
    remove && HOSTS.some((other) => !leaving.includes(other) && of(other) === of(host) && isSetUp(world, other));
  // Null where another host that is set up here has its lines in the same file, which then keeps them.
  const isKeptBlock = stays(({ instructions }) => instructions.makes);
  const blockFile = remove ? (isKeptBlock ? null : undefined) : linesFor(world, host, options.block);
  const { reads, makes } = host.instructions;
  // One that is a link to another is that other one.
  const isLink = (name: string): boolean => name !== makes && reads.includes(name) && isSameFile(worktreeOf(world), name, makes);
  const isShared = stays(skillsOf);
  const isKeptSkill = (name: string): boolean => isShared && name.startsWith(`${skillsOf(host)}/`);
  const edits = editsFor(host, { ...options, blockFile }).filter(
    ({ base, path: name }) => base === "agent" || !(isLink(name) || isKeptSkill(name)),
  );
  return edits.map((edit) => {
    const file = path.join(baseOf(world, host, edit.base), edit.path);
    const before = edit.base === "worktree" ? readProjectFile(worktreeOf(world), edit.path) : readUserFile(file);
    const after = mustRead(file, () => (remove ? (before === null ? null : edit.remove(before)) : edit.add(before)));
    const theirs = before === null ? null : mustRead(file, () => edit.remove(before));
    const local = edit.base === "agent" || edit.path.includes(".local.") || (namesMachine(options.starter) && !edit.path.endsWith(".md"));
    const diff = before === after ? "" : diffText(before ?? "", after ?? "");
    const isKept = (backup: string): boolean => backup === before || theirsIn(edit, backup) === theirs;
    const inWorktree = edit.base === "worktree" ? edit.path : null;
    return { path: file, before, after, diff, foreign: theirs !== null, isKept, inWorktree, local };
  });
}

/** What of a text is not Relay's; null where that cannot be said. */
const theirsIn = (edit: FileEdit, text: string): string | null => orElse(null, () => edit.remove(text));

/** An entry that names a program by its place is right on this machine only. */
const namesMachine = ({ program }: Starter): boolean => path.isAbsolute(program);

/**
 * Writes what was planned, file by file, each whole; a folder that is empty after its file was taken out goes with it.
 * @throws Refusal `busy` where somebody changed a file meanwhile
 */
export function applySetup(changes: readonly FileChange[]): void {
  for (const { path: file, before, after, foreign, isKept, inWorktree } of changes) {
    if (before === after) continue;
    // Asked again: between the plan and a person's yes the project may have changed.
    const top = inWorktree === null ? null : file.slice(0, -inWorktree.length);
    if (top !== null) refuseLinked(top, inWorktree as string);
    replaceUserFile(file, before, after, foreign ? isKept : null, top);
    if (after === null && top !== null) removeFolders(top, inWorktree as string);
  }
}

/** Removes the folders above a file that are empty without it. @param top that of the worktree */
function removeFolders(top: string, file: string): void {
  for (let at = path.dirname(file); at !== "."; at = path.dirname(at)) removeIfEmpty(top, at);
}

/** Refuses to let an agent do more by a file that everybody has who has the code. @throws Refusal `tracked_settings` */
export function refuseShared(world: World, { name, allowance }: Host): void {
  const top = codeRepository(world.cwd)?.top ?? null;
  if (allowance.by !== "rule" || allowance.file.base !== "worktree" || top === null) return;
  const { path: settings } = allowance.file;
  if (trackedBelow(top, [settings])?.length !== 0) throw refuse("tracked_settings", { path: settings, agent: name });
}

/**
 * Hides from the code what is this machine's: in `.git/info/exclude`, as the home is. Files that git tracks are left to it.
 * @param remove whether the entries were taken out: then only the backups are hidden
 * @returns those files
 */
export async function hideLocal(world: World, changes: readonly FileChange[], remove: boolean): Promise<string[]> {
  const top = codeRepository(world.cwd)?.top ?? null;
  if (top === null) return [];
  const written = remove ? [] : changes;
  const hidden = written.flatMap(({ inWorktree, local, after, foreign }) =>
    inWorktree !== null && local && after !== null && (!foreign || inWorktree.includes(".local.")) ? [inWorktree] : [],
  );
  const backups = changes.some(({ inWorktree, before, after, foreign }) => inWorktree !== null && before !== after && foreign);
  if (hidden.length === 0 && !backups) return [];
  // Without a path git would name every file there is.
  const asked = hidden.length === 0 ? "" : await git(top, ["ls-files", "-z", "--", ...hidden.map((name) => `:(top,literal)${name}`)]);
  const tracked = new Set(asked.split("\0"));
  const exclude = path.resolve(top, (await git(top, ["rev-parse", "--git-path", "info/exclude"])).trim());
  const mine = hidden.filter((name) => !tracked.has(name));
  for (const line of [...mine.map((name) => `/${name}`), ...(backups ? [`*${BACKUP}`] : [])]) ensureLine(exclude, line);
  return hidden.filter((name) => tracked.has(name));
}

/** The top of the worktree, where one is; else the working directory. */
export const worktreeOf = (world: World): string => codeRepository(world.cwd)?.top ?? world.cwd;

/** Where the files of an edit lie. */
export const baseOf = (world: World, host: Host, base: Base): string =>
  base === "worktree" ? worktreeOf(world) : hostFolder(host, world.env);

/** The file that a host makes for its lines, and that others of its kind read too. */
const SHARED_LINES = "AGENTS.md";

/**
 * The file at the top of the worktree into which a host's lines go: the first of those that it reads and somebody wrote. Where there is
 * none, the one that it makes, unless a new AGENTS.md would hide the project's CLAUDE.md from the hosts that read only one of the two.
 * @returns null for none: the host learns the same from its server
 */
function linesFor(world: World, { instructions: { reads, makes } }: Host, block: string): string | null {
  const top = worktreeOf(world);
  const body = block.trimEnd();
  const theirs = (name: string): string | null => orElse(null, () => withoutBlock(readUserFile(path.join(top, name)) ?? "", body) || null);
  const found = reads.find((name) => theirs(name) !== null);
  if (found !== undefined) {
    const isShared = makes === SHARED_LINES && found !== SHARED_LINES && theirs(SHARED_LINES) !== null;
    // One that brings the shared one in, by its own words or as a link to it.
    return isShared && (/^@AGENTS\.md\s*$/m.test(theirs(found) ?? "") || isSameFile(top, found, SHARED_LINES)) ? SHARED_LINES : found;
  }
  return makes === SHARED_LINES && theirs("CLAUDE.md") !== null && theirs(SHARED_LINES) === null ? null : makes;
}

const isSameFile = (top: string, a: string, b: string): boolean =>
  orElse(false, () => fs.realpathSync(path.join(top, a)) === fs.realpathSync(path.join(top, b)));

/** Whether Relay is set up for a host here. */
const isSetUp = (world: World, host: Host): boolean =>
  relayEntries(host).some(({ base, path: name, read }) =>
    orElse(false, () => read(readUserFile(path.join(baseOf(world, host, base), name)) ?? (name.endsWith(".toml") ? "" : "{}")).length > 0),
  );

/** What Codex's sandbox must be allowed to write: the home, and its git directory. Empty without a home. */
export function writableRoots(world: World): string[] {
  return orElse([], () => {
    const { root } = world.home().store;
    const repository = codeRepository(path.dirname(root));
    const own = repository === null ? null : path.join(repository.commonDir, HOME_GIT);
    return [root, ...(own !== null && fs.existsSync(own) ? [own] : [])];
  });
}
