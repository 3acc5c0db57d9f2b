/** Finds commits in a home's history that deleted or changed files in a way that no operation does. spec/git.md, "Guard". */
import { CONFIG_PATH } from "../../core/config/config-schema.ts";
import { type Finding, found } from "../../core/format/finding.ts";
import { type ThreadLocation, threadId } from "../../core/format/id.ts";
import { MOST_BYTES } from "../../core/format/schema.ts";
import { isPlainMode, ofFiles } from "../../core/tree/record.ts";
import { readAll } from "../../git/git-blobs.ts";
import { historyOf, oldestKnown, touchesOf } from "../../git/git-history.ts";
import { listTreeAtOnce } from "../../git/git-list.ts";
import type { Repository } from "../../git/git-run.ts";
import { locateInInbox } from "../../mail/nouns/in-inbox.ts";
import { isClosedText } from "../../mail/nouns/merge-thread.ts";
import { readPath } from "../../mail/nouns/part.ts";
import { threadPath } from "../../mail/nouns/thread.ts";
import { archivesOf, readArchive, threadOfArchived } from "../../removal/nouns/archive.ts";
import { blobId, sha256 } from "../../store/digest.ts";
import { shortCommit } from "../../trust/nouns/origin.ts";
import { type HistoryFault, HistoryFaults } from "../nouns/history-faults.ts";
import { type Names, namesIn } from "../nouns/merge-absent.ts";
import { subjectIn } from "../nouns/merge-archive.ts";
import { brokenAmong } from "./guarded-tree.ts";

/** What a history says of itself. */
export interface HistorySeen {
  faults: HistoryFault[];
  /** Where history is cut, as in a shallow clone, the commits that it is known from; empty where all of it is there. */
  knownFrom: string[];
}

/** The history that was examined last: one run asks for the same several times, and a commit's never changes. */
let last: { of: string; faults: HistoryFault[] } | null = null;

/** Examines a history; read once for as long as the same commit is asked for, and as much of its history is there. */
export async function examineHistory(repository: Repository, commit: string): Promise<HistorySeen> {
  const knownFrom = await oldestKnown(repository);
  const of = JSON.stringify([repository.gitDir, commit, knownFrom]);
  if (last?.of !== of) last = { of, faults: await faultsOf(repository, commit) };
  return { faults: [...last.faults], knownFrom };
}

/** A finding for each file that a commit deleted or changed, with the command that brings it back. */
export function* faultFindings({ commit, deleted, changed }: HistoryFault): Generator<Finding> {
  const short = shortCommit(commit);
  const heals = `\`relay undo ${short}\` brings it back`;
  const remedy = `git -C .relay show --stat ${short}; protect the branch if it was not you`;
  const more = { commit, remedy };
  for (const { path, isFirst } of deleted)
    yield found("deleted_by_push", `commit ${short} deleted ${path}, which no operation does; ${heals}`, { ...more, path, isFirst });
  for (const { path, isFirst } of changed)
    yield found("changed_by_push", `commit ${short} changed ${path}, which is written once; ${heals}`, { ...more, path, isFirst });
}

async function faultsOf(repository: Repository, commit: string): Promise<HistoryFault[]> {
  const touched = await gathered(touchesOf(repository, [commit]));
  if (touched === null) return [];
  // A content may have come by another line of the history, which only all of it tells.
  const faults = touched.rewritten().size === 0 ? touched : ((await gathered(historyOf(repository, [commit]))) ?? touched);
  const now = new Map<string, string>();
  for await (const files of listTreeAtOnce(repository, commit))
    for (const { path, id, mode } of files) if (isPlainMode(mode)) now.set(path, id);
  const config = now.get(CONFIG_PATH);
  const text = config === undefined ? null : ((await readAll(repository, [config])).get(config)?.toString("utf8") ?? null);
  const parts = namesIn(text);
  const isArchived = await archivedIn(repository, faults.gone(), now, parts);
  return faults.all(now, parts, isArchived, await brokenAmong(repository, faults.rewritten()));
}

/** What the changes of a history come to; null where it only added. */
async function gathered(history: ReturnType<typeof historyOf>): Promise<HistoryFaults | null> {
  const faults = new HistoryFaults();
  let isAny = false;
  for await (const events of history) {
    for (const { commit, change } of events) {
      if (change === null) continue;
      isAny ||= change.before !== null;
      faults.add(commit, { path: change.path, ...ofFiles(change) });
    }
  }
  return isAny ? faults : null;
}

/**
 * Tells whether an archive has what lay at a path; of unread mail, an ack that was a file before. Only an archive of a thread that was closed
 * before is believed, and calls it as it was called. Acks of a part that was renamed before are archived under its later name.
 */
async function archivedIn(
  repository: Repository,
  gone: ReadonlyMap<string, { before: string }>,
  now: ReadonlyMap<string, string>,
  parts: Names | null,
): Promise<(path: string, id: string) => boolean> {
  const threads = new Map<string, ThreadLocation>();
  const edited: string[] = [];
  for (const [path, { before }] of gone) {
    const location = threadOfArchived(path) ?? locateInInbox(path)?.key ?? null;
    if (location === null) continue;
    threads.set(threadId(location), location);
    if (path.endsWith("/thread.md")) edited.push(before);
  }
  const archives = [...threads.values()].flatMap((location) =>
    archivesOf(location, (at) => now.has(at)).map((at) => ({ key: location, id: now.get(at) as string })),
  );
  const contents = await readAll(repository, [...edited, ...archives.map(({ id }) => id)], MOST_BYTES);
  const textOf = (id = ""): string | null => contents.get(id)?.toString("utf8") ?? null;
  const held = new Set<string>();
  for (const { key, id } of archives) {
    const [files, at] = [readArchive(textOf(id), key, sha256), threadPath(key)];
    const threadFiles = [textOf(gone.get(at)?.before), files?.get(at) ?? null];
    const [was, is] = threadFiles.map((text) => subjectIn(key, text));
    if (files === null || was !== is || !threadFiles.every((text) => isClosedText(key, text))) continue;
    for (const [path, text] of files) held.add(path).add(`${path} ${blobId(text, id.length)}`);
  }
  return (path, id) => {
    const mail = locateInInbox(path);
    if (mail !== null) {
      const readers = [mail.part, ...(parts?.former.get(mail.part) ?? [])].map((part) => readPath(part, mail.message, mail.key.day));
      return readers.some((reader) => (mail.unread ? held.has(reader) && gone.has(reader) : held.has(`${reader} ${id}`)));
    }
    return held.has(path.endsWith("/thread.md") ? path : `${path} ${id}`);
  };
}
