/** Finds faults in the summary of a session. spec/check.md, "Check". */
import type { SummaryRules } from "../../core/config/config.ts";
import { type Finding, finding } from "../../core/format/finding.ts";
import { lineOfKey } from "../../core/format/frontmatter.ts";
import { saveSummaryCommand, summaryPath } from "./session.ts";
import type { Summary } from "./summary.ts";
import type { TaskStatus } from "./task.ts";

/** A session's board, as far as its summary hangs on it. */
export interface Board {
  session: string;
  isEnded: boolean;
  /** The status of every task that can be read. */
  tasks: ReadonlyMap<string, TaskStatus>;
}

/** A session that ended has a summary. @param isThere whether its file is there */
export function checkSummaryThere({ session, isEnded, tasks }: Board, isThere: boolean): Finding[] {
  if (isThere || !isEnded) return [];
  const done = [...tasks.values()].filter((status) => status === "done").length;
  const found = `it has ended${done > 0 ? `, ${done} of its tasks done` : ""}`;
  return [finding("summary_missing", { path: summaryPath(session) }, found, `a summary (\`${saveSummaryCommand(session)}\`)`)];
}

/** Whether a summary is as relay.yml asks, and as the board says. @param source its text, to name lines */
export const checkSummary = (board: Board, summary: Summary, source: string, rules: SummaryRules): Finding[] => [
  ...checkForm(board.session, summary, source, rules),
  ...checkTruth(board, summary, source),
];

const folded = (title: string): string => title.trim().toLowerCase().replace(/\s+/g, " ");

/** Whether a summary has what relay.yml asks for, and words below each of its headings. */
export function checkForm(session: string, { header, body, headings }: Summary, source: string, rules: SummaryRules): Finding[] {
  const path = summaryPath(session);
  const found: Finding[] = [];
  const titles = headings.map(({ title }) => title);
  for (const title of rules.headings) {
    if (titles.some((other) => folded(other) === folded(title))) continue;
    found.push(finding("summary_heading", { path }, titles.length === 0 ? "no heading" : titles.join(", "), `the heading "${title}"`));
  }
  for (const { title, line, isEmpty } of headings) {
    if (isEmpty) found.push(finding("summary_empty", { path, line }, `"${title}"`, "some words below it"));
  }
  const { length } = body.trim();
  if (length < rules.minLength) found.push(finding("summary_short", { path }, `${length} characters`, `at least ${rules.minLength}`));
  for (const field of rules.fields) {
    const value = Object.hasOwn(header, field) ? header[field] : undefined;
    if (value !== undefined && value !== null && value !== "") continue;
    const line = Object.hasOwn(header, field) ? lineOfKey(source, field) : 1;
    found.push(finding("summary_field", { path, line }, `no value of "${field}"`, `"${field}" in its front matter`));
  }
  return found;
}

function checkTruth({ session, tasks }: Board, summary: Summary, source: string): Finding[] {
  if (summary.tasks === null) return [];
  const place = { path: summaryPath(session), line: lineOfKey(source, "tasks") };
  const found: Finding[] = [];
  for (const [id, said] of summary.tasks) {
    const status = tasks.get(id);
    // What is missing, broken or taken back is told otherwise.
    if (status !== undefined && status !== said)
      found.push(finding("summary_untrue", place, `${id} is "${said}" in it`, `"${status}", as the board has it`));
  }
  for (const [id, status] of tasks) {
    if (status === "done" && !summary.tasks.has(id)) found.push(finding("summary_leaves_out", place, `nothing of ${id}`, `${id} as done`));
  }
  return found;
}
