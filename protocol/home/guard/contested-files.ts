/** Files written once of which the history does not say which bytes were first. spec/git.md, "Guard". */
import type { BlobId, Tree } from "../../objects/merge/merge.ts";
import { keptPath } from "../../objects/noun/merge-tree.ts";
import { moveRef } from "../../store/git/git-move-ref.ts";
import { gitResult, type Repository } from "../../store/git/git-run.ts";
import { storeContent } from "../../store/git/remote/git-refs.ts";

/** What this clone met contested, and took as the branch had it: path → contents. It is never sent. */
const CONTESTED = "refs/relay/contested";

export async function readContested(repository: Repository): Promise<Map<string, BlobId[]>> {
  const { code, out } = await gitResult(repository, ["cat-file", "blob", CONTESTED]);
  return new Map(code === 0 ? (JSON.parse(out.toString("utf8")) as [string, BlobId[]][]) : []);
}

/** Remembers what is contested, but for what an honest merge decided: there the other content lies beside. */
export async function noteContested(repository: Repository, contested: ReadonlyMap<string, BlobId[]>, now: Tree): Promise<void> {
  const open = [...contested].filter(([path, ids]) => ids.some((id) => now.get(path) !== id && !now.has(keptPath(path, id))));
  if (open.length === 0) return;
  const all = await readContested(repository);
  for (const [path, ids] of open) all.set(path, [...new Set([...(all.get(path) ?? []), ...ids])]);
  const id = await storeContent(repository, JSON.stringify([...all]));
  await moveRef(repository, CONTESTED, id, undefined, "relay: contested");
}
