/** Merges numbered versions: of two with one number, one gets the next free number. spec/git.md, "Merge". */

import { artifactId, parseArtifact, parseArtifactId, recordName } from "../../board/nouns/artifact.ts";
import { summaryPath, summaryVersionPath, summaryVersions } from "../../board/nouns/session.ts";
import { addTo } from "../../core/format/append.ts";
import { succeeds } from "../../core/format/file-error.ts";
import { formatFrontmatter, parseFrontmatter } from "../../core/format/frontmatter.ts";
import { longer } from "../../core/noun/merge-fields.ts";
import {
  type BlobId,
  byPublication,
  type Conflict,
  type Job,
  keepBoth,
  keptPath,
  type Outcomes,
  ordered,
  type ReadBlob,
  type Sides,
} from "../../core/noun/merge-tree.ts";
import { plainText } from "../../core/noun/noun.ts";
import { isTooLarge, isUsable } from "../../core/tree/broken.ts";
import { type Place, placeOf } from "../../core/tree/layout.ts";

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/"));

/** Takes the conflicts that are about numbered versions; gives the jobs, and the conflicts that are left. */
export function versionJobs(sides: Sides, conflicts: readonly Conflict[]): { jobs: Job[]; left: Conflict[] } {
  const placed = conflicts.map((conflict) => ({ conflict, place: placeOf(conflict.path) }));
  const records = grouped(placed, ({ path }, place) => (place?.kind === "artifact" ? folderOf(path) : null));
  const summaries = grouped(placed, (_, place) => (place?.kind === "summary" || place?.kind === "version" ? place.session : null));
  const parted = new Set([...records.values()].flat().map(({ path }) => path));
  const contents = grouped(placed, ({ path }, place) => {
    const record = place?.kind === "content" ? `${folderOf(path)}/${recordName(place.version)}` : "";
    return parted.has(record) ? record : null;
  });
  const taken = new Set([records, summaries, contents].flatMap((groups) => [...groups.values()].flat()));
  return {
    jobs: [
      ...[...records].map(([folder, found]) => artifactJob(sides, folder, found, contents)),
      ...[...summaries].map(([session, found]) => summaryJob(sides, session, found)),
    ],
    left: conflicts.filter((conflict) => !taken.has(conflict)),
  };
}

interface Placed {
  conflict: Conflict;
  place: Place | null;
}

function grouped(placed: readonly Placed[], keyOf: (conflict: Conflict, place: Place | null) => string | null): Map<string, Conflict[]> {
  const groups = new Map<string, Conflict[]>();
  for (const { conflict, place } of placed) {
    const key = keyOf(conflict, place);
    if (key !== null) addTo(groups, key, conflict);
  }
  return groups;
}

/** The highest number that a file of a kind has in a folder of either side. */
function highest({ ours, theirs }: Sides, folder: string, kind: "artifact" | "version"): number {
  let found = 0;
  for (const tree of [ours, theirs])
    for (const path of tree.keys()) {
      const place = path.startsWith(`${folder}/`) ? placeOf(path) : null;
      if (place?.kind === kind) found = Math.max(found, place.version);
    }
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
      let next = highest(sides, folder, "artifact");
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

function versionOf(read: ReadBlob, sides: Sides, folder: string, conflict: Conflict, side: "ours" | "theirs"): Version {
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

/** Whether a summary stands against another: the one that can be read, then the longer one. */
function isLonger(path: string, one: string | null, other: string | null): boolean {
  const [isOne, isOther] = [one, other].map((text) => isUsable(path, text));
  return isOne === isOther ? longer(one ?? "", other ?? "") : isOne === true;
}

/** Of two summaries the longer one stands; the other becomes an earlier version, as one does when a summary is saved, or lies beside where it is no text. */
function summaryJob(sides: Sides, session: string, conflicts: readonly Conflict[]): Job {
  const current = conflicts.find(({ path }) => path === summaryPath(session));
  return {
    needs: conflicts.flatMap(({ ours, theirs }) => [ours, theirs]),
    run(read) {
      const outcomes: Outcomes = new Map();
      const losers: { path: string; id: BlobId }[] = [];
      for (const conflict of [...conflicts].sort((a, b) => (a.path < b.path ? -1 : 1))) {
        const { path, ours, theirs } = conflict;
        const isCurrent = path === current?.path;
        const [one, other] = (isCurrent ? null : byPublication(sides, conflict)) ?? ordered(ours, theirs);
        const stays = !isCurrent || isLonger(path, read(one), read(other));
        outcomes.set(path, { take: stays ? one : other });
        losers.push({ path, id: stays ? other : one });
      }
      let next = highest(sides, summaryVersions(session), "version");
      for (const { path, id } of losers) {
        const text = read(id);
        const isVersion = text !== null && !isTooLarge(path, text) && succeeds(() => plainText(text));
        if (isVersion) next += 1;
        outcomes.set(isVersion ? summaryVersionPath(session, next) : keptPath(path, id), { take: id });
      }
      return outcomes;
    },
  };
}
