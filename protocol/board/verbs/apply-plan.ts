import * as z from "zod/mini";
import { FileError } from "../../core/format/file-error.ts";
import { LIMITS, text } from "../../core/format/schema.ts";
import type { Caller } from "../../core/names.ts";
import { defineOperation } from "../../core/operation.ts";
import { packageWith } from "../../core/package.ts";
import { refuse } from "../../core/refusal.ts";
import { SessionId } from "../../core/shapes.ts";
import type { World } from "../../core/world.ts";
import { enter, misspeltWarnings } from "../../mail/files/guests.ts";
import { isItself } from "../../mail/files/mail.ts";
import { nameNow, requirePartId } from "../../mail/files/members.ts";
import { noteBegun } from "../../mail/files/told.ts";
import { preview } from "../../mail/nouns/message.ts";
import { recipientsOf, send } from "../../mail/verbs/send.ts";
import { sha256 } from "../../store/digest.ts";
import { noteMemoryKnown } from "../files/known-memory.ts";
import { readMemory, writeMemory } from "../files/memories.ts";
import { requireOngoing } from "../files/require-ongoing.ts";
import { currentSession, findSession, listSessions, openSession, startSession } from "../files/sessions.ts";
import { addTask, hasTask, resolveTask } from "../files/task-files.ts";
import { readSection } from "../nouns/memory-blocks.ts";
import { PLAN_FORM, type Plan, type PlannedTask, parsePlan, plannedId } from "../nouns/plan.ts";
import { tasksInRings } from "../nouns/rings.ts";
import type { Task } from "../nouns/task.ts";
import { reviewersOf } from "./ask-reviewers.ts";

/** Puts a plan on the board. */
export const apply_plan = defineOperation({
  name: "apply_plan",
  command: "plan apply",
  summary: "Put a plan on the board: a session with a title, tasks with keys, a first message; again adds only what is new",
  effect: "write",
  idempotent: true,
  identity: "writer",
  positionals: ["plan"],
  readsFile: true,
  input: () => ({ plan: text(LIMITS.summary, "YAML"), session_id: SessionId }),
  output: () => ({
    session_id: z.string(),
    tasks: z.array(
      z.object({
        ...{ key: z.string(), task_id: z.string(), created: z.boolean(), assignee: z.optional(z.string()) },
        ...{ reviewers: z.optional(z.array(z.string())), depends_on: z.optional(z.array(z.string())) },
      }),
    ),
    message_id: z.optional(z.string()),
    warning: z.optional(z.string()),
  }),
  example: { plan: "tasks: [{ key: parser, title: Write the parser }]" },
  async run(world, input, caller) {
    const plan = planOf(input.plan);
    const named = sessionFor(world, plan, input.session_id);
    for (const task of plan.tasks) partsOf(world, task);
    if (plan.message !== undefined) recipientsOf(world, plan.message.to, caller);
    // A new session has no other tasks.
    const unknown =
      named === null ? plan.tasks.flatMap(({ dependsOn }) => dependsOn.filter((id) => plan.tasks.every(({ key }) => key !== id))) : [];
    if (unknown.length > 0) throw refuse("unknown_dependencies", { missing: unknown });
    const earlier = named === null ? listSessions(world.home().store).filter(({ endedAt }) => endedAt === undefined) : [];
    const session = named ?? startSession(world, undefined, caller.part, plan.title);
    if (named !== null) openSession(world, session, caller.part);
    // Lists are by age, and show the order of the plan.
    const planned = plan.tasks.map((task, n) => ({
      ...taskOf(world, session, plan, task, caller.part, new Date(world.now() + n).toISOString()),
      key: task.key,
    }));
    // Of what was there already the plan does not say how it is now.
    const answer = planned.map(({ key, id, assignee, reviewers, dependsOn: depends_on }) =>
      hasTask(world, session, id)
        ? { key, task_id: id, created: false }
        : { key, task_id: id, created: true, ...{ assignee, reviewers }, ...(depends_on.length === 0 ? {} : { depends_on }) },
    );
    if (answer.some(({ created }) => created)) requireOngoing(world, session);
    enter(world, session, caller.part);
    if (isItself(world, caller.part)) noteBegun(world, caller.part, session);
    for (const [n, { key: _key, ...task }] of planned.entries()) if (answer[n]?.created === true) addTask(world, session, task);
    const stayed: string[] = [];
    for (const [key, words] of Object.entries(plan.memory)) {
      const there = readSection(readMemory(world, null) ?? "", key);
      if (there !== null && there !== words.trimEnd()) stayed.push(`memory ${key} was there, and stays`);
      if (there !== null) continue;
      await writeMemory(world, null, key, words);
      noteMemoryKnown(world, key);
    }
    const message = await sendFirst(world, session, plan, caller);
    const parts = planned.flatMap(({ assignee, reviewers = [] }) => [assignee, ...reviewers]);
    const warnings = [
      ...stayed,
      ...misspeltWarnings(world, parts, packageWith("teamIds").teamIds(world, session)),
      ...earlier.map(({ id }) => `session ${id} is open, too: \`relay session end --session ${id}\``),
    ];
    return {
      ...{ session_id: session, tasks: answer },
      ...(message === undefined ? {} : { message_id: message }),
      ...(warnings.length === 0 ? {} : { warning: warnings.join("; ") }),
    };
  },
});

/** Reads a plan, and looks at all that can be said of it before anything is written. @throws Refusal `invalid_argument` */
function planOf(source: string): Plan {
  try {
    const plan = parsePlan(source);
    const rows = plan.tasks.map(({ key, dependsOn }) => ({ id: key, status: "todo" as const, dependsOn }));
    const [ring] = tasksInRings(rows);
    if (ring !== undefined) throw new FileError(`tasks: ${JSON.stringify(ring)} waits for itself`);
    return plan;
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    const at = error.line === undefined ? "" : `line ${error.line}: `;
    throw refuse("invalid_argument", {
      argument: "plan",
      expected: `a plan (${PLAN_FORM}); ${at}${error.message}`,
      given: preview(source, 80),
      example: "tasks: [{ key: parser, title: Write the parser, assignee: web }]",
    });
  }
}

/** The session that a plan goes into: the named one, the open one with its title, or, where it has none, the current one; null for a new one. */
function sessionFor(world: World, { title }: Plan, named: string | undefined): string | null {
  if (named !== undefined) return currentSession(world, named);
  if (title === undefined) return findSession(world, undefined);
  return listSessions(world.home().store).find((session) => session.title === title && session.endedAt === undefined)?.id ?? null;
}

/** The parts of a planned task. @throws Refusal `bad_part`, `self_review` */
function partsOf(world: World, { assignee: given, reviewers }: PlannedTask): Pick<Task, "assignee" | "reviewers"> {
  if (given !== undefined) requirePartId(given);
  const assignee = given === undefined ? undefined : nameNow(world, given);
  return { assignee, reviewers: reviewers.length === 0 ? undefined : reviewersOf(world, reviewers.join(","), assignee) };
}

/** @throws Refusal `unknown_dependencies`, as `partsOf` */
function taskOf(world: World, session: string, plan: Plan, planned: PlannedTask, by: string, at: string): Task {
  const { key, title, priority, description = "" } = planned;
  const known = new Map(plan.tasks.map((each) => [each.key, plannedId(session, each.key, sha256)]));
  const { assignee, reviewers } = partsOf(world, planned);
  const dependsOn = [...new Set(planned.dependsOn.map((given) => known.get(given) ?? resolveTask(world, session, given) ?? given))];
  const missing = dependsOn.filter((id) => ![...known.values()].includes(id) && !hasTask(world, session, id));
  if (missing.length > 0) throw refuse("unknown_dependencies", { missing });
  return {
    ...{ id: known.get(key) as string, title, status: "todo", priority, assignee, createdBy: by, createdAt: at, updatedAt: at, dependsOn },
    ...{ reviewers, fence: 0, other: {}, description, history: [`${at} ${by}: created`] },
  };
}

/** Sends the first message of a plan, once in a session. @returns its id; undefined where the plan has none */
async function sendFirst(world: World, session: string, { message }: Plan, caller: Caller): Promise<string | undefined> {
  if (message === undefined) return undefined;
  recipientsOf(world, message.to, caller);
  const key = `plan ${session} ${sha256(JSON.stringify(message))}`;
  const sent = await send.run(world, { ...message, idempotency_key: key, urgent: undefined, needsHuman: undefined }, caller);
  return sent.messageId;
}
