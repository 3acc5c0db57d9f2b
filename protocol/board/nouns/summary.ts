/** Summaries of sessions: Markdown, with front matter if its facts should be checked. spec/board.md, "Session summary". */
import * as z from "zod/mini";
import { orElse } from "../../core/format/file-error.ts";
import { type Header, headerError, parseFrontmatter } from "../../core/format/frontmatter.ts";
import { withoutNul } from "../../core/format/hidden.ts";
import { timeOfFile } from "../../core/format/schema.ts";
import { Fences } from "./code-fences.ts";
import { TASK_STATUSES } from "./task.ts";

/** The schema of a summary's front matter; `templates/summary.schema.json` is made from it. */
export const SummarySchema = z.looseObject({
  session: z.optional(z.string().check(z.describe("The session that it sums up; must agree with the path"))),
  tasks: z.optional(
    z
      .union([z.array(z.string()), z.record(z.string(), z.enum(TASK_STATUSES))])
      .check(z.describe("The tasks that are done, by id; or the status of each task by its id. Checked against the board")),
  ),
  by: z.optional(z.string().check(z.describe("Who wrote it"))),
  at: z.optional(timeOfFile().check(z.describe("When it was written, ISO 8601"))),
});

/** One heading of a summary. */
export interface Heading {
  title: string;
  /** Counted from 1, in the file. */
  line: number;
  /** Whether nothing is written below it, nor another heading of its own. */
  isEmpty: boolean;
}

/** A summary as it was read. */
export interface Summary {
  header: Header;
  session?: string | undefined;
  /** What it says of tasks: done, or the status of each; null when it says nothing. */
  tasks: ReadonlyMap<string, string> | null;
  body: string;
  headings: Heading[];
}

/**
 * Reads a summary. One that does not begin with a line `---` is Markdown alone.
 * @throws FileError, with the line
 */
export function parseSummary(source: string): Summary {
  withoutNul(source);
  const isHeaded = /^\uFEFF?---\r?(\n|$)/.test(source);
  const { header, body } = isHeaded ? parseFrontmatter(source) : { header: {}, body: source };
  const parsed = SummarySchema.safeParse(header);
  if (!parsed.success) {
    throw headerError(source, header, parsed.error.issues);
  }
  const { tasks, session } = parsed.data;
  const says = Array.isArray(tasks) ? tasks.map((id) => [id, "done"] as const) : Object.entries(tasks ?? {});
  return {
    header,
    session,
    tasks: tasks === undefined ? null : new Map(says),
    body,
    headings: headingsOf(source, isHeaded ? bodyLine(source) : 0),
  };
}

/** When a summary says that it was written, in milliseconds since the epoch; null where it does not say so. */
export function statedMs(source: string): number | null {
  return orElse(null, () => {
    const { at } = parseSummary(source).header;
    return typeof at === "string" ? Date.parse(at) : null;
  });
}

/** How many lines the front matter takes, with the lines around it. */
const bodyLine = (source: string): number => source.split("\n").findIndex((row, at) => at > 0 && row.replace(/\r$/, "") === "---") + 1;

/** The title of a heading, without the blanks around it and the signs that close it. Takes time in proportion to its length. @param behind the line after its first signs */
function titleIn(behind: string): string {
  const said = behind.trim();
  let end = said.length;
  while (said[end - 1] === "#") end -= 1;
  return end === 0 || /[ \t]/.test(said[end - 1] as string) ? said.slice(0, end).trimEnd() : said;
}

/** The headings of a Markdown text, in order; those in code fences are none. @param from lines to leave out at the beginning */
function headingsOf(source: string, from: number): Heading[] {
  const found: (Heading & { level: number })[] = [];
  const fences = new Fences();
  let isComment = false;
  for (const [at, row] of source.split("\n").entries()) {
    if (at < from) continue;
    const text = row.replace(/\r$/, "");
    const isCode = fences.next(text);
    const heading = isCode || isComment ? null : /^ {0,3}(#{1,6})(?=[ \t]|$)/.exec(text);
    if (heading !== null) {
      const level = (heading[1] as string).length;
      const above = found.at(-1);
      if (above !== undefined && above.level < level) above.isEmpty = false;
      found.push({ title: titleIn(text.slice(heading[0].length)), line: at + 1, isEmpty: true, level });
      continue;
    }
    const outside: Outside = isCode ? { words: text, isComment } : withoutComments(text, isComment);
    isComment = outside.isComment;
    if (outside.words.trim() !== "" && found.length > 0) (found.at(-1) as Heading).isEmpty = false;
  }
  return found.map(({ title, line, isEmpty }) => ({ title, line, isEmpty }));
}

interface Outside {
  words: string;
  isComment: boolean;
}

/** What a line says outside of HTML comments, and whether it ends inside of one. */
function withoutComments(text: string, within: boolean): Outside {
  let words = "";
  let isComment = within;
  for (let at = 0; at < text.length; ) {
    const mark = text.indexOf(isComment ? "-->" : "<!--", at);
    if (!isComment) words += text.slice(at, mark === -1 ? text.length : mark);
    if (mark === -1) break;
    at = mark + (isComment ? 3 : 4);
    isComment = !isComment;
  }
  return { words, isComment };
}
