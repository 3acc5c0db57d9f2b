/** A home that is there already, as a record: on the remote that the code came from, or in this repository after its folder was deleted. SPEC.md, "Joining". */
import fs from "node:fs";
import path from "node:path";
import { CONFIG_PATH } from "../objects/config.ts";
import { Refusal, refuse } from "../refusal.ts";
import { fillIndex, keepIndex, newIndex } from "../store/git-index.ts";
import { type Change, listTree, moveRef, resolveCommit } from "../store/git-objects.ts";
import { fetchBranch, type Remote } from "../store/git-remote.ts";
import { gitResult, type Repository } from "../store/git-run.ts";
import { exists } from "../store/read.ts";
import type { World } from "../world.ts";
import { layRepository, type Site, siteFor } from "./create.ts";
import { type CodeRepository, codeRepository, HOME_GIT } from "./discover.ts";
import { layOut } from "./lay.ts";
import { isWelcome } from "./merging.ts";
import { remotesOf, trackingRef } from "./remotes.ts";
import { branchName, branchRef, holdsHome, INCOMING, repositoryAt } from "./repository.ts";

const FETCH_MS = 300_000;

/** Where a home that is about to be made is recorded already. */
export type Record = { from: "here" } | { from: "remote"; remote: Remote; local: string };

/** The record of a home at a site; null where there is none and it is made anew. @throws Refusal `foreign_branch` */
export async function findRecord(site: Site, branch: string): Promise<Record | null> {
  const code = site.repository;
  if (code === null || site.inTree) return null;
  if ((await recordedAt(code)) !== null) return { from: "here" };
  const remotes = await remotesOf(code);
  const ordered = [...remotes.values()].sort((a, b) => Number(b.name === "origin") - Number(a.name === "origin"));
  for (const remote of ordered) {
    const local = `refs/remotes/${remote.name}/${branch}`;
    if ((await resolveCommit(asRepository(code), local)) === null) continue;
    if (!(await holdsHome(asRepository(code), local))) throw refuse("foreign_branch", { remote: remote.name, branch });
    return { from: "remote", remote, local };
  }
  return null;
}

const asRepository = ({ commonDir }: CodeRepository): Repository => ({ gitDir: commonDir, workTree: commonDir });

/** What the home of a code repository was recorded at last; null where it never was. */
async function recordedAt(code: CodeRepository): Promise<string | null> {
  const gitDir = path.join(code.commonDir, HOME_GIT);
  if (!fs.existsSync(path.join(gitDir, "HEAD"))) return null;
  return resolveCommit({ gitDir, workTree: code.home }, "HEAD");
}

/**
 * Brings a record into a home whose repository was laid; files that are there stay as they are.
 * @param world a world whose home lies at the site
 * @returns the name of the remote that was joined; null when the record was here
 * @throws Refusal `foreign_branch`, `remote_unreachable`
 */
export async function joinRecord(world: World, site: Site, record: Record): Promise<string | null> {
  const repository = repositoryAt(site.home) as Repository;
  if (record.from === "remote") await takeOver(repository, site.repository as CodeRepository, record);
  await restoreAll(world, repository);
  return record.from === "remote" ? record.remote.name : null;
}

/** Makes what the remote has this home's branch; where it cannot be reached, what the code fetched of it last. */
async function takeOver(repository: Repository, code: CodeRepository, { remote, local }: { remote: Remote; local: string }): Promise<void> {
  const branch = branchName(repository);
  const patience = { timeoutMs: FETCH_MS };
  try {
    if (!(await fetchBranch(repository, remote, branch, INCOMING, patience)))
      throw refuse("remote_unreachable", { remote: remote.name, reason: "gone" });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const args = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", code.commonDir, `+${local}:${INCOMING}`];
    if ((await gitResult(repository, args)).code !== 0) throw error;
  }
  const theirs = (await resolveCommit(repository, INCOMING)) as string;
  if (!(await holdsHome(repository, theirs))) throw refuse("foreign_branch", { remote: remote.name, branch });
  await moveRef(repository, trackingRef(remote, branch), theirs, undefined, "relay: join");
  await moveRef(repository, branchRef(repository), theirs, null, "relay: join");
}

/** Lays out all of the last record that is not there. The configuration comes last: a home without it is none yet. */
export async function restoreAll(world: World, repository: Repository): Promise<number> {
  const { store } = world.home();
  const head = (await resolveCommit(repository, branchRef(repository))) as string;
  const changes: Change[] = [];
  for await (const file of listTree(repository, head))
    if (isWelcome(file) && !exists(store, file.path)) changes.push({ path: file.path, before: null, after: file.id, mode: file.mode });
  await layOut(
    world,
    repository,
    changes.filter(({ path: at }) => at !== CONFIG_PATH),
  );
  await layOut(
    world,
    repository,
    changes.filter(({ path: at }) => at === CONFIG_PATH),
  );
  const index = newIndex(repository);
  await fillIndex(repository, index, head, isWelcome);
  keepIndex(repository, index);
  return changes.length;
}

/** The site of a home whose folder is gone and whose record is there; null of any other. */
export async function lostHome(from: string): Promise<Site | null> {
  const code = codeRepository(from);
  if (code === null || fs.existsSync(path.join(code.home, CONFIG_PATH)) || (await recordedAt(code)) === null) return null;
  return siteFor(from, false);
}

/** Brings a home back whose folder was deleted. @param world a world whose home lies at the site */
export async function bringBack(world: World, site: Site): Promise<number> {
  await layRepository(site, "relay");
  return restoreAll(world, repositoryAt(site.home) as Repository);
}
