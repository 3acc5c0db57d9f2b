/** The template of a summary, and the gaps that a summary still has. spec/board.md, "Session summary". */
import type { SummaryRules } from "../../core/config/config.ts";
import { orElse } from "../../core/format/file-error.ts";
import { formatFrontmatter, type Header } from "../../core/format/frontmatter.ts";
import { countWithin } from "../../core/format/many.ts";
import { LIMITS } from "../../core/format/schema.ts";
import { preview } from "../../mail/nouns/message.ts";
import { checkForm } from "./check-summary.ts";
import type { Review, ReviewStatus } from "./review.ts";
import type { Session } from "./session.ts";
import { parseSummary } from "./summary.ts";
import type { TaskRow } from "./task.ts";

/** What a template is filled from. */
export interface Filling {
  session: Session;
  tasks: readonly TaskRow[];
  /** Reviews of its tasks, oldest first; reviewers by their names of now. */
  reviews: readonly (Pick<Review, "task" | "reviewer" | "commit"> & { status: ReviewStatus; comments: string | null })[];
  /** The keys of the project's memory. */
  memory: readonly string[];
  /** Those that a message tagged `decision` begins are decisions. */
  threads: readonly { thread: string; isDecision: boolean }[];
  /** What the calls of models took, in US dollars without the calls of unknown cost; null where nobody knows of any. */
  usage: { calls: number; usd: number; unknown: number } | null;
  /** Who ends the session, and when (ISO 8601). */
  by: string;
  at: string;
}

const STATUSES: Record<TaskRow["status"], string> = {
  done: "Done",
  in_review: "In review",
  in_progress: "In progress",
  blocked: "Blocked",
  todo: "Not begun",
  canceled: "Canceled",
};
/** What is asked for where `relay.yml` asks for no headings. */
const HEADINGS = ["What was done", "Decisions", "Open ends"];
/** Stands where somebody is to write; a comment is no words. */
const TO_WRITE = "<!-- to be written -->";

/** What a summary may begin as: what the board knows, and a place for all else that `relay.yml` asks for. */
export function summaryTemplate(filling: Filling, rules: SummaryRules): string {
  const { session, threads, usage } = filling;
  const decisions = listed(threads.filter(({ isDecision }) => isDecision));
  const known = new Map([
    ["tasks", tasksByStatus(filling)],
    ["threads", listed(threads) ?? "None."],
    ...(decisions === null ? [] : ([["decisions", decisions]] as const)),
  ]);
  const asked = (rules.headings.length === 0 ? HEADINGS : rules.headings).map((title) => title.trim().replace(/\s+/g, " "));
  const isAsked = (title: string): boolean => asked.some((other) => other.toLowerCase() === title.toLowerCase());
  const titles = [...asked, ...["Tasks", "Threads"].filter((title) => !isAsked(title))];
  const body = [
    `# Session ${session.title === undefined ? session.id : `${session.title} (${session.id})`}`,
    `Began ${session.startedAt}, led by ${session.startedBy}.`,
    ...(usage === null ? [] : [usageLine(usage)]),
    ...titles.flatMap((title) => [`## ${title}`, known.get(title.toLowerCase()) ?? TO_WRITE]),
  ].join("\n\n");
  return rules.fields.length === 0 ? `${body}\n` : formatFrontmatter(headerOf(filling, rules.fields), `\n${body}\n`);
}

const listed = (threads: Filling["threads"]): string | null =>
  threads.length === 0 ? null : bounded(threads.map(({ thread }) => `- ${thread.replace(/\s+/g, " ")}`));

/** Characters of one list at the most. */
const LIST_CHARACTERS = 16_000;

/** The lines that a list has room for, and the number of the others: a push may bring any number of tasks. */
function bounded(lines: readonly string[]): string {
  const count = countWithin(lines, LIST_CHARACTERS, (line) => line.length + 1);
  return [...lines.slice(0, count), ...(count === lines.length ? [] : [`- and ${lines.length - count} more`])].join("\n");
}

const usageLine = ({ calls, usd, unknown }: NonNullable<Filling["usage"]>): string =>
  `Calls of models: ${calls}, for $${usd.toFixed(2)}${unknown === 0 ? "" : `, without ${unknown} of unknown cost`}.`;

/** The fields that are asked for; those that nothing here knows are there without a value. */
function headerOf({ session, tasks, by, at }: Filling, fields: readonly string[]): Header {
  const known: Header = { session: session.id, tasks: tasks.filter(({ status }) => status === "done").map(({ id }) => id), by, at };
  return Object.fromEntries(fields.map((field) => [field, Object.hasOwn(known, field) ? known[field] : ""]));
}

/** A summary with what the board knows below its words: tasks, decisions, keys of memory; as it is where it lists its tasks itself, or cannot be read. */
export function withLists(summary: string, filling: Filling): string {
  const { threads, memory } = filling;
  const titles = orElse(null, () => parseSummary(summary).headings.map(({ title }) => title.trim().toLowerCase()));
  if (titles === null || titles.includes("tasks")) return summary;
  const decisions = listed(threads.filter(({ isDecision }) => isDecision));
  const lists = [
    ...(filling.tasks.length === 0 ? [] : [`## Tasks\n\n${tasksByStatus(filling)}`]),
    ...(decisions === null || titles.includes("decisions") ? [] : [`## Decisions\n\n${decisions}`]),
    ...(memory.length === 0 ? [] : [`## Memory\n\n${memory.join(", ")}`]),
  ];
  const whole = [summary.trimEnd(), ...lists].join("\n\n");
  return lists.length === 0 || whole.length >= LIMITS.summary ? summary : `${whole}\n`;
}

/** Characters of a review's remarks in the list of tasks. */
const REMARK = 600;

/** What the last reviews of a task came to: the commit, who approved it, and with what remarks. */
function reviewWords({ reviews }: Filling, id: string): string {
  const last = new Map(reviews.filter(({ task, status }) => task === id && status !== "withdrawn").map((each) => [each.reviewer, each]));
  const [first] = last.values();
  const said = [...last.values()].map(({ reviewer, status, comments }) => {
    const words = preview(comments ?? "", REMARK);
    return `${status === "changes_requested" ? "changes asked" : status} by ${reviewer}${words === "" ? "" : `: ${words}`}`;
  });
  return first === undefined ? "" : `; ${[...(first.commit === undefined ? [] : [first.commit.slice(0, 7)]), ...said].join(", ")}`;
}

function tasksByStatus(filling: Filling): string {
  const { tasks } = filling;
  const parts = (["done", "in_review", "in_progress", "blocked", "todo", "canceled"] as const).flatMap((status) => {
    const lines = tasks
      .filter((task) => task.status === status)
      .map((task) => `- ${task.title.replace(/\s+/g, " ")} (${task.id}, ${task.assignee ?? "nobody"})${reviewWords(filling, task.id)}`);
    return lines.length === 0 ? [] : [`### ${STATUSES[status]}\n\n${bounded(lines)}`];
  });
  return parts.length === 0 ? "None." : parts.join("\n\n");
}

/** What a summary lacks of what `relay.yml` asks for, a sentence each, as `check` will find it. */
export function unfilled(source: string, session: string, rules: SummaryRules): string[] {
  try {
    return checkForm(session, parseSummary(source), source, rules).map(
      ({ line, found, expected }) => `${line === undefined ? "" : `line ${line}: `}${found}; expected ${expected}`,
    );
  } catch (error) {
    return [`its front matter cannot be read: ${(error as Error).message}`];
  }
}
