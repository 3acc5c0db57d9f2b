/** Contents of a home's repository. Every list is fed to one process, because starting git costs more than its work. */

import { readBlobs, sizesOf } from "./git-list.ts";
import { gitText, type Repository } from "./git-run.ts";

/**
 * The contents of a few blobs by their ids.
 * @param mostBytes larger ones are left out, unread
 * @throws Refusal `git_failed`
 */
export async function readAll(
  repository: Repository,
  ids: readonly string[],
  mostBytes = Number.POSITIVE_INFINITY,
): Promise<Map<string, Buffer>> {
  const sizes = Number.isFinite(mostBytes) ? await sizesOf(repository, ids) : new Map<string, number>();
  const wanted = ids.filter((id) => (sizes.get(id) ?? 0) <= mostBytes);
  const all = new Map<string, Buffer>();
  for await (const { id, bytes } of readBlobs(repository, wanted)) all.set(id, bytes);
  return all;
}

/** Writes contents as objects; gives their ids in the same order. */
export async function writeBlobs(repository: Repository, contents: readonly Uint8Array[]): Promise<string[]> {
  if (contents.length === 0) return [];
  const input = contents.flatMap((bytes, index) => [
    Buffer.from(`blob\nmark :${index + 1}\ndata ${bytes.length}\n`),
    bytes,
    Buffer.from("\n"),
  ]);
  const marks = contents.map((_, index) => `get-mark :${index + 1}\n`).join("");
  const out = await gitText(repository, ["fast-import", "--quiet"], { input: Buffer.concat([...input, Buffer.from(marks)]) });
  return out.split("\n");
}
