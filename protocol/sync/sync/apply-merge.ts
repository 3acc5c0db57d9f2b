/**
 * A merge that is being written to the home is noted on the disk, so that the next process completes it: its files
 * first, then the branch. spec/git.md, "Syncing".
 */

import { type Config, ownConfig } from "../../core/config/config.ts";
import { CONFIG_PATH } from "../../core/config/config-schema.ts";
import { append } from "../../core/format/append.ts";
import { LIMITS, MOST_BYTES } from "../../core/format/schema.ts";
import { packageWith } from "../../core/package.ts";
import type { World } from "../../core/world.ts";
import { readAll } from "../../git/git-blobs.ts";
import type { Change } from "../../git/git-changes.ts";
import { resolveCommit } from "../../git/git-commits.ts";
import { diffTrees, historyOf } from "../../git/git-history.ts";
import { moveRef } from "../../git/git-move-ref.ts";
import type { Repository } from "../../git/git-run.ts";
import { branchRef } from "../../git/home/repository.ts";
import { blobId } from "../../store/digest.ts";
import { exists } from "../../store/read/facts.ts";
import { bytesAt, readText } from "../../store/read/read-file.ts";
import type { Store } from "../../store/root.ts";
import { removeFile } from "../../store/write/move-file.ts";
import { place } from "../../store/write/publish.ts";
import { noteNames } from "../../trust/files/names-here.ts";
import { LAYING } from "../../trust/files/note-origins.ts";
import { GUARDED } from "../guard/guard-push.ts";
import { bringers, notePush, noteWrittenOnce } from "./push-effects.ts";
import type { Arrived } from "./write-file.ts";
import { writeIncoming } from "./write-incoming.ts";

const LAYING_BYTES = 4_096;
/** So often a merge is checked out at the most. */
const TRIES = 2;
const COMMIT = /^[0-9a-f]{40,64}$/;

/**
 * Lays a merge out, then moves the branch to it. The caller holds the lock of recorders.
 * @param from the commit that the home was recorded at
 * @param to a commit that contains it
 * @param isOwn whether nothing came: what a commit by hand took away is brought back
 * @returns null when somebody moved the branch by hand meanwhile; what was checked out is a change of theirs then
 */
export async function applyMerge(world: World, repository: Repository, from: string, to: string, isOwn = false): Promise<Arrived | null> {
  place(world.home().store, LAYING, `${JSON.stringify({ from, to, tries: 1, ...(isOwn ? { isOwn } : {}) })}\n`);
  return finish(world, repository, from, to, isOwn);
}

async function finish(world: World, repository: Repository, from: string, to: string, isOwn = false): Promise<Arrived | null> {
  const { store } = world.home();
  const all = await diffTrees(repository, from, to);
  const commitAt = await bringers(repository, { from, to, isOwn: isOwn || all.length === 0 });
  if (!isOwn && all.some(({ path }) => path === CONFIG_PATH)) noteNames(world, await partsAlong(repository, from, to));
  const onComing = (changes: readonly Change[]): void => noteWrittenOnce(world, changes, commitAt);
  const arrived = await writeIncoming(world, repository, all, isOwn ? {} : { onComing });
  const never = new Set([...arrived.strangers, ...arrived.skipped.map(({ path }) => path)]);
  const later = new Set(arrived.later);
  // What is checked out by a later call came with this one.
  const brought = all.filter(({ path }) => !never.has(path));
  const changes = brought.filter(({ path }) => !later.has(path));
  if (!isOwn) onComing(brought.filter(({ path }) => later.has(path)));
  const { did, toUndo } = await notePush(world, repository, { from, to, changes: brought, isOwn }, commitAt);
  append(arrived.did, did);
  append(arrived.toUndo, toUndo);
  await packageWith("claims").claims().tellOverruled(world, repository, { from, to, changes });
  const moved = await moveRef(repository, branchRef(repository), to, from, "relay: sync", isOwn ? undefined : GUARDED);
  removeFile(store, LAYING);
  return moved ? arrived : null;
}

/** Versions of relay.yml that are read of what came at once. Of more, all parts count as ones that there were, and no rename. */
const VERSIONS = 50;

/** The parts of each version of relay.yml on the way to a commit, the oldest first, beginning with those before it. */
async function partsAlong(repository: Repository, from: string, to: string): Promise<Config["parts"][]> {
  const ids: string[] = [];
  for await (const events of historyOf(repository, [to, `^${from}`], [CONFIG_PATH]))
    for (const { change } of events) if (change !== null) ids.push(...[change.before, change.after].filter((id) => id !== null));
  const all = [...new Set(ids)];
  const texts = await readAll(repository, all.slice(-VERSIONS), LIMITS.configBytes);
  const versions = [...texts.values()].flatMap((text) => ownConfig(text.toString("utf8"))?.parts ?? []);
  if (all.length <= VERSIONS) return versions;
  return versions.map((parts) => new Map([...parts.keys()].map((part) => [part, { formerly: [] }])));
}

/**
 * Completes a merge that a killed process was checking out. One that fails again is given up: what was checked out of it is noted as
 * brought, and told, and the next sync merges it again. So recording never waits for what arrived.
 */
export async function finishApplying(world: World, repository: Repository): Promise<void> {
  const { store } = world.home();
  const { from, to, tries, isOwn } = readApplying(store);
  const at = from === "" ? to : await resolveCommit(repository, branchRef(repository));
  // Where the branch has it, all of it was noted before.
  if (at !== to && tries <= TRIES && (await resolveCommit(repository, to)) !== null) {
    place(store, LAYING, `${JSON.stringify({ from, to, tries: tries + 1, isOwn })}\n`);
    try {
      if (tries < TRIES && at === from) return void (await finish(world, repository, from, to, isOwn));
    } catch {
      // It is given up.
    }
    if (!isOwn) await noteGivenUp(world, repository, from, to).catch(() => {});
  }
  removeFile(store, LAYING);
}

/** Notes as brought what was checked out of a merge that is given up, and tells of it. */
async function noteGivenUp(world: World, repository: Repository, from: string, to: string): Promise<void> {
  const { store } = world.home();
  const there = (await diffTrees(repository, from, to)).filter(({ path, after }) => after !== null && isCheckedOut(store, path, after));
  await notePush(world, repository, { from, to, changes: there, isOwn: false }, await bringers(repository, { from, to, isOwn: false }));
}

/** Whether a file of the home is a blob; one that cannot be read counts as it. */
function isCheckedOut(store: Store, path: string, id: string): boolean {
  if (!exists(store, path)) return false;
  const bytes = bytesAt(store, path, MOST_BYTES);
  return bytes === null || blobId(bytes, id.length) === id;
}

function readApplying(store: Store): { from: string; to: string; tries: number; isOwn: boolean } {
  try {
    const said = JSON.parse(readText(store, LAYING, LAYING_BYTES) ?? "{}") as {
      from?: unknown;
      to?: unknown;
      tries?: unknown;
      isOwn?: unknown;
    };
    const { from, to, tries = 1, isOwn } = said;
    if (typeof from === "string" && typeof to === "string" && COMMIT.test(from) && COMMIT.test(to))
      return { from, to, tries: typeof tries === "number" ? tries : TRIES, isOwn: isOwn === true };
  } catch {
    // Not whole, so nothing was checked out yet.
  }
  return { from: "", to: "", tries: 0, isOwn: false };
}
