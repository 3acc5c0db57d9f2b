/** Merging what has numbered versions: of two with one number, one gets the next number that is free. SPEC.md, "Merge". */
import { artifactId, parseArtifact, parseArtifactId, recordName } from "./artifact.ts";
import { formatFrontmatter, parseFrontmatter } from "./frontmatter.ts";
import { longer } from "./merge-fields.ts";
import { type BlobId, type Conflict, type Job, keepBoth, type Outcomes, ordered, type Reader, type Sides } from "./merge-tree.ts";
import { summaryPath, summaryVersionPath } from "./session.ts";

const RECORD = /^(sessions\/[^/]+\/artifacts\/[^/]+)\/([1-9]\d{0,6})\.artifact\.md$/;
const CONTENT = /^(sessions\/[^/]+\/artifacts\/[^/]+)\/([1-9]\d{0,6})\.[a-z0-9]{1,8}$/;
const SUMMARY = /^sessions\/([^/]+)\/(?:summary|summaries\/([1-9]\d{0,6}))\.md$/;

/** Takes the conflicts that are about numbered versions; gives the jobs, and the conflicts that are left. */
export function versionJobs(sides: Sides, conflicts: readonly Conflict[]): { jobs: Job[]; left: Conflict[] } {
  const records = grouped(conflicts, (path) => RECORD.exec(path)?.[1] ?? null);
  const summaries = grouped(conflicts, (path) => SUMMARY.exec(path)?.[1] ?? null);
  const parted = new Set([...records.values()].flat().map(({ path }) => path));
  const isContent = (path: string): boolean => {
    const [, folder, version] = CONTENT.exec(path) ?? [];
    return parted.has(`${folder}/${recordName(Number(version))}`);
  };
  return {
    jobs: [
      ...[...records].map(([folder, found]) => artifactJob(sides, folder, found)),
      ...[...summaries].map(([session, found]) => summaryJob(sides, session, found)),
    ],
    left: conflicts.filter(({ path }) => !parted.has(path) && !isContent(path) && !SUMMARY.test(path)),
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
  version: number;
  id: BlobId;
  content: { path: string; id: BlobId } | null;
  text: string;
  at: string;
}

function artifactJob(sides: Sides, folder: string, conflicts: readonly Conflict[]): Job {
  return {
    needs: conflicts.flatMap(({ ours, theirs }) => [ours, theirs]),
    run(read) {
      const outcomes: Outcomes = new Map();
      const losers: Version[] = [];
      for (const { path, ours, theirs } of conflicts) {
        const number = Number(RECORD.exec(path)?.[2]);
        const one = versionOf(read, folder, number, ours, sides.ours);
        const other = versionOf(read, folder, number, theirs, sides.theirs);
        const [winner, loser] = one.at + one.id < other.at + other.id ? [one, other] : [other, one];
        outcomes.set(path, { take: winner.id });
        if (loser.content !== null) outcomes.set(loser.content.path, { absent: true });
        if (winner.content !== null) outcomes.set(winner.content.path, { take: winner.content.id });
        if (loser.at !== MALFORMED) losers.push(loser);
        else {
          for (const [at, outcome] of keepBoth(path, winner.id, loser.id)) outcomes.set(at, outcome);
          if (loser.content !== null && loser.content.path !== winner.content?.path)
            outcomes.set(loser.content.path, { take: loser.content.id });
          else if (loser.content !== null && winner.content !== null)
            for (const [at, outcome] of keepBoth(loser.content.path, winner.content.id, loser.content.id)) outcomes.set(at, outcome);
        }
      }
      let next = highest(sides, (path) => (path.startsWith(`${folder}/`) ? Number(RECORD.exec(path)?.[2] ?? 0) : 0));
      for (const loser of losers.sort((a, b) => (a.at + a.id < b.at + b.id ? -1 : 1))) {
        next += 1;
        outcomes.set(`${folder}/${recordName(next)}`, { content: renumbered(loser.text, next) });
        const ending = loser.content?.path.slice(loser.content.path.lastIndexOf("."));
        if (loser.content !== null) outcomes.set(`${folder}/${next}${ending}`, { take: loser.content.id });
      }
      return outcomes;
    },
  };
}

/** Sorts after every time. */
const MALFORMED = "~";

function versionOf(read: Reader, folder: string, version: number, id: BlobId, tree: ReadonlyMap<string, BlobId>): Version {
  try {
    const text = read(id) ?? "";
    const { createdAt, extension } = parseArtifact(text);
    const path = `${folder}/${version}.${extension}`;
    const content = tree.get(path);
    return { version, id, text, at: createdAt, content: content === undefined ? null : { path, id: content } };
  } catch {
    return { version, id, text: "", at: MALFORMED, content: null };
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
      for (const { path, ours, theirs } of [...conflicts].sort((a, b) => (a.path < b.path ? -1 : 1))) {
        const [one, other] = ordered(ours, theirs);
        const isFirst = path !== current?.path || longer(read(one) ?? "", read(other) ?? "");
        outcomes.set(path, { take: isFirst ? one : other });
        losers.push(isFirst ? other : one);
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
