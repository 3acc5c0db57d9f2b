/** Which kind of file a conflict is about, and what joins it. spec/git.md, "Merge". */
import { CONFIG_PATH } from "../config/config-schema.ts";
import { mergeConfig } from "../config/merge-config.ts";
import { parseThreadId, type ThreadKey } from "../format/id.ts";
import { mergeMemory } from "../memory/merge-memory.ts";
import { mergeThread } from "../message/merge-thread.ts";
import { threadPath } from "../message/thread.ts";
import { type BlobId, type Conflict, type Job, keepBoth, keptPath, ordered, outcomeOf, type Sides } from "../noun/merge-tree.ts";
import { boardTask } from "./merge-claims.ts";
import { fileJob, linesJob } from "./merge-files.ts";
import { versionJobs } from "./merge-versions.ts";

/** How each conflict is decided, by what its path holds. */
export function conflictJobs(sides: Sides, conflicts: readonly Conflict[]): Job[] {
  const { jobs, left } = versionJobs(sides, conflicts);
  return [...left.flatMap((conflict) => (boardTask(conflict.path) === null ? [jobFor(sides, conflict)] : [])), ...jobs];
}

function jobFor(sides: Sides, conflict: Conflict): Job {
  const { path } = conflict;
  const thread = path.endsWith("/thread.md") ? threadOf(path) : null;
  if (thread !== null) return textJob(conflict, (base, { text: ours }, { text: theirs }) => mergeThread(thread, base, ours, theirs));
  if (path === CONFIG_PATH) return configJob(conflict);
  if (/^memory\/(project|agents\/.+)\.md$/.test(path))
    return textJob(conflict, (base, ours, theirs) => mergeMemory(base ?? "", ours, theirs));
  return /^(events|usage)\/[^/]+\/[^/]+\.jsonl$/.test(path) ? linesJob(conflict) : fileJob(sides, conflict);
}

function threadOf(path: string): ThreadKey | null {
  const key = parseThreadId(path.split("/")[2] ?? "");
  return key !== null && threadPath(key) === path ? key : null;
}

interface Side {
  id: BlobId;
  text: string;
}

/** A text that both sides' changes are joined in; a side that cannot be read gives way, beside the other. */
function textJob({ path, base, ours, theirs }: Conflict, merge: (base: string | null, ours: Side, theirs: Side) => string): Job {
  return {
    needs: [ours, theirs, ...(base === undefined ? [] : [base])],
    run(read) {
      const before = base === undefined ? null : read(base);
      const [one, other] = ordered(ours, theirs).map((id) => ({ id, text: read(id) })) as [
        { id: BlobId; text: string | null },
        { id: BlobId; text: string | null },
      ];
      const merged = (left: typeof one, right: typeof other): string | null => {
        if (left.text === null || right.text === null) return null;
        try {
          return merge(before, left as Side, right as Side);
        } catch {
          return null;
        }
      };
      const text = merged(one, other);
      if (text !== null) return new Map([[path, outcomeOf(text, [one, other] as Side[])]]);
      const isReadable = (side: typeof one): boolean => merged(side, side) !== null;
      return isReadable(one) || !isReadable(other) ? keepBoth(path, one.id, other.id) : keepBoth(path, other.id, one.id);
    },
  };
}

/** The configuration: what of it gives way is kept beside, as the side had it. */
function configJob({ path, base, ours, theirs }: Conflict): Job {
  const [lead, other] = ordered(ours, theirs);
  return {
    needs: [lead, other, ...(base === undefined ? [] : [base])],
    run(read) {
      const [mine, yours] = [read(lead) ?? "", read(other) ?? ""];
      const { text, isWhole } = mergeConfig(base === undefined ? null : read(base), mine, yours);
      const outcome = outcomeOf(text, [
        { id: lead, text: mine },
        { id: other, text: yours },
      ]);
      const gaveWay = text === yours ? lead : other;
      return new Map([[path, outcome], ...(isWhole ? [] : [[keptPath(path, gaveWay), { take: gaveWay }] as const])]);
    },
  };
}
