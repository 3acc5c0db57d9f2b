import { expect, test } from "vitest";
import { countThings } from "../../protocol/core/tree/record.ts";
import { recordSubject, type Told } from "../../protocol/sync/nouns/record-subject.ts";

const header = (fields: Record<string, string>): string =>
  `---\n${Object.entries(fields)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
    .join("")}---\n`;
const told = (
  author: string | null,
  path: string,
  now: Record<string, string> | null = null,
  was: Record<string, string> | null = null,
): Told => ({
  author,
  path,
  text: now === null ? null : header(now),
  before: was === null ? null : header(was),
});
const S = "sessions/2026-01-31-001-K3F9";
const message = (author: string, n: number): Told =>
  told(author, `threads/2026-01-31/t-20260131-8f3kq2mv/${n}-1kg9p6je0khyvdn0me1qn97a8.md`);
const task = (author: string | null, n: number, title: string, status: string, before?: string): Told =>
  told(author, `${S}/tasks/task-000000000${n}.md`, { title, status }, before === undefined ? null : { title, status: before });
const says = (...all: Told[]) => recordSubject(all, countThings(all.map(({ path }) => ({ path, before: null, after: "x" }))));

test("a subject says who did what, by part", () => {
  expect(
    says(
      message("web", 1),
      message("web", 2),
      message("web", 3),
      task("web", 1, "Refund a payment", "done", "in_progress"),
      told("web", `${S}/claims/task-0000000001/3.md`, { agent: "web" }),
      told("api", `${S}/reviews/review-0000000001.result.md`, { status: "approved" }),
    ),
  ).toEqual({ subject: "api: review approved; web: 3 messages, finished 'Refund a payment'", text: "" });
});

test("several of a kind are one number, changes without an author stand at the end, and acks only where nothing else was done", () => {
  const ack = told("api", "inbox/api/read/2026-01-31/m-20260131-8f3kq2mv-1-1kg9p6je0khyvdn0me1qn97a8.md");
  expect(says(task("main", 1, "A", "todo"), task("main", 2, "B", "todo"), told(null, "relay.yml"), ack).subject).toBe(
    "api: 1 ack; main: created 2 tasks; 1 setting",
  );
  expect(says(ack, message("api", 1)).subject).toBe("api: 1 message");
  expect(says(task(null, 1, "A", "todo", "todo")).subject).toBe("1 task");
});

test("a title is one short line that a terminal only prints, and a long subject is cut and told below in full", () => {
  expect(says(task("web", 1, `\u001b[2J${"x".repeat(60)}`, "done", "todo")).subject).toBe(`web: finished '[2J${"x".repeat(36)}…'`);
  const { subject, text } = says(...Array.from({ length: 9 }, (_, n) => task(`part${n}`, n, `Task number ${n}`, "todo")));
  expect(subject).toBe("part0: created 'Task number 0'; part1: created 'Task number 1'; part2: created 'Task number 2'; and 6 more");
  expect(text.split("\n")).toHaveLength(10);
});
