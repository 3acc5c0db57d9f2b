/** A plan: a session, its tasks and a first message, in one text. spec/board.md, "Plan". */
import * as z from "zod/mini";
import { FileError } from "../../core/format/file-error.ts";
import { ALPHABET } from "../../core/format/id.ts";
import { LIMITS, line, text } from "../../core/format/schema.ts";
import { plainOf, readBareYaml } from "../../core/format/yaml.ts";
import { memoryKey } from "./memory.ts";
import { PRIORITIES, TASK_RANDOM, taskId } from "./task.ts";

/** The form of a plan, as it is told to whoever writes one. */
export const PLAN_FORM =
  "title; memory: { key: text }; message: { to, subject, body }; tasks: [{ key, title, description, assignee, reviewer, priority, depends_on }]";

const several = z.union([z.string(), z.array(z.string())]);
const PlanTask = z.strictObject({
  key: z.string().check(z.regex(/^[\w.-]{1,64}$/)),
  title: line(LIMITS.taskTitle, ""),
  description: z.optional(text(LIMITS.taskDescription, "")),
  assignee: z.optional(z.string()),
  reviewer: z.optional(several),
  priority: z._default(z.enum(PRIORITIES), "medium"),
  depends_on: z.optional(several),
});
const PlanFile = z.strictObject({
  title: z.optional(line(LIMITS.taskTitle, "")),
  memory: z.optional(z.record(memoryKey(), text(LIMITS.memoryContent, ""))),
  message: z.optional(z.strictObject({ to: z.optional(several), subject: line(LIMITS.subject, ""), body: text(LIMITS.body, "") })),
  tasks: z.array(PlanTask).check(z.minLength(1), z.maxLength(LIMITS.tasksPage)),
});

/** A task of a plan. `dependsOn` are keys of the plan, or ids. */
export interface PlannedTask extends Omit<z.infer<typeof PlanTask>, "depends_on" | "reviewer"> {
  dependsOn: string[];
  reviewers: string[];
}

/** What a plan says. */
export interface Plan {
  title?: string | undefined;
  /** Sections of the project's memory, by key. */
  memory: Readonly<Record<string, string>>;
  message?: { to: string[]; subject: string; body: string } | undefined;
  tasks: PlannedTask[];
}

const listOf = (given: string | readonly string[] | undefined): string[] =>
  [given ?? []].flat().flatMap((each) =>
    each
      .split(",")
      .map((word) => word.trim())
      .filter((word) => word !== ""),
  );

/** A plan whose tasks are a list, where they were a mapping of their keys. */
function withKeyedTasks(plan: unknown): unknown {
  const { tasks } = (plan ?? {}) as { tasks?: unknown };
  if (typeof tasks !== "object" || tasks === null || Array.isArray(tasks)) return plan;
  return { ...(plan as object), tasks: Object.entries(tasks).map(([key, task]) => ({ key, ...(task as object) })) };
}

/** Reads a plan. @throws FileError, where something of it is not as it must be, with its place */
export function parsePlan(source: string): Plan {
  const parsed = PlanFile.safeParse(withKeyedTasks(plainOf(readBareYaml(source))));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const problem =
      issue?.code === "unrecognized_keys"
        ? `unknown ${issue.keys.join(", ")}`
        : issue?.code === "invalid_key"
          ? `expected ${issue.issues[0]?.message}`
          : issue?.code === "invalid_type"
            ? `expected ${issue.expected === "string" ? "a text" : `an ${issue.expected}`}`
            : issue?.message;
    throw new FileError(`${place(issue?.path ?? [])}: ${problem}`);
  }
  const { title, memory = {}, message, tasks } = parsed.data;
  const keys = tasks.map(({ key }) => key);
  const twice = keys.find((key, at) => keys.indexOf(key) !== at);
  if (twice !== undefined) throw new FileError(`tasks: the key ${JSON.stringify(twice)} is there twice`);
  return {
    title,
    memory,
    message: message === undefined ? undefined : { ...message, to: listOf(message.to ?? "*") },
    tasks: tasks.map(({ depends_on, reviewer, ...task }) => ({ ...task, dependsOn: listOf(depends_on), reviewers: listOf(reviewer) })),
  };
}

/** `tasks[1].title`: where in a plan something is. */
const place = (path: readonly PropertyKey[]): string =>
  path.reduce<string>(
    (said, key) => (typeof key === "number" ? `${said}[${key}]` : `${said}${said === "" ? "" : "."}${String(key)}`),
    "",
  ) || "plan";

/**
 * The id of a planned task: the same wherever and however often the plan is applied in that session.
 * @param sha256 hexadecimal digest of a text
 */
export function plannedId(session: string, key: string, sha256: (text: string) => string): string {
  const digest = sha256(`plan ${session} ${key}`);
  return taskId(
    Array.from({ length: TASK_RANDOM }, (_, at) => ALPHABET.charAt(Number.parseInt(digest.slice(2 * at, 2 * at + 2), 16) & 31)).join(""),
  );
}
