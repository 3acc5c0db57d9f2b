/**
 * Going on from a branch that was rewritten on purpose, such as one that a secret was taken out of: the home becomes what the
 * branch has, with what this clone made and never sent. The rest is put aside, and is never sent again. spec/git.md, "Syncing".
 */
import { isCarried } from "../../core/tree/layout.ts";
import type { World } from "../../core/world.ts";
import { readBlobs } from "../../git/git-blobs.ts";
import { diffTrees } from "../../git/git-history.ts";
import { listTree } from "../../git/git-list.ts";
import type { Repository } from "../../git/git-run.ts";
import { authorship } from "../../git/home/authorship.ts";
import { commitFiles } from "../../git/home/commit-files.ts";
import { publish } from "../../store/write/publish.ts";
import { type Merged, welcomed } from "./merge-commits.ts";

/**
 * The commit that the home goes on from: the rewritten branch, with what is new here on top. Nothing is moved or checked out;
 * what only this clone has is put into `local/forgotten/<commit>/` first.
 * @param ours what this home is recorded at
 * @param remote the name of the remote
 * @param seen what the branch was at when it was last seen; what was sent by then is the branch's to keep or to drop
 */
export async function rebuildOn(
  world: World,
  repository: Repository,
  ours: string,
  { theirs, remote, seen }: { theirs: string; remote: string; seen: string },
): Promise<Merged> {
  const incoming = await welcomed(repository, theirs, remote);
  const there = await idsIn(repository, incoming.commit);
  const sent = new Set((await idsIn(repository, seen)).values());
  const kept = new Set(there.values());
  const changes = (await diffTrees(repository, incoming.commit, ours)).filter(({ path, mode }) => isCarried({ path, mode }));
  const only = changes.flatMap(({ path, after }) => (after === null ? [] : [{ path, id: after }]));
  // The bytes of a message lie in inboxes too: what was sent, and is not there any more, goes under no name at all.
  const fresh = only.filter(({ path, id }) => !there.has(path) && (!sent.has(id) || kept.has(id)));
  const isFresh = new Set(fresh.map(({ path }) => path));
  const aside = only.filter(({ path }) => !isFresh.has(path));
  await putAside(
    world,
    repository,
    `local/forgotten/${ours.slice(0, 12)}`,
    aside.filter(({ path }) => !path.includes("/new/")),
  );
  if (fresh.length === 0) return incoming;
  const message = `relay: go on from a rewritten branch, with ${fresh.length} files that were not sent\n`;
  const made = { on: incoming.commit, isWanted: isCarried, files: fresh, message, env: await authorship(repository) };
  return { ...incoming, commit: await commitFiles(repository, made) };
}

async function idsIn(repository: Repository, commit: string): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for await (const { path, id } of listTree(repository, commit)) ids.set(path, id);
  return ids;
}

/** Keeps files for a person, where nothing reads or sends them. */
async function putAside(
  world: World,
  repository: Repository,
  folder: string,
  files: readonly { path: string; id: string }[],
): Promise<void> {
  let next = 0;
  for await (const { bytes } of readBlobs(
    repository,
    files.map(({ id }) => id),
  ))
    publish(world.home().store, `${folder}/${(files[next++] as { path: string }).path}`, bytes);
}
