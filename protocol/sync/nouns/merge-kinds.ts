/** Which noun a conflict is about, and how its two versions become one. spec/git.md, "Merge". */
import { orElse } from "../../core/format/file-error.ts";
import type { Digest } from "../../core/format/id.ts";
import {
  byPublication,
  type Conflict,
  type Job,
  keepBoth,
  keepReadable,
  keptPath,
  ordered,
  outcomeOf,
  type Sides,
} from "../../core/noun/merge-tree.ts";
import type { JoinedText, Merge, Version } from "../../core/noun/noun.ts";
import { isBroken, isUsable } from "../../core/tree/broken.ts";
import { nounAt } from "../../core/tree/layout.ts";
import { guardClass } from "../../core/tree/record.ts";
import { versionJobs } from "./merge-versions.ts";

/** How each conflict is decided, by what its path holds. Tasks and their claims are merged together, by others. */
export function conflictJobs(sides: Sides, conflicts: readonly Conflict[], digest: Digest | null): Job[] {
  const { jobs, left } = versionJobs(sides, conflicts);
  return [...left.flatMap((conflict) => jobFor(sides, conflict, digest)), ...jobs];
}

function jobFor(sides: Sides, conflict: Conflict, digest: Digest | null): Job[] {
  const found = nounAt(conflict.path);
  const merge: Merge<unknown> | undefined = found?.noun.merge;
  if (merge?.by === "chain") return [];
  if (merge?.by === "text") return [textJob(conflict, (base, ours, theirs) => merge.join(base, ours, theirs, found?.place))];
  const keyOf = merge?.by === "first" ? (source: string) => merge.key(source, found?.place) : null;
  return [fileJob(sides, conflict, keyOf, digest)];
}

/** A text that both sides' changes are joined in; a side that cannot be read gives way, beside the other. */
function textJob({ path, base, ours, theirs }: Conflict, join: (base: string | null, ours: Version, theirs: Version) => JoinedText): Job {
  return {
    needs: [ours, theirs, ...(base === undefined ? [] : [base])],
    run(read) {
      const before = base === undefined ? null : read(base);
      const versionOf = (id: string): { id: string; text: string | null } => ({ id, text: read(id) });
      const [one, other] = ordered(ours, theirs).map(versionOf) as [Version, Version];
      const joined = (left: Version, right: Version): JoinedText | null => {
        if (![left, right].every(({ text }) => isUsable(path, text))) return null;
        return orElse(null, () => join(before, left, right));
      };
      const found = joined(one, other);
      if (found === null) {
        const isReadable = (id: string): boolean => [one, other].some((side) => side.id === id && joined(side, side) !== null);
        return keepReadable(path, [ours, theirs], isReadable);
      }
      const gaveWay = found.text === other.text ? one.id : other.id;
      const beside = found.isWhole ? [] : [[keptPath(path, gaveWay), { take: gaveWay }] as const];
      return new Map([[path, outcomeOf(found.text, [one, other])], ...beside]);
    },
  };
}

/**
 * A file of which one side's content stays: of what is written once, that of the side that was published, unless only it is broken.
 * @param keyOf what orders the contents, the smallest first; throws for one that cannot be read, which comes last. Null: their ids alone, of those that can be read
 */
function fileJob(sides: Sides, conflict: Conflict, keyOf: ((source: string) => string) | null, digest: Digest | null): Job {
  const { path, ours, theirs } = conflict;
  const first = guardClass(path) === "once" ? byPublication(sides, conflict) : null;
  if (first !== null)
    return {
      needs: digest === null ? [] : first,
      run(read) {
        const [isLost, isOtherLost] = first.map((id) => digest !== null && isBroken(path, read(id), digest));
        return isLost === true && isOtherLost === false ? keepBoth(path, first[1], first[0]) : keepBoth(path, ...first);
      },
    };
  if (keyOf === null && guardClass(path) !== "kept") return { needs: [], run: () => keepBoth(path, ...ordered(ours, theirs)) };
  return {
    needs: [ours, theirs],
    run(read) {
      const rank = (id: string): string => {
        const text = read(id);
        if (!isUsable(path, text)) return "2";
        try {
          return `0 ${keyOf?.(text) ?? ""}`;
        } catch {
          return "1";
        }
      };
      const [one, other] = ordered(ours, theirs);
      return rank(one) <= rank(other) ? keepBoth(path, one, other) : keepBoth(path, other, one);
    },
  };
}
