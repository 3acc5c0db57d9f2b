import * as z from "zod/mini";
import { count, flag, LIMITS, maybe } from "../../core/format/schema.ts";
import { type Faults as FaultList, noting } from "../../core/home/broken-files.ts";
import { defineOperation } from "../../core/operation.ts";
import { AgentId, Faults, SessionId } from "../../core/shapes.ts";
import { withFaults } from "../../core/with-faults.ts";
import type { World } from "../../core/world.ts";
import { currentNames } from "../../mail/files/delivery-state.ts";
import { namesOf, requirePartId } from "../../mail/files/members.ts";
import { originsOf } from "../../trust/files/note-origins.ts";
import { broughtField } from "../../trust/nouns/origin.ts";
import { holder } from "../files/claims.ts";
import { listTasks, readTasks } from "../files/list-tasks.ts";
import { sessionToRead } from "../files/sessions.ts";
import { asClaimed } from "../files/task-holds.ts";
import { reviewsOfTasks } from "../files/task-reviews.ts";
import { isFinished, TASK_STATUSES, type TaskRow, taskPath, unmetOf } from "../nouns/task.ts";
import { ClaimAnswer, claimAnswer, TaskAnswer, taskAnswer } from "./task-answer.ts";

const NONE: readonly string[] = [];
/** Tasks of others that a list of ready ones names at most. */
const OTHERS = 10;

/** A task of the list. Who holds it, and by which sync it came, are there where they were asked for. */
const Listed = z.extend(TaskAnswer, { claim: z.optional(ClaimAnswer), origin: z.optional(z.string()) });
type Listed = z.infer<typeof Listed>;

/** Lists the tasks of a session. */
export const get_all_tasks = defineOperation({
  name: "get_all_tasks",
  tool: "board",
  command: "task list",
  summary: "List tasks by priority, then age; --ready: only tasks that can be started now",
  when: "See the board, or (ready) what you could start now.",
  effect: "read",
  identity: "optional",
  input: () => ({
    assignee: maybe(AgentId("only of this agent")),
    status: maybe(z.enum(TASK_STATUSES)),
    include_description: flag("with descriptions"),
    ready: flag("only tasks that can be started now"),
    claims: flag("with every claim, and what a sync brought"),
    limit: count(1, LIMITS.tasksPage, LIMITS.tasksPage, "at most"),
    session_id: SessionId,
  }),
  unlisted: ["claims"],
  output: () => ({
    tasks: z.array(Listed),
    total: z.number(),
    session_id: z.nullable(z.string()),
    /** With `ready`, what others could start. */
    others: z.optional(z.array(z.object({ id: z.string(), title: z.string(), assignee: z.nullable(z.string()) }))),
    warning: z.optional(z.string()),
    problems: Faults,
  }),
  example: { ready: true },
  async run(world, input, { part }) {
    const { session, ...ended } = sessionToRead(world, input.session_id);
    if (input.assignee !== undefined) requirePartId(input.assignee);
    if (session === null) return { tasks: [], total: 0, session_id: null };
    const problems: FaultList = [];
    const wantedNames = input.assignee === undefined ? [] : namesOf(world, input.assignee);
    const own = part === "" ? [] : namesOf(world, part);
    const renamed = currentNames(world);
    const listed: typeof listTasks = input.include_description === true ? readTasks : listTasks;
    const all = asClaimed(world, session, listed(world, session, problems), problems);
    const statuses = new Map(all.map(({ id, status }) => [id, status]));
    const unmet = (task: TaskRow): readonly string[] =>
      task.dependsOn.length === 0 ? NONE : unmetOf(task, (id) => statuses.get(id) ?? null);
    const wanted = all.filter(
      (task) =>
        (input.status === undefined || task.status === input.status) &&
        (input.assignee === undefined || wantedNames.includes(task.assignee ?? "")) &&
        (input.ready !== true || isReady(world, session, task, unmet(task), own, problems)),
    );
    const tasks = wanted.slice(0, input.limit).map((task): Listed => view(task, renamed, unmet(task)));
    await addReviews(world, session, tasks, problems);
    addClaims(world, session, wanted, tasks, input.claims === true, problems);
    const mine = new Set(wanted.map(({ id }) => id));
    const others: { id: string; title: string; assignee: string | null }[] = [];
    if (input.ready === true && own.length > 0)
      for (const task of all) {
        if (mine.has(task.id) || !isReady(world, session, task, unmet(task), [], problems)) continue;
        const { assignee, id, title } = view(task, renamed, NONE);
        if (others.push({ id, title, assignee }) === OTHERS) break;
      }
    return withFaults({ tasks, total: wanted.length, session_id: session, ...ended, ...(others.length === 0 ? {} : { others }) }, problems);
  },
});

/** Adds to rows that are worked on what their reviews came to. */
async function addReviews(world: World, session: string, rows: Listed[], faults: FaultList): Promise<void> {
  const open = new Set(rows.flatMap(({ id, status }) => (["in_progress", "in_review"].includes(status) ? [id] : [])));
  if (open.size === 0) return;
  const said = await reviewsOfTasks(world, session, open, faults);
  for (const [at, row] of rows.entries()) {
    const review = said.get(row.id);
    if (review !== undefined) rows[at] = { ...row, review };
  }
}

/** Adds to rows who holds each task in progress; where all are asked for, who holds any, and by which sync its text came. */
function addClaims(world: World, session: string, tasks: readonly TaskRow[], rows: Listed[], all: boolean, faults: FaultList): void {
  const originOf = originsOf(world);
  for (const [at, row] of rows.entries()) {
    if (!all && row.status !== "in_progress") continue;
    const task = tasks[at] as TaskRow;
    const claim = isFinished(task.status) || task.fence === 0 ? null : claimAnswer(world, session, task, originOf, faults);
    rows[at] = { ...row, ...(claim === null ? {} : { claim }), ...(all ? broughtField(originOf(taskPath(session, task.id))) : {}) };
  }
}

/** Whether an agent (or anybody, where it has no names) can start a task now: also one whose holder is gone. */
function isReady(
  world: World,
  session: string,
  task: TaskRow,
  unmet: readonly string[],
  own: readonly string[],
  faults: FaultList,
): boolean {
  if (unmet.length > 0) return false;
  if (task.status !== "todo" && task.status !== "in_progress") return false;
  const isTheirs = own.length === 0 || task.assignee === undefined || own.includes(task.assignee);
  if (task.status === "todo" && !isTheirs) return false;
  if (task.status === "todo" && task.fence === 0) return true;
  const hold = noting(faults, taskPath(session, task.id), () => holder(world, session, task));
  if (hold === null) return false;
  return task.status === "todo" || hold.state === "overdue" || (hold.state === "free" && isTheirs);
}

/** What lists show of tasks that nothing blocks: a task that was not read again says the same. */
const views = new WeakMap<TaskRow, z.infer<typeof TaskAnswer>>();

function view(task: TaskRow, renamed: ReadonlyMap<string, string>, unmet: readonly string[]): z.infer<typeof TaskAnswer> {
  if (unmet.length > 0 || renamed.size > 0) return taskAnswer(task, renamed, unmet);
  const known = views.get(task) ?? taskAnswer(task, renamed, unmet);
  views.set(task, known);
  return known;
}
