/** Sets up an agent on this machine: plans the changes, and applies them. spec/agents.md, "Setting up agents". */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { diffText } from "../../objects/format/diff.ts";
import { orElse } from "../../objects/format/file-error.ts";
import { type AgentName, editsFor, type FileEdit, type SetupOptions, type Starter } from "../../objects/setup/agent-setup.ts";
import { refuse } from "../../refusal.ts";
import { ensureLine } from "../../store/beside/beside.ts";
import { BACKUP, readUserFile, refuseLinked, removeIfEmpty, replaceUserFile } from "../../store/beside/user-file.ts";
import { git } from "../../store/git/git.ts";
import { trackedBelow } from "../../store/git/git-tracked.ts";
import { findProgram } from "../../store/program.ts";
import type { World } from "../../world.ts";
import { mustRead } from "../broken-files.ts";
import { codeRepository, HOME_GIT } from "../find-home.ts";

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

/** Which files of the user's an agent's set-up changes, and how. @throws Refusal `malformed_file` */
export function planSetup(world: World, agent: AgentName, options: SetupOptions, remove: boolean): FileChange[] {
  return editsFor(agent, options).map((edit) => {
    const own = edit.base === "worktree" ? ownInstructions(worktreeOf(world), edit.path) : edit.path;
    const file = path.join(baseOf(world, agent, edit.base), own);
    if (edit.base === "worktree") refuseLinked(worktreeOf(world), own);
    const before = readUserFile(file);
    const after = mustRead(file, () => (remove ? (before === null ? null : edit.remove(before)) : edit.add(before)));
    const theirs = before === null ? null : mustRead(file, () => edit.remove(before));
    const local = edit.base === "agent" || edit.path.includes(".local.") || (namesMachine(options.starter) && !edit.path.endsWith(".md"));
    const diff = before === after ? "" : diffText(before ?? "", after ?? "");
    const isKept = (backup: string): boolean => backup === before || theirsIn(edit, backup) === theirs;
    const inWorktree = edit.base === "worktree" ? own : null;
    return { path: file, before, after, diff, foreign: theirs !== null, isKept, inWorktree, local };
  });
}

/** Files at the top of a worktree that agents read for instructions. */
const INSTRUCTIONS: ReadonlySet<string> = new Set(["AGENTS.md", "CLAUDE.md", "GEMINI.md"]);

/** The file of instructions that one of a worktree is a link to, where both lie at its top; else the file itself. */
function ownInstructions(top: string, file: string): string {
  if (!INSTRUCTIONS.has(file)) return file;
  const end = orElse(file, () => path.relative(fs.realpathSync.native(top), fs.realpathSync.native(path.join(top, file))));
  return INSTRUCTIONS.has(end) ? end : file;
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
    if (inWorktree !== null) refuseLinked(file.slice(0, -inWorktree.length), inWorktree);
    replaceUserFile(file, before, after, foreign ? isKept : null);
    if (after === null && inWorktree !== null && path.dirname(inWorktree) !== ".") removeIfEmpty(path.dirname(file));
  }
}

/** The settings of the project that say what an agent may do on this machine. */
const SETTINGS: Partial<Record<AgentName, string>> = { claude: ".claude/settings.local.json" };

/** Refuses to let an agent do more by a file that everybody has who has the code. @throws Refusal `tracked_settings` */
export function refuseShared(world: World, agent: AgentName): void {
  const settings = SETTINGS[agent];
  const top = codeRepository(world.cwd)?.top ?? null;
  if (settings === undefined || top === null) return;
  if (trackedBelow(top, [settings])?.length !== 0) throw refuse("tracked_settings", { path: settings, agent });
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

/** The user's own folder. */
export const userFolder = (world: World): string => world.env["HOME"] || os.homedir();

/** Where the files of an edit lie. */
export function baseOf(world: World, agent: AgentName, base: FileEdit["base"]): string {
  if (base === "worktree") return worktreeOf(world);
  const home = userFolder(world);
  if (agent === "codex") return world.env["CODEX_HOME"] || path.join(home, ".codex");
  return path.join((agent === "gemini" && world.env["GEMINI_CLI_HOME"]) || home, `.${agent}`);
}

/** How agents start this Relay: by its name where the path leads to one, else by where it lies. */
export function starterOf(world: World, script: string | undefined): Starter {
  if (findProgram("relay", world.cwd, world.env["PATH"]) !== null) return { program: "relay", args: [] };
  return script === undefined ? { program: "relay", args: [] } : { program: process.execPath, args: [script] };
}

/** What Codex's sandbox must be allowed to write: the home, and its git directory. Empty without a home. */
export function writableRoots(world: World): string[] {
  return orElse([], () => {
    const { root } = world.home().store;
    const repository = codeRepository(path.dirname(root));
    const own = repository === null ? null : path.join(repository.commonDir, HOME_GIT);
    return [root, ...(own !== null && fs.existsSync(own) ? [own] : [])];
  });
}
