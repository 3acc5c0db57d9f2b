/** A home that is there already, as a record: on the remote that the code came from, or in this repository after its folder was deleted. spec/git.md, "Joining". */
import fs from "node:fs";
import path from "node:path";
import { parseConfig, parseSettings } from "../../core/config/config.ts";
import { CONFIG_PATH } from "../../core/config/config-schema.ts";
import { settingWords } from "../../core/config/setting-changes.ts";
import { countingConfig } from "../../core/config/settings.ts";
import { orElse } from "../../core/format/file-error.ts";
import { type CodeRepository, codeRepository } from "../../core/home/find-home.ts";
import { Refusal, refuse } from "../../core/refusal.ts";
import { isCarried, isLayout } from "../../core/tree/layout.ts";
import type { World } from "../../core/world.ts";
import type { Change } from "../../git/git-changes.ts";
import { resolveCommit } from "../../git/git-commits.ts";
import { keepIndex } from "../../git/git-index.ts";
import { listTree } from "../../git/git-list.ts";
import { moveRef } from "../../git/git-move-ref.ts";
import type { Repository } from "../../git/git-run.ts";
import { fillIndex, newIndex } from "../../git/git-tree.ts";
import { configIn, holdsHome, withGoodConfig } from "../../git/home/branch-config.ts";
import { createRepository, type Site, siteFor } from "../../git/home/create-home.ts";
import { keepJoined } from "../../git/home/keep-remote.ts";
import { type Addressed, requireCountable, trackingRef } from "../../git/home/remotes.ts";
import { branchName, branchRef, INCOMING, repositoryAt } from "../../git/home/repository.ts";
import { fetchBranch, fetchRefspecs } from "../../git/remote/git-remote.ts";
import { exists } from "../../store/read/facts.ts";
import { acceptedSettings, acceptSettings } from "../../trust/files/accepted-settings.ts";
import { findMachineStore } from "../../trust/files/machine.ts";
import { noteBrought, noteTip } from "../../trust/files/note-origins.ts";
import { ALL } from "../guard/admit-files.ts";
import { GUARDED } from "../guard/guard-push.ts";
import { welcomed } from "../guard/merge-commits.ts";
import { leftOutNotes, unknownFilesIn, unknownFilesNotes } from "../guard/unknown-files.ts";
import { beginJoining, endJoining, FETCH_MS, type HomeRecord, recordedAt, recordHere } from "./find-record.ts";
import { writeIncoming } from "./write-incoming.ts";

/**
 * Brings a record into a home whose repository was laid; files that are there stay as they are.
 * @param world a world whose home lies at the site
 * @param notes gets what is to be said of it
 * @returns the name of the remote that was joined; null when the record was here
 * @throws Refusal `foreign_branch`, `remote_unreachable`
 */
export async function joinHome(world: World, site: Site, record: HomeRecord, notes: string[]): Promise<string | null> {
  const repository = repositoryAt(site.home) as Repository;
  if (record.from === "remote") notes.push(...(await takeOver(world, repository, site.repository as CodeRepository, record)));
  if (await putConfigBack(repository)) notes.push(CONFIG_BACK);
  notes.push(...(await restoreAll(world, repository, record.from)));
  const remote = record.from === "here" ? null : record.remote;
  if (remote !== null) keepJoined(world, remote);
  return remote?.name ?? null;
}

/**
 * Makes what the remote has this home's branch; where it cannot be reached, what the code fetched of it last.
 * @returns what is to be said of that
 */
async function takeOver(
  world: World,
  repository: Repository,
  code: CodeRepository,
  { remote, local }: { remote: Addressed; local: string | null },
): Promise<string[]> {
  const branch = branchName(repository);
  const patience = { timeoutMs: FETCH_MS };
  try {
    if (!(await fetchBranch(repository, remote, branch, INCOMING, patience)))
      throw refuse("remote_unreachable", { remote: remote.name, reason: "gone" });
  } catch (error) {
    if (!(error instanceof Refusal) || local === null) throw error;
    const fetched = { name: remote.name, url: code.commonDir, pushUrl: code.commonDir, settings: [] };
    if (!(await fetchRefspecs(repository, fetched, [`+${local}:${INCOMING}`], patience).catch(() => false))) throw error;
  }
  const theirs = (await resolveCommit(repository, INCOMING)) as string;
  await requireCountable(repository, { remote: remote.name, branch, theirs, known: [] });
  if (!(await holdsHome(repository, theirs))) throw refuse("foreign_branch", { remote: remote.name, branch });
  await moveRef(repository, trackingRef(remote, branch), theirs, undefined, "relay: join");
  const incoming = await welcomed(repository, theirs, remote.name);
  // From here on there is a record: whoever goes on with this knows that all of it came from elsewhere.
  beginJoining(world, remote.name);
  await moveRef(repository, branchRef(repository), incoming.commit, null, "relay: join");
  await moveRef(repository, GUARDED, incoming.commit, undefined, "relay: join");
  return leftOutNotes(incoming.left);
}

const CONFIG_BACK = `the branch's ${CONFIG_PATH} is missing or cannot be read, so Relay takes the newest readable one of its history`;

/** Puts the newest configuration that can be read on top of the branch, where its own cannot be. @returns whether it was put there */
async function putConfigBack(repository: Repository): Promise<boolean> {
  const tip = (await resolveCommit(repository, branchRef(repository))) as string;
  const { commit, isBack } = await withGoodConfig(repository, tip);
  if (isBack) await moveRef(repository, branchRef(repository), commit, tip, `relay: restore ${CONFIG_PATH}`);
  return isBack;
}

/**
 * Lays out all of the last record that is not there. The configuration comes last: a home without it is none yet.
 * @param from whence this machine has it
 * @returns what is to be said of what the branch has and the disk has not
 */
async function restoreAll(world: World, repository: Repository, from: HomeRecord["from"]): Promise<string[]> {
  const { store } = world.home();
  const head = (await resolveCommit(repository, branchRef(repository))) as string;
  const changes: Change[] = [];
  for await (const file of listTree(repository, head))
    if (isLayout(file.path) && isCarried(file) && !exists(store, file.path))
      changes.push({ path: file.path, before: null, after: file.id, mode: file.mode });
  if (from !== "here") {
    noteTip(world, head);
    // Before the first of them is there: whatever ends this, none looks as if it was written here.
    noteBrought(
      world,
      changes.map(({ path: at }) => ({ path: at, commit: head })),
    );
  }
  const config = (await configIn(repository, head)) ?? "";
  const members = membersIn(config);
  const { skipped } = await writeIncoming(
    world,
    repository,
    changes.filter(({ path: at }) => at !== CONFIG_PATH),
    { most: ALL, members },
  );
  const notes = from === "here" ? [] : acceptJoined(world, config);
  if (from !== "here") endJoining(world);
  await writeIncoming(
    world,
    repository,
    changes.filter(({ path: at }) => at === CONFIG_PATH),
  );
  const index = newIndex(repository);
  await fillIndex(repository, index, head, isCarried);
  keepIndex(repository, index);
  return [...notes, ...unknownFilesNotes(await unknownFilesIn(world, repository, head), skipped)];
}

/**
 * Lets the settings of a home that is joined count here: whoever joins accepts them.
 * @param text its configuration
 * @returns what to say of them, where they change what counts
 */
const acceptJoined = (world: World, text: string): string[] =>
  orElse([], () => {
    const { settings, config } = parseSettings(text);
    const { held } = countingConfig(settings, config, acceptedSettings(findMachineStore(world)));
    if (held.length === 0) return [];
    acceptSettings(world, settings);
    return [`its settings count on this machine: ${settingWords(held)}`];
  });

/** The parts of a configuration that is not checked out yet; none of one that cannot be read. */
const membersIn = (text: string): string[] => orElse([], () => [...parseConfig(text).parts.keys()]);

/** The site of a home whose folder is gone and whose record is there; null of any other. */
export async function lostHome(from: string): Promise<Site | null> {
  const code = codeRepository(from);
  if (code === null || fs.existsSync(path.join(code.home, CONFIG_PATH)) || (await recordedAt(code)) === null) return null;
  return siteFor(from, false);
}

/** Brings a home back whose folder was deleted. @param world a world whose home lies at the site */
export async function bringHomeBack(world: World, site: Site): Promise<void> {
  await createRepository(site, "relay");
  await joinHome(world, site, await recordHere(world, site.repository as CodeRepository), []);
}
