/** Tasks and their claims as files of a home. SPEC.md, "Task". */
import { FILE_BYTES } from "../../core/format/schema.ts";
import { withLines } from "../../core/noun/merge-fields.ts";
import { keptPath } from "../../core/noun/merge-tree.ts";
import { agree, byLastLine, defineNoun, earliest, saidBy } from "../../core/noun/noun.ts";
import { claimFolder, claimPath, type Decision, decisionPath, fenceOf, formatClaim, parseClaim } from "./claim.ts";
import { readTask, timeOfLine } from "./merge-task.ts";
import { inSession } from "./session.ts";
import { refersToTask } from "./session-nouns.ts";
import { formatTask, isTaskId, parseTask, taskPath } from "./task.ts";
import { claimEffects, taskEffects } from "./task-effects.ts";

/** What the path of a task says. */
export interface OfTask {
  session: string;
  task: string;
}
/** What the path of a record of its claims says. */
export interface OfClaim extends OfTask {
  fence: number;
}

/** A task. Its history is only added to. */
export const task = defineNoun({
  kind: "task",
  words: ["task", "tasks"],
  at: "sessions/*/tasks",
  path: ({ session, task: id }: OfTask) => taskPath(session, id),
  locate: (path) => inSession(path, /^sessions\/([^/]+)\/tasks\/([^/]+)\.md$/, (id = "") => (isTaskId(id) ? { task: id } : null)),
  limit: FILE_BYTES.task,
  section: "SPEC.md, Task",
  expected: "a task",
  parse: (source, { task: id }) => parseTask(source, id),
  format: formatTask,
  name: ({ session, task: id }) => `${session}/${id}`,
  author: byLastLine,
  refersTo: ({ session }, read) => [
    ...(read?.dependsOn ?? []).map((id) => refersToTask(session, id, { key: "depends_on", code: "dangling_dependency" })),
    ...(read?.parent === undefined ? [] : [refersToTask(session, read.parent, { key: "parent_task_id", code: "dangling_parent" })]),
  ],
  merge: { by: "chain" },
  effects: taskEffects,
  guard: "kept",
  isEdited: true,
  edits: {
    isReadable: (text, { task: id }) => readTask(id, text) !== null,
    joined(before, now, { session, task: id }, has) {
      const [was, is] = [parseTask(before, id), parseTask(now, id)];
      const history = withLines(was.history, is.history, timeOfLine);
      // A number that no record has would say that whoever holds the task does not, and leave none for the next.
      const isRecorded = is.fence <= was.fence || has(claimPath(session, id, is.fence));
      if (history === null && isRecorded) return null;
      return formatTask({ ...is, history: history ?? is.history, fence: isRecorded ? is.fence : was.fence });
    },
  },
});

const CLAIM = {
  words: ["claim", "claims"],
  at: "sessions/*/claims",
  limit: FILE_BYTES.claim,
  section: "SPEC.md, Claim",
  expected: "a claim",
  author: saidBy("agent"),
  guard: "once",
  series: ({ session, task: id, fence }: OfClaim) => ({ folder: claimFolder(session, id), n: fence }),
} as const;

/** A record of the claims of a task. */
export const claim = defineNoun({
  ...CLAIM,
  kind: "claim",
  path: ({ session, task: id, fence }: OfClaim) => claimPath(session, id, fence),
  locate: (path) =>
    inSession(path, /^sessions\/([^/]+)\/claims\/([^/]+)\/([^/]+)$/, (id = "", name = "") => {
      const fence = isTaskId(id) ? fenceOf(name) : null;
      return fence === null ? null : { task: id, fence };
    }),
  parse: (source, { task: id, fence }) => parseClaim(source, id, fence),
  format: formatClaim,
  refersTo: ({ session, task: id }) => [refersToTask(session, id, { code: "dangling_claim" })],
  effects: claimEffects,
  merge: { by: "chain" },
  // A record gives way only to one that is surer, and lies beside it then. No decision ever gives way.
  absence: (_where, { path, content, tree }) => tree.has(keptPath(path, content)),
});

/** What the remote made of a provisional claim. */
export const decision = defineNoun({
  ...CLAIM,
  kind: "decision",
  path: ({ session, as, ...record }: OfClaim & { nonce: string; as: Decision }) => decisionPath(session, record, as),
  locate: (path) =>
    inSession(
      path,
      /^sessions\/([^/]+)\/claims\/([^/]+)\/([1-9]\d{0,7})\.([^./]*)\.(confirmed|lost)\.md$/,
      (id = "", fence, nonce = "", as) => (isTaskId(id) ? { task: id, fence: Number(fence), nonce, as: as as Decision } : null),
    ),
  parse(source, { task: id, fence, nonce }) {
    const record = parseClaim(source, id, fence);
    agree(source, "nonce", record.nonce, nonce);
    return record;
  },
  format: formatClaim,
  refersTo: ({ session, task: id, fence }) => [{ kind: "claim", name: claimPath(session, id, fence) }],
  merge: earliest("at"),
});
