/** The home's branch made again as if a message had never been in it. spec/removal.md, "Forget". */
import path from "node:path";
import { isSealed, type MessageLocation, messageId, sealProblem, threadId } from "../../core/format/id.ts";
import { FILE_BYTES, LIMITS } from "../../core/format/schema.ts";
import type { World } from "../../core/world.ts";
import { readAll, writeBlobs } from "../../git/git-blobs.ts";
import { contentsAt } from "../../git/git-history.ts";
import { rewriteBranch } from "../../git/git-rewrite.ts";
import type { Repository } from "../../git/git-run.ts";
import { branchName, branchRef, requireRepository } from "../../git/home/repository.ts";
import { messagePath } from "../../mail/nouns/message.ts";
import { archivePath, formatArchive, locateArchive, readArchive } from "../../removal/nouns/archive.ts";
import { namesMessage } from "../../removal/nouns/forget-request.ts";
import { sha256 } from "../../store/digest.ts";
import { recordHome } from "./record-home.ts";

/**
 * Makes `<branch>-forgotten`: the home's branch without a message in every commit. A push can lay any content at the message's
 * path, such as that of `relay.yml`: so a content is left out under the message's own names, and elsewhere only where it proves
 * to be the message.
 * @returns the name of the branch
 * @throws Refusal `git_failed`
 */
export async function branchWithout(world: World, location: MessageLocation): Promise<string> {
  const repository = requireRepository(world);
  await recordHome(world);
  const branch = `${branchName(repository)}-forgotten`;
  const own = await ownContents(repository, location);
  const archives = await archivesWithout(repository, location);
  await rewriteBranch(repository, branchRef(repository), `refs/heads/${branch}`, (at, content) => {
    if (own.has(content) || namesMessage(at, location)) return null;
    const archive = archives.get(content);
    if (archive === undefined) return content;
    if (isArchiveOf(at, location)) return archive.without;
    return archive.isArchive ? null : content;
  });
  return branch;
}

/** The contents that are the message's by the hash in its id. An old id says nothing of its text: then none. */
async function ownContents(repository: Repository, location: MessageLocation): Promise<Set<string>> {
  if (!isSealed(location.token)) return new Set();
  const at = messagePath(location);
  const ids = [...((await contentsAt(repository, branchRef(repository), [at])).get(at) ?? [])];
  const texts = await readAll(repository, ids, LIMITS.messageBytes);
  return new Set(ids.filter((id) => sealProblem(texts.get(id)?.toString("utf8") ?? "", location, sha256) === null));
}

/** A content that lay at the path of an archive, and has the message. */
interface Holder {
  /** Whether it is an archive of the thread. Else it may be a copy of any other file, which stays where it belongs. */
  isArchive: boolean;
  /** The archive without the message; null where nothing of it is left. */
  without: string | null;
}

/** The contents at paths of the thread's archives that have the message. */
async function archivesWithout(repository: Repository, location: MessageLocation): Promise<Map<string, Holder>> {
  const contents = await contentsAt(repository, branchRef(repository), [path.posix.dirname(archivePath(location))]);
  const ids = new Set([...contents].flatMap(([at, each]) => (isArchiveOf(at, location) ? [...each] : [])));
  const holders = new Map<string, Holder>();
  for (const id of ids) {
    const text = (await readAll(repository, [id], FILE_BYTES.archive)).get(id)?.toString("utf8") ?? null;
    const files = readArchive(text, location, sha256);
    if (files === null) {
      if (text === null || text.includes(messageId(location))) holders.set(id, { isArchive: false, without: null });
      continue;
    }
    const left = new Map([...files].filter(([at, each]) => !namesMessage(at, location) && !isMessage(each, location)));
    if (left.size === files.size) continue;
    const [made = null] = left.size === 0 ? [] : await writeBlobs(repository, [Buffer.from(formatArchive(location, left, sha256))]);
    holders.set(id, { isArchive: true, without: made });
  }
  return holders;
}

const isMessage = (text: string, location: MessageLocation): boolean =>
  isSealed(location.token) && sealProblem(text, location, sha256) === null;

function isArchiveOf(at: string, location: MessageLocation): boolean {
  const located = locateArchive(at);
  return located !== null && threadId(located.key) === threadId(location);
}
