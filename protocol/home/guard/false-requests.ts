/** Files among the requests to forget that ask for nothing, because nobody can read them. spec/removal.md, "Forget". */

import type { BlobId, Tree } from "../../objects/merge/merge.ts";
import { FORGOTTEN_BYTES, FORGOTTEN_FOLDER, isRequest, locateForgotten } from "../../objects/message/forget-request.ts";
import { readerOf, UNREADABLE } from "../../objects/noun/merge-tree.ts";
import { readAll } from "../../store/git/git-blobs.ts";
import type { Repository } from "../../store/git/git-run.ts";

/** The files of a tree that lie where requests do and are none, but for those that another tree has too. @throws Refusal `git_failed` */
export async function falseRequests(repository: Repository, tree: Tree, having: Tree): Promise<Map<string, BlobId>> {
  const requests = [...tree].filter(
    ([path]) => path.startsWith(`${FORGOTTEN_FOLDER}/`) && !having.has(path) && locateForgotten(path)?.kind === "forgotten",
  );
  const texts = await readAll(repository, [...new Set(requests.map(([, id]) => id))], FORGOTTEN_BYTES);
  const read = readerOf((id) => texts.get(id) ?? UNREADABLE);
  return new Map(requests.filter(([path, id]) => !isRequest(path, read(id))));
}
