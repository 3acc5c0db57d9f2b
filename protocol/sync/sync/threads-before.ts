/** What threads said that have no file of their own: what their first message says of them. SPEC.md, R-THREAD-3. */
import { addTo } from "../../core/format/append.ts";
import { orElse } from "../../core/format/file-error.ts";
import { compareInThread, type MessageLocation, parseThreadId, type ThreadLocation, threadId } from "../../core/format/id.ts";
import { textOf } from "../../core/noun/merge-tree.ts";
import { readBlobs } from "../../git/git-blobs.ts";
import type { Change } from "../../git/git-changes.ts";
import { gitResult, type Repository } from "../../git/git-run.ts";
import { locateMessage, parseMessage, threadFolder } from "../../mail/nouns/message.ts";
import { formatThread, threadFromFirst, threadPath, unreadableThread } from "../../mail/nouns/thread.ts";

/** So many folders are asked for by one process of git. */
const AT_ONCE = 1_000;

/**
 * The texts that the files of threads would have had in an earlier commit, by their paths: of threads that were there, and whose file a
 * later change begins. So it shows what that change did to them.
 */
export async function threadsBefore(repository: Repository, from: string, changes: readonly Change[]): Promise<Map<string, string>> {
  const begun = changes.flatMap(({ path, before }) => {
    const thread = before === null && path.endsWith("/thread.md") ? parseThreadId(path.split("/")[2] ?? "") : null;
    return thread !== null && threadPath(thread) === path ? [thread] : [];
  });
  const firsts = new Map<string, { key: MessageLocation; id: string }>();
  for (let at = 0; at < begun.length; at += AT_ONCE) {
    for (const message of await messagesIn(repository, from, begun.slice(at, at + AT_ONCE))) {
      const first = firsts.get(threadPath(message.key));
      if (first === undefined || compareInThread(message.key, first.key) < 0) firsts.set(threadPath(message.key), message);
    }
  }
  const byContent = new Map<string, [string, MessageLocation][]>();
  for (const [path, { key, id }] of firsts) addTo(byContent, id, [path, key]);
  const texts = new Map<string, string>();
  for await (const { id, bytes } of readBlobs(repository, [...byContent.keys()]))
    for (const [path, key] of byContent.get(id) ?? []) texts.set(path, textFrom(key, bytes));
  return texts;
}

function textFrom(key: MessageLocation, bytes: Buffer): string {
  const text = textOf(bytes);
  const first = orElse(null, () => (text === null ? null : parseMessage(text, key, null)));
  return formatThread(first === null ? unreadableThread(threadId(key)) : threadFromFirst(first));
}

/** The messages that threads had in a commit; none where there is no such commit. */
async function messagesIn(
  repository: Repository,
  commit: string,
  threads: readonly ThreadLocation[],
): Promise<{ key: MessageLocation; id: string }[]> {
  const folders = threads.map((thread) => `${threadFolder(thread)}/`);
  const { code, out } = await gitResult(repository, ["ls-tree", "-z", "--full-tree", commit, "--", ...folders]);
  if (code !== 0) return [];
  return out
    .toString("utf8")
    .split("\0")
    .flatMap((line) => {
      const [facts = "", path = ""] = line.split("\t");
      const [, kind, id] = facts.split(" ");
      const key = locateMessage(path);
      return key === null || kind !== "blob" || id === undefined ? [] : [{ key, id }];
    });
}
