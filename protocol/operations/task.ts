import * as z from "zod/mini";
import { holder } from "../home/claim-records.ts";
import { claimTask } from "../home/claiming.ts";
import { takePlace } from "../home/derived.ts";
import { reserveName } from "../home/keys.ts";
import { enter, requirePartId } from "../home/parts.ts";
import { currentSession, findSession } from "../home/sessions.ts";
import { addTask, listTasks, newTaskId, readTask, requireTask, resolveTask } from "../home/tasks.ts";
import { type Faults as FaultList, noting } from "../home/threads.ts";
import { updateTask } from "../home/updating.ts";
import { count, flag, LIMITS, line, maybe, text } from "../objects/schema.ts";
import { PRIORITIES, TASK_STATUSES, type Task, taskPath, unmetOf } from "../objects/task.ts";
import { defineOperation } from "../operation.ts";
import { refuse } from "../refusal.ts";
import type { World } from "../world.ts";
import { AgentId, Faults, SessionId, withFaults } from "./shapes.ts";

const shared = { effect: "write", home: true } as const;

/** A task as lists show it. Times are Unix seconds. */
const Shown = z.object({
  id: z.string(),
  title: z.string(),
  status: z.string(),
  assignee: z.nullable(z.string()),
  priority: z.string(),
  created_by: z.string(),
  depends_on: z.array(z.string()),
  blocked_by: z.optional(z.array(z.string())),
  parent_task_id: z.nullable(z.string()),
  depth: z.number(),
  derived_reason: z.nullable(z.string()),
  created_at: z.number(),
  updated_at: z.number(),
  description: z.optional(z.nullable(z.string())),
});

/** Makes a task. */
export const createTask = defineOperation({
  ...shared,
  name: "create_task",
  tool: { name: "create_task", group: "board" },
  command: "task create",
  summary: "Create a task",
  when: "Put a piece of work on the board.",
  idempotent: false,
  identity: "writer",
  positionals: ["title", "description"],
  input: () =>
    z.object({
      title: line(LIMITS.taskTitle, "one line"),
      description: maybe(text(LIMITS.taskDescription, "Markdown")),
      assignee: maybe(AgentId("left out: whoever claims it")),
      priority: z._default(z.enum(PRIORITIES), "medium"),
      depends_on: maybe(z.array(z.string()).check(z.maxLength(LIMITS.dependsOn), z.describe("tasks to be done first"))),
      idempotency_key: maybe(line(LIMITS.idempotencyKey, "retry with the same key")),
      parent_task_id: maybe(z.string().check(z.describe("the task it was derived from"))),
      derived_reason: maybe(text(LIMITS.derivedReason, "why")),
      session_id: SessionId,
    }),
  output: () => z.object({ task_id: z.string() }),
  example: { title: "Write the parser", priority: "high" },
  async run(world, input, caller) {
    const session = currentSession(world, input.session_id);
    const key = input.idempotency_key;
    const scope = { part: `sessions/${session}`, operation: "create_task" };
    const fresh = newTaskId(world);
    const earlier = key === undefined ? null : reserveName(world, scope, key, null);
    if (earlier !== null && readTask(world, session, earlier) !== null) return { task_id: earlier };
    if (input.assignee !== undefined) requirePartId(input.assignee);
    const dependsOn = [...new Set((input.depends_on ?? []).map((given) => resolveTask(world, session, given) ?? given))];
    const missing = dependsOn.filter((id) => readTask(world, session, id) === null);
    if (missing.length > 0) throw refuse("unknown_dependencies", { missing });
    const parent = input.parent_task_id === undefined ? undefined : requireParent(world, session, input.parent_task_id);
    const id = key === undefined ? fresh : (reserveName(world, scope, key, fresh) ?? fresh);
    if (parent !== undefined) takePlace(world, session, parent, id);
    enter(world, session, caller.part);
    const at = new Date(world.now()).toISOString();
    const task: Task = {
      id,
      title: input.title,
      status: "todo",
      priority: input.priority,
      assignee: input.assignee,
      createdBy: caller.part,
      createdAt: at,
      updatedAt: at,
      dependsOn,
      parent,
      derivedReason: input.derived_reason,
      fence: 0,
      other: {},
      description: input.description ?? "",
      history: [`${at} ${caller.part}: created`],
    };
    addTask(world, session, task);
    return { task_id: id };
  },
});

/** The id of the task that another is derived from. @throws Refusal `unknown_parent_task`, `derived_too_deep` */
function requireParent(world: World, session: string, given: string): string {
  const parent = resolveTask(world, session, given) ?? given;
  const above = readTask(world, session, parent);
  if (above === null) throw refuse("unknown_parent_task", { given });
  if (above.parent !== undefined) throw refuse("derived_too_deep", { most: LIMITS.derivedDepth });
  return parent;
}

/** Claims a task. */
export const claimTaskOperation = defineOperation({
  ...shared,
  name: "claim_task",
  tool: { name: "claim_task", group: "board" },
  command: "task claim",
  summary: "Claim a task: exactly one of all who try gets it",
  when: "Take a task before you work on it. claimed: false says why not. Keep the fence.",
  idempotent: false,
  identity: "writer",
  positionals: ["task_id"],
  input: () =>
    z.object({
      task_id: z.string(),
      lease_s: maybe(z.int().check(z.gte(1), z.lte(LIMITS.leaseSeconds), z.describe("seconds it holds; a connection renews its own"))),
      session_id: SessionId,
    }),
  output: () =>
    z.object({
      claimed: z.boolean(),
      task_id: z.string(),
      fence: z.number(),
      reason: z.optional(z.string()),
      until: z.optional(z.number()),
      provisional: z.optional(z.boolean()),
    }),
  example: { task_id: "task-k3f9x2ab7q" },
  exit: ({ claimed }) => (claimed ? 0 : 4),
  async run(world, input, caller) {
    const session = currentSession(world, input.session_id);
    const { id } = await requireTask(world, session, input.task_id);
    const outcome = await claimTask(world, session, id, { agent: caller.part, leaseS: input.lease_s, own: true });
    if (outcome.claimed) enter(world, session, caller.part);
    return { task_id: id, ...outcome };
  },
});

/** Changes a task's status or assignee. */
export const updateTaskOperation = defineOperation({
  ...shared,
  name: "update_task",
  tool: { name: "update_task", group: "board" },
  command: "task update",
  summary: "Change a task's status or assignee",
  when: "Move a task on (todo, in_progress, in_review, done) or hand it over. hook_failed: fix it and try again.",
  idempotent: true,
  identity: "writer",
  positionals: ["task_id", "status"],
  input: () =>
    z.object({
      task_id: z.string(),
      status: maybe(z.enum(TASK_STATUSES)),
      assignee: maybe(AgentId("hand it to")),
      fence: maybe(z.int().check(z.gte(1), z.describe("refused when the claim is over"))),
      session_id: SessionId,
    }),
  output: () => z.object({ task_id: z.string(), status: z.string(), assignee: z.nullable(z.string()), fence: z.number() }),
  example: { task_id: "task-k3f9x2ab7q", status: "in_review" },
  async run(world, input, caller) {
    const session = currentSession(world, input.session_id);
    const { status, assignee, fence } = input;
    if (assignee !== undefined) requirePartId(assignee);
    const task = await updateTask(world, session, input.task_id, { status, assignee, fence }, caller.part);
    enter(world, session, caller.part);
    return { task_id: task.id, status: task.status, assignee: task.assignee ?? null, fence: task.fence };
  },
});

/** Gives a claimed task back. */
export const releaseTask = defineOperation({
  ...shared,
  name: "release_task",
  tool: { name: "release_task", group: "board" },
  command: "task release",
  summary: "Give a claimed task back, or hand it to another agent",
  when: "Give a task back that you cannot finish; to: hand it over.",
  idempotent: true,
  identity: "writer",
  positionals: ["task_id"],
  input: () =>
    z.object({ task_id: z.string(), to: maybe(AgentId("who may claim it")), fence: maybe(z.int().check(z.gte(1))), session_id: SessionId }),
  output: () => z.object({ task_id: z.string(), status: z.string(), assignee: z.nullable(z.string()) }),
  example: { task_id: "task-k3f9x2ab7q" },
  async run(world, input, caller) {
    const session = currentSession(world, input.session_id);
    if (input.to !== undefined) requirePartId(input.to);
    const update = { status: "todo", assignee: input.to, fence: input.fence, isRelease: true } as const;
    const task = await updateTask(world, session, input.task_id, update, caller.part);
    return { task_id: task.id, status: task.status, assignee: task.assignee ?? null };
  },
});

const NONE: readonly string[] = [];

/** Lists the tasks of a session. */
export const getAllTasks = defineOperation({
  ...shared,
  name: "get_all_tasks",
  tool: { name: "get_all_tasks", group: "board" },
  command: "task list",
  summary: "List tasks by priority, then age; --ready: what can be started now",
  when: "See the board, or (ready) what you could start now.",
  effect: "read",
  idempotent: true,
  identity: "optional",
  positionals: [],
  input: () =>
    z.object({
      assignee: maybe(AgentId("only theirs")),
      status: maybe(z.enum(TASK_STATUSES)),
      include_description: flag("with descriptions"),
      ready: flag("only what can be started now"),
      limit: count(1, LIMITS.tasksPage, LIMITS.tasksPage, "at most"),
      session_id: SessionId,
    }),
  output: () => z.object({ tasks: z.array(Shown), total: z.number(), problems: Faults }),
  example: { ready: true },
  async run(world, input, { part }) {
    const session = findSession(world, input.session_id);
    if (input.assignee !== undefined) requirePartId(input.assignee);
    if (session === null) return { tasks: [], total: 0 };
    const problems: FaultList = [];
    const all = listTasks(world, session, input.include_description === true, problems);
    const statuses = new Map(all.map(({ id, status }) => [id, status]));
    const unmet = (task: Task): readonly string[] => (task.dependsOn.length === 0 ? NONE : unmetOf(task, (id) => statuses.get(id) ?? null));
    const wanted = all.filter(
      (task) =>
        (input.status === undefined || task.status === input.status) &&
        (input.assignee === undefined || task.assignee === input.assignee) &&
        (input.ready !== true || (unmet(task).length === 0 && isReady(world, session, task, part, problems))),
    );
    const tasks = wanted.slice(0, input.limit).map((task) => view(task, unmet(task), input.include_description === true));
    return withFaults({ tasks, total: wanted.length }, problems);
  },
});

/** Whether an agent (or anybody, when none is named) can start a task now: also one whose holder is gone. */
function isReady(world: World, session: string, task: Task, agent: string, faults: FaultList): boolean {
  if (task.status === "todo") return agent === "" || task.assignee === undefined || task.assignee === agent;
  if (task.status !== "in_progress") return false;
  return noting(faults, taskPath(session, task.id), () => holder(world, session, task))?.state === "overdue";
}

/** What lists show of tasks that nothing blocks: a task that was not read again says the same. */
const views = new WeakMap<Task, z.infer<typeof Shown>>();

function view(task: Task, unmet: readonly string[], description: boolean): z.infer<typeof Shown> {
  if (unmet.length > 0 || description) return shown(task, unmet, description);
  const known = views.get(task) ?? shown(task, unmet, false);
  views.set(task, known);
  return known;
}

const seconds = (at: string): number => Math.floor(Date.parse(at) / 1_000);

function shown(task: Task, unmet: readonly string[], description: boolean): z.infer<typeof Shown> {
  return {
    id: task.id,
    title: task.title,
    status: task.status,
    assignee: task.assignee ?? null,
    priority: task.priority,
    created_by: task.createdBy,
    depends_on: task.dependsOn,
    ...(unmet.length === 0 || task.status === "done" ? {} : { blocked_by: [...unmet] }),
    parent_task_id: task.parent ?? null,
    depth: task.parent === undefined ? 0 : 1,
    derived_reason: task.derivedReason ?? null,
    created_at: seconds(task.createdAt),
    updated_at: seconds(task.updatedAt),
    ...(description ? { description: task.description === "" ? null : task.description } : {}),
  };
}

/** Shows one task with all that is known of it. */
export const showTask = defineOperation({
  ...shared,
  name: "show_task",
  tool: null,
  command: "task show",
  summary: "Show a task: description, who holds it until when, what happened",
  when: "Read a task whole.",
  effect: "read",
  idempotent: true,
  identity: "optional",
  positionals: ["task_id"],
  input: () => z.object({ task_id: z.string(), session_id: SessionId }),
  output: () =>
    z.object({
      task: Shown,
      history: z.array(z.string()),
      claim: z.nullable(z.object({ agent: z.string(), fence: z.number(), state: z.string(), until: z.optional(z.string()) })),
    }),
  example: { task_id: "task-k3f9x2ab7q" },
  async run(world, input) {
    const session = findSession(world, input.session_id);
    if (session === null) throw refuse("unknown_task", { given: input.task_id });
    const task = await requireTask(world, session, input.task_id);
    const hold = holder(world, session, task);
    const unmet = task.dependsOn.filter((id) => readTask(world, session, id)?.status !== "done");
    const claim =
      hold.state === "free"
        ? null
        : {
            agent: hold.record.agent,
            fence: hold.fence,
            state: hold.state,
            ...(hold.state === "held" ? { until: new Date(hold.until).toISOString() } : {}),
          };
    return { task: shown(task, unmet, true), history: task.history, claim };
  },
});
