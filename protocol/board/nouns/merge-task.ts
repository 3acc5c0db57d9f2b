/** Merging the file of a task; its status and holder follow the chain of its claims. spec/git.md, "Merge". */
import { orElse } from "../../core/format/file-error.ts";
import { withoutUndefined } from "../../core/format/frontmatter.ts";
import {
  type Better,
  further,
  greater,
  type JoinedField,
  joined,
  joinedLines,
  joinedOther,
  joinedSet,
  longer,
  smaller,
} from "../../core/noun/merge-fields.ts";
import type { ClaimRecord } from "./claim.ts";
import { afterClaim, PRIORITIES, parseTask, type Task, type TaskStatus } from "./task.ts";

/** Statuses, each later than the ones before it: of two that no claim decides between, the later one is taken. */
const LATER: readonly TaskStatus[] = ["todo", "in_progress", "blocked", "in_review", "done", "canceled"];

/**
 * Merges two files of a task. Where the sides know of different claims, the one with the later claim says status and
 * assignee. A value that gave way is a line of the history.
 * @param base null where there was none, or none that could be read
 * @param record the last record of the claims, where both chains are one: what both sides know of is what both began from
 * @throws FileError where a side cannot be read
 */
export function mergeTask(id: string, base: string | null, ours: string, theirs: string, record: ClaimRecord | null): Task {
  const [one, other] = [parseTask(ours, id), parseTask(theirs, id)];
  const before = base === null ? null : readTask(id, base);
  const isKnown = record !== null && one.fence === record.fence && other.fence === record.fence && (before?.fence ?? 0) < record.fence;
  const claimed = isKnown ? afterClaim(before ?? one, record) : before;
  const updatedAt = one.updatedAt > other.updatedAt ? one.updatedAt : other.updatedAt;
  const gaveWay: string[] = [];
  const note = (name: string, lost: unknown, won: unknown): void => {
    const now = won === undefined || String(won).length > 80 ? "" : ` to ${JSON.stringify(won)}`;
    gaveWay.push(`${updatedAt} relay: ${name} ${JSON.stringify(lost)} gave way${now}`);
  };
  const take = <T>(name: string, { value, lost }: JoinedField<T>): T => {
    if (lost?.value !== undefined) note(name, lost.value, value);
    return value;
  };
  const field = <K extends keyof Task>(key: K, name: string, better: Better<Task[K] | undefined>, from = before): Task[K] =>
    take(name, joined<Task[K] | undefined>(from?.[key], one[key], other[key], better)) as Task[K];
  const byClaim =
    <T>(pick: (task: Task) => T, better: Better<T>): Better<T> =>
    (value, against) => {
      if (one.fence === other.fence) return better(value, against);
      return value === pick(one.fence > other.fence ? one : other);
    };
  const unknown = joinedOther(before?.other ?? {}, one.other, other.other);
  for (const [name, value] of Object.entries(unknown.lost)) note(name, value, unknown.value[name]);
  const title = field("title", "title", longer);
  const status = field(
    "status",
    "status",
    byClaim(({ status: its }) => its as Task["status"] | undefined, further(LATER)),
    claimed,
  );
  const merged: Task = withoutUndefined({
    id,
    title,
    status,
    blockedReason: status === "blocked" ? field("blockedReason", "blocked_reason", greater) : undefined,
    priority: field("priority", "priority", (value, against) => further(PRIORITIES)(against, value)),
    assignee: field(
      "assignee",
      "assignee",
      byClaim(({ assignee }) => assignee, greater),
      claimed,
    ),
    createdBy: field("createdBy", "created_by", smaller),
    createdAt: field("createdAt", "created_at", smaller),
    updatedAt,
    dependsOn: joinedSet(before?.dependsOn ?? [], one.dependsOn, other.dependsOn),
    parent: field("parent", "parent_task_id", smaller),
    derivedReason: field("derivedReason", "derived_reason", longer),
    reviewers: listed(joinedSet(before?.reviewers ?? [], one.reviewers ?? [], other.reviewers ?? [])),
    fence: Math.max(one.fence, other.fence),
    other: unknown.value,
    description: field("description", "description", longer),
    history: [],
  });
  const history = joinedLines(one.history, other.history, timeOfLine);
  const there = new Set(history);
  return { ...merged, history: [...history, ...gaveWay.filter((line) => !there.has(line))] };
}

const listed = <T>(all: T[]): T[] | undefined => (all.length === 0 ? undefined : all);

/** The instant with which a line of a history begins. */
export const timeOfLine = (line: string): string => /^\d{4}-\d\d-\d\dT\S+/.exec(line)?.[0] ?? "";

/** A task's file; null where it cannot be read. */
export const readTask = (id: string, source: string): Task | null => orElse(null, () => parseTask(source, id));
