/** Merging what has numbered versions: of two with one number, one gets the next number that is free. spec/git.md, "Merge". */
import { artifactId, parseArtifact, parseArtifactId, recordName } from "../artifact/artifact.ts";
import { formatFrontmatter, parseFrontmatter } from "../format/frontmatter.ts";
import { longer } from "../noun/merge-fields.ts";
import {
  type BlobId,
  byPublication,
  type Conflict,
  type Job,
  keepBoth,
  type Outcomes,
  ordered,
  type Reader,
  type Sides,
} from "../noun/merge-tree.ts";
import { summaryPath, summaryVersionPath } from "../session/session.ts";

const RECORD = /^(sessions\/[^/]+\/artifacts\/[^/]+)\/([1-9]\d{0,6})\.artifact\.md$/;
const CONTENT = /^(sessions\/[^/]+\/artifacts\/[^/]+)\/([1-9]\d{0,6})\.[a-z0-9]{1,8}$/;
const SUMMARY = /^sessions\/([^/]+)\/(?:summary|summaries\/([1-9]\d{0,6}))\.md$/;

/** Takes the conflicts that are about numbered versions; gives the jobs, and the conflicts that are left. */
export function versionJobs(sides: Sides, conflicts: readonly Conflict[]): { jobs: Job[]; left: Conflict[] } {
  const records = grouped(conflicts, (path) => RECORD.exec(path)?.[1] ?? null);
  const summaries = grouped(conflicts, (path) => SUMMARY.exec(path)?.[1] ?? null);
  const parted = new Set([...records.values()].flat().map(({ path }) => path));
  const contents = grouped(conflicts, (path) => {
    const [, folder, version] = CONTENT.exec(path) ?? [];
    const record = `${folder}/${recordName(Number(version))}`;
    return parted.has(record) ? record : null;
  });
  const taken = new Set([...parted, ...[...contents.values()].flat().map(({ path }) => path)]);
  return {
    jobs: [
      ...[...records].map(([folder, found]) => artifactJob(sides, folder, found, contents)),
      ...[...summaries].map(([session, found]) => summaryJob(sides, session, found)),
    ],
    left: conflicts.filter(({ path }) => !taken.has(path) && !SUMMARY.test(path)),
  };
}

function grouped(conflicts: readonly Conflict[], keyOf: (path: string) => string | null): Map<string, Conflict[]> {
  const groups = new Map<string, Conflict[]>();
  for (const conflict of conflicts) {
    const key = keyOf(conflict.path);
    if (key !== null) groups.set(key, [...(groups.get(key) ?? []), conflict]);
  }
  return groups;
}

/** The highest number that a path of either side has. */
function highest({ ours, theirs }: Sides, numberOf: (path: string) => number): number {
  let found = 0;
  for (const tree of [ours, theirs]) for (const path of tree.keys()) found = Math.max(found, numberOf(path));
  return found;
}

/** A record on one side, with the content that goes with it. */
interface Version {
  side: "ours" | "theirs";
  id: BlobId;
  /** Null where the record cannot be read. */
  record: { text: string; at: string } | null;
  content: { path: string; id: BlobId } | null;
}

function artifactJob(sides: Sides, folder: string, conflicts: readonly Conflict[], contents: ReadonlyMap<string, Conflict[]>): Job {
  return {
    needs: conflicts.flatMap(({ ours, theirs }) => [ours, theirs]),
    run(read) {
      const outcomes: Outcomes = new Map();
      const losers: Version[] = [];
      for (const conflict of conflicts) {
        const both = (["ours", "theirs"] as const).map((side) => versionOf(read, sides, folder, conflict, side));
        const [winner, loser] = both.sort((a, b) => (isFirst(sides, a, b) ? -1 : 1)) as [Version, Version];
        if (loser.record === null) {
          // What cannot be read has no number to be given: it lies beside, with its content.
          const all = [conflict, ...(contents.get(conflict.path) ?? [])];
          for (const each of all) for (const outcome of keepBoth(each.path, each[winner.side], each[loser.side])) outcomes.set(...outcome);
          continue;
        }
        outcomes.set(conflict.path, { take: winner.id });
        if (loser.content !== null) outcomes.set(loser.content.path, { absent: true });
        if (winner.content !== null) outcomes.set(winner.content.path, { take: winner.content.id });
        losers.push(loser);
      }
      let next = highest(sides, (path) => (path.startsWith(`${folder}/`) ? Number(RECORD.exec(path)?.[2] ?? 0) : 0));
      for (const { record, content } of losers.sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))) {
        next += 1;
        outcomes.set(`${folder}/${recordName(next)}`, { content: renumbered(record?.text ?? "", next) });
        if (content !== null) outcomes.set(`${folder}/${next}${content.path.slice(content.path.lastIndexOf("."))}`, { take: content.id });
      }
      return outcomes;
    },
  };
}

/** Whether a version keeps its number against another: one that can be read, then the one that was published, then the earlier. */
function isFirst({ published }: Sides, one: Version, other: Version): boolean {
  if ((one.record === null) !== (other.record === null)) return other.record === null;
  return published === undefined ? sortKey(one) < sortKey(other) : one.side === published;
}

/** Earlier ones first; those that cannot be read last. */
const sortKey = ({ record, id }: Version): string => `${record === null ? "~" : record.at} ${id}`;

function versionOf(read: Reader, sides: Sides, folder: string, conflict: Conflict, side: "ours" | "theirs"): Version {
  const id = conflict[side];
  try {
    const text = read(id) ?? "";
    const { createdAt, extension, version } = parseArtifact(text);
    const path = `${folder}/${version}.${extension}`;
    const content = sides[side].get(path);
    return { side, id, record: { text, at: createdAt }, content: content === undefined ? null : { path, id: content } };
  } catch {
    return { side, id, record: null, content: null };
  }
}

/** The record of a version under another number; it says under which one it was posted. */
function renumbered(text: string, version: number): string {
  const { header, body } = parseFrontmatter(text);
  const hash = parseArtifactId(String(header["id"]))?.hash;
  const id = hash === undefined ? header["id"] : artifactId(hash, version);
  return formatFrontmatter({ ...header, id, version, posted_as: header["posted_as"] ?? header["id"] }, body);
}

/** Of two summaries the longer one stands; the other becomes an earlier version, as one does when a summary is saved. */
function summaryJob(sides: Sides, session: string, conflicts: readonly Conflict[]): Job {
  const current = conflicts.find(({ path }) => path === summaryPath(session));
  return {
    needs: current === undefined ? [] : [current.ours, current.theirs],
    run(read) {
      const outcomes: Outcomes = new Map();
      const losers: BlobId[] = [];
      for (const conflict of [...conflicts].sort((a, b) => (a.path < b.path ? -1 : 1))) {
        const { path, ours, theirs } = conflict;
        const isCurrent = path === current?.path;
        const [one, other] = (isCurrent ? null : byPublication(sides, conflict)) ?? ordered(ours, theirs);
        const stays = !isCurrent || longer(read(one) ?? "", read(other) ?? "");
        outcomes.set(path, { take: stays ? one : other });
        losers.push(stays ? other : one);
      }
      let next = highest(sides, (path) => (path.startsWith(`sessions/${session}/summaries/`) ? Number(SUMMARY.exec(path)?.[2] ?? 0) : 0));
      for (const loser of losers) {
        next += 1;
        outcomes.set(summaryVersionPath(session, next), { take: loser });
      }
      return outcomes;
    },
  };
}
