/**
 * A worktree of the code for one dispatch, on a branch of its own: made once, reported, and removed only where nothing would be lost.
 * It lies beside the code's folder and not in `run/`: what is there may be removed at any time, and a tool that looks upward from
 * inside of the code's tree would find that tree's files. spec/office.md, "Worktrees".
 */
import fs from "node:fs";
import path from "node:path";
import { parseThreadId } from "../../core/format/id.ts";
import { many } from "../../core/format/many.ts";
import { codeRepository, isFolder } from "../../core/home/find-home.ts";
import { refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { askGit, git } from "../../git/git.ts";
import { NOT_INSIDE } from "../../git/git-environment.ts";
import { linkWorktrees } from "../../git/home/create-home.ts";
import { ALL_SHOWN, mainTop, requireOwnPlaces, unrecorded } from "../../git/home/worktrees.ts";
import { removeEmpty, removeFolder } from "../../store/beside/beside.ts";
import { holdLock } from "../../store/lock.ts";
import { exists } from "../../store/read/facts.ts";
import { names } from "../../store/read/list-folder.ts";
import { readJson } from "../../store/read/read-json.ts";
import { flushAt } from "../../store/root.ts";
import { removeFile, removeForGood } from "../../store/write/move-file.ts";
import { publish } from "../../store/write/publish.ts";
import { inOffice, OFFICE, officeToWrite } from "./office-folder.ts";

/** The worktree of a dispatch. */
export interface DispatchWorktree {
  /** Absolute path of its top. */
  folder: string;
  /** `relay/…`, without `refs/heads/`. */
  branch: string;
  /** The commit that it was cut from. */
  base: string;
}

const RECORD_BYTES = 16_384;
const recordPath = (id: string): string => `${OFFICE}/${id}/worktree.json`;
const madePath = (id: string): string => `${OFFICE}/${id}/worktree-made`;
const lockOf = (id: string): string => `${OFFICE}/${id}/worktree`;
const branchOf = (id: string): string => `relay/${id.slice(id.lastIndexOf("-") + 1)}`;

/** The worktree that was made, or is being made, for a dispatch; null where none was. */
export const worktreeOf = (world: World, id: string): DispatchWorktree | null =>
  inOffice(world.home().store, null, (office) => readJson<DispatchWorktree>(office, recordPath(id), RECORD_BYTES));

/** Every dispatch of this clone that has a worktree. */
export const worktreeDispatches = (world: World): string[] =>
  inOffice(world.home().store, [], (office) =>
    names(office, OFFICE)
      .filter((id) => parseThreadId(id) !== null && exists(office, recordPath(id)))
      .sort(),
  );

/** The top of the code that worktrees are cut from; of a bare repository its own folder. Null outside of git. */
function topOf(world: World): string | null {
  const from = path.dirname(world.home().store.root);
  return mainTop(from) ?? codeRepository(from)?.commonDir ?? null;
}

/** Where the worktree of a dispatch lies, or will lie: `<the code's folder>-office/<the end of its id>`. @throws Refusal `no_worktree` outside of git */
export function worktreeFolder(world: World, id: string): string {
  const top = topOf(world);
  if (top === null) throw refuse("no_worktree", { reason: "the code is in no git repository" });
  return path.join(`${top}-office`, branchOf(id).slice("relay/".length));
}

/**
 * The worktree of a dispatch: the one that is there, or a new one, cut from what the caller has.
 * @param above the dispatches above it, nearest first: the first that has a worktree is the caller; else the repository's HEAD counts
 * @throws Refusal `no_worktree` where none can be made; what git says
 */
export async function ensureWorktree(world: World, id: string, above: readonly string[]): Promise<DispatchWorktree> {
  const { store: home, config } = world.home();
  if (config().inTree)
    throw refuse("no_worktree", { reason: "this home is files of the code, so each worktree would have a home of its own" });
  const folder = worktreeFolder(world, id);
  const store = officeToWrite(home);
  return holdLock(store, lockOf(id), async () => {
    const top = topOf(world) as string;
    if (worktreeOf(world, id) === null) {
      const caller = above.map((each) => worktreeOf(world, each)?.folder).find((at) => at !== undefined && isFolder(at)) ?? top;
      const base = (await askGit(caller, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]))?.trim();
      if (base === undefined) throw refuse("no_worktree", { reason: `${caller} has no commit yet` });
      publish(store, recordPath(id), `${JSON.stringify({ folder, branch: branchOf(id), base } satisfies DispatchWorktree)}\n`);
    }
    const worktree = worktreeOf(world, id);
    if (worktree === null) throw refuse("no_worktree", { reason: `${recordPath(id)} cannot be read` });
    const isMade = exists(store, madePath(id));
    if (!isMade || !isFolder(worktree.folder)) await addWorktree(top, worktree, isMade);
    linkWorktrees(world, top);
    publish(store, madePath(id), "");
    return worktree;
  });
}

/** Adds the worktree to git. What a killed process left of it goes first: nothing was worked in it yet. */
async function addWorktree(top: string, { folder, branch, base }: DispatchWorktree, wasMade: boolean): Promise<void> {
  requireOwnPlaces(top, branch, folder);
  const tip = (await askGit(top, ["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`]))?.trim();
  if (tip !== undefined && !wasMade && tip !== base)
    throw refuse("no_worktree", { reason: `the branch ${branch} is there, with other commits` });
  if (isFolder(folder)) {
    const isOurs = codeRepository(folder)?.commonDir === codeRepository(top)?.commonDir;
    if (!isOurs && fs.readdirSync(folder).length > 0)
      throw refuse("no_worktree", { reason: `${folder} is there, and is no worktree of the code` });
    removeFolder(folder);
  }
  // Twice: also where git still counts the one that is gone, locked as one that was being made.
  const add = ["worktree", "add", "--quiet", "--force", "--force"];
  await git(top, [...add, ...(tip === undefined ? ["-b", branch, folder, base] : [folder, branch])]).catch((error: Error) => {
    throw refuse("no_worktree", { reason: error.message });
  });
}

/** Whatever a person's git is told, the names of files have no line end and no hidden character. */
const NAMES_QUOTED = ["-c", "core.quotePath=true"];
/** So many lines of a diffstat stand in a reply. */
const STAT_LINES = 40;

/** What a dispatch did in its worktree, in words for its reply: branch, commits, diffstat, and what is in no commit; null where it has none. */
export async function worktreeReport(world: World, id: string): Promise<string | null> {
  const worktree = worktreeOf(world, id);
  if (worktree === null || !isFolder(worktree.folder)) return null;
  const { folder, branch, base } = worktree;
  const count = Number((await askGit(folder, ["rev-list", "--count", `${base}..HEAD`])) ?? 0);
  const diff = [
    ...NAMES_QUOTED,
    "diff",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    NOT_INSIDE,
    `--stat=100,80,${STAT_LINES}`,
    base,
    "--",
  ];
  const stat = ((await askGit(folder, diff)) ?? "").trimEnd();
  const open = await unrecorded(folder, false);
  return [
    `Branch ${branch}, cut from ${base.slice(0, 12)}: ${many(count, "commit")}.`,
    stat === "" ? "No file differs." : stat,
    ...(open === null ? [] : [`Not all is committed: ${open}.`]),
  ].join("\n");
}

/**
 * Removes the worktree of a dispatch and its branch, where all of it is committed and on another branch or a remote. Files that git
 * ignores go with it.
 * @returns why it was left; null where it was removed
 */
export async function removeDispatchWorktree(world: World, id: string): Promise<string | null> {
  const store = officeToWrite(world.home().store);
  return holdLock(store, lockOf(id), async () => {
    const worktree = worktreeOf(world, id);
    const top = topOf(world);
    if (worktree === null || top === null) return "it has no worktree";
    const { folder, branch } = worktree;
    const ref = `refs/heads/${branch}`;
    if (isFolder(folder)) {
      const at = (await askGit(folder, ["symbolic-ref", "--quiet", "HEAD"]))?.trim();
      if (at !== ref) return `it is not on its branch ${branch} any more`;
      const open = await unrecorded(folder, false);
      if (open !== null) return open;
    }
    const tip = (await askGit(top, ["rev-parse", "--verify", "--quiet", ref]))?.trim();
    if (tip !== undefined) {
      const others = ["HEAD", `--exclude=${branch}`, "--branches", "--remotes"];
      const count = Number(await git(top, ["rev-list", "--count", tip, "--not", ...others]));
      if (count > 0) return `${many(count, "commit")} of ${branch} ${count === 1 ? "is" : "are"} on no other branch and no remote`;
    }
    try {
      if (isFolder(folder)) await git(top, [...ALL_SHOWN, "worktree", "remove", folder]);
      // Only as it was when it was read: somebody may have committed to it since.
      if (tip !== undefined) await git(top, ["update-ref", "-d", ref, tip]);
    } catch (error) {
      return (error as Error).message;
    }
    // What says that there is a worktree goes last: what a loss of power brings back is found by it.
    const gitDir = codeRepository(top)?.commonDir ?? top;
    const changed = [path.dirname(folder), ...["worktrees", "refs/heads", "refs/heads/relay"].map((name) => path.join(gitDir, name))];
    for (const at of changed.filter(isFolder)) flushAt(at);
    removeEmpty(path.dirname(folder));
    removeFile(store, madePath(id));
    removeForGood(store, recordPath(id));
    return null;
  });
}
