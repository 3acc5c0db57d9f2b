/** Searching tasks and session summaries beside messages. */
import fs from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { operations, perform, type World } from "../../protocol/index.ts";
import type { Answer } from "../rig/clones.ts";
import { homeWith, worldAt } from "../rig/home.ts";
import { fc, runs } from "../rig/properties.ts";
import { held } from "../rig/scratch.ts";

const SESSION = "2026-01-31-001-K3F9";
let folder: string;
let clock: ReturnType<typeof held>;
const as = (part: string | undefined): World => worldAt(folder, { part, now: clock.now });
const run = (part: string | undefined, name: keyof typeof operations, input: Record<string, unknown> = {}): Promise<Answer> =>
  perform(as(part), operations[name], input);
const search = (input: Record<string, unknown>): Promise<Answer> => run("web", "search", input);
const subjects = async (input: Record<string, unknown>): Promise<string[]> =>
  (await search(input)).hits.map(({ subject }: Answer) => subject);
const home = (...names: string[]): string => path.join(folder, ".relay", ...names);
const summary = home.bind(null, "sessions", SESSION, "summary.md");

async function task(title: string, more: Record<string, unknown> = {}, tookMs = 1_000): Promise<string> {
  const { task_id } = await run("web", "create_task", { title, session_id: SESSION, ...more });
  clock.advance(tookMs);
  return task_id;
}
async function message(subject: string, to = "api"): Promise<Answer> {
  const sent = await run("web", "send", { to: [to], subject, body: "b" });
  clock.advance(1_000);
  return sent;
}
const sumUp = (text: string, session = SESSION): Promise<Answer> =>
  run("web", "save_session_summary", { session_id: session, summary: text });

beforeEach(async () => {
  folder = await homeWith("web", "api");
  clock = held();
  await run("web", "start_session", { session_id: SESSION });
});

describe("a task is found", () => {
  test("by title and description, as it is now", async () => {
    const id = await task("Take the PAYMENT", { description: `${"before ".repeat(60)}in (cents), a.b${" after".repeat(60)}` });
    const { hits, total } = await search({ query: "payment" });
    expect(total).toBe(1);
    expect(hits).toEqual([
      {
        kind: "task",
        task_id: id,
        session_id: SESSION,
        subject: "Take the PAYMENT",
        snippet: expect.stringMatching(/^before .*…$/),
        at: "2026-01-31T09:30:00.000Z",
      },
    ]);
    expect((await search({ query: "(CENTS), a.b" })).hits[0].snippet).toMatch(/^….*in \(cents\), a\.b after.*…$/);
    expect(await subjects({ query: "ta.e the pay", regex: true })).toEqual(["Take the PAYMENT"]);
    expect(await subjects({ query: "a.e the pay" })).toEqual([]);
    await run("api", "claim_task", { task_id: id, session_id: SESSION });
    expect((await search({ query: "payment" })).hits[0].at).toBe("2026-01-31T09:30:01.000Z");
    const file = home("sessions", SESSION, "tasks", `${id}.md`);
    fs.writeFileSync(file, fs.readFileSync(file, "utf8").replace("PAYMENT", "invoice").replaceAll("\n", "\r\n"));
    expect(await subjects({ query: "payment" })).toEqual([]);
    expect(await subjects({ query: "invoice" })).toEqual(["Take the invoice"]);
    fs.rmSync(file);
    expect(await subjects({ query: "invoice" })).toEqual([]);
  });

  test("by its id or the beginning of it, and not by what stands in every task", async () => {
    const id = await task("One");
    const piece = id.slice("task-".length);
    for (const query of [id, id.toUpperCase(), piece, piece.slice(0, 3), id.slice(0, -2)])
      expect(await subjects({ query })).toEqual(["One"]);
    for (const query of [`${id.slice(0, -2)}.*`, "task-.{10}"]) expect(await subjects({ query, regex: true })).toEqual(["One"]);
    for (const query of ["task", "task-", "todo", "created_by", "medium", "2026-01-31", "History"]) {
      expect(await subjects({ query })).toEqual([]);
      expect(await subjects({ query, regex: true })).toEqual([]);
    }
  });

  test("in every session, however a person wrote it; without a time, by that of its file", async () => {
    fs.mkdirSync(home("sessions/other/tasks"), { recursive: true });
    const file = home("sessions/other/tasks/task-k3f9x2ab7q.md");
    fs.writeFileSync(file, "---\nstatus: todo\ntitle: >\n  it's\n  folded\n---\nby hand\n");
    fs.utimesSync(file, new Date("2026-01-30T00:00:00Z"), new Date("2026-01-30T00:00:00Z"));
    expect((await search({ query: "it's folded" })).hits).toMatchObject([
      { task_id: "task-k3f9x2ab7q", session_id: "other", at: "2026-01-30T00:00:00.000Z", snippet: "by hand" },
    ]);
  });
});

describe("a summary is found", () => {
  test("with the time that it says, else that of its file; earlier ones are not", async () => {
    await sumUp("# Draft\n\nobsolete");
    await sumUp(`---\nat: "2026-01-30T08:00:00Z"\ntasks: [task-k3f9x2ab7q]\n---\n# What was done\n\nThe price is in CENTS.\n`);
    const hit = {
      kind: "summary",
      session_id: SESSION,
      subject: `Summary of ${SESSION}`,
      snippet: expect.stringContaining("CENTS."),
      at: "2026-01-30T08:00:00.000Z",
    };
    expect((await search({ query: "in cents" })).hits).toEqual([hit]);
    expect((await search({ query: "task-k3f9x2ab7q" })).total).toBe(1);
    expect((await search({ query: "obsolete" })).total).toBe(0);
    for (const text of ["in cents", "---\nat: soon\n---\nin cents", "---\n[\n---\nin cents"]) {
      await sumUp(text);
      fs.utimesSync(summary(), new Date("2026-01-29T00:00:00Z"), new Date("2026-01-29T00:00:00Z"));
      expect((await search({ query: "in cents" })).hits).toMatchObject([{ kind: "summary", at: "2026-01-29T00:00:00.000Z" }]);
    }
  });
});

describe("all kinds together", () => {
  test("newest first; by part, thread and time", async () => {
    const { threadId, messageId } = await message("x one");
    await task("x two", { assignee: "api" });
    await run("main", "create_task", { title: "x three", session_id: SESSION, description: "web api" });
    await sumUp("---\nat: 2026-01-31T09:30:01.500Z\n---\nx of web");
    const all = ["x three", `Summary of ${SESSION}`, "x two", "x one"];
    expect((await search({ query: "x" })).hits.map(({ kind }: Answer) => kind)).toEqual(["task", "summary", "task", "message"]);
    expect(await subjects({ query: '"x t"' })).toEqual(["x three", "x two"]);
    expect(await subjects({ query: "x" })).toEqual(all);
    expect((await search({ query: "x one" })).hits).toEqual([
      { kind: "message", threadId, messageId, subject: "x one", from: "web", snippet: "b", at: "2026-01-31T09:30:00.000Z" },
    ]);
    expect(await subjects({ query: "x", thread: threadId })).toEqual(["x one"]);
    expect(await subjects({ query: "x", part: "api" })).toEqual(["x two", "x one"]);
    expect(await subjects({ query: "x", part: "web" })).toEqual(["x two", "x one"]);
    expect(await subjects({ query: "x", part: "main" })).toEqual(["x three"]);
    expect(await subjects({ query: "x", since: "2026-01-31T09:30:01.500Z" })).toEqual(all.slice(0, 2));
    expect(await subjects({ query: "x", since: "2026-01-31T09:30:01.501Z" })).toEqual(all.slice(0, 1));
    expect(await subjects({ query: "x", since: "2026-01-31" })).toEqual(all);
    expect(await subjects({ query: "x", since: "2026-02-01" })).toEqual([]);
    for (const since of ["2026-02-30", "2026-13-01", "yesterday", "2026-1-1", "2026"]) {
      await expect(search({ query: "x", since })).rejects.toMatchObject({ code: "invalid_argument" });
    }
  });

  test("no page loses or doubles a hit, whatever else has the same time", async () => {
    const kinds = fc.array(fc.constantFrom("message", "task", "summary"), { minLength: 2, maxLength: 9 });
    let round = 0;
    await fc.assert(
      fc.asyncProperty(kinds, fc.integer({ min: 1, max: 4 }), fc.boolean(), async (made, limit, still) => {
        round += 1;
        const needle = `needle${round}.`;
        for (const [number, kind] of made.entries()) {
          if (kind === "message") await run("web", "send", { to: ["api"], subject: needle, body: "b" });
          if (kind === "task") await task(needle, {}, 0);
          if (kind === "summary")
            await sumUp(`---\nat: "${new Date(clock.now()).toISOString()}"\n---\n${needle}`, `${SESSION}_${round}_${number}`);
          if (!still) clock.advance(1_000);
        }
        const { hits: all, total } = await search({ query: needle, limit: 200 });
        expect(all.map(({ kind }: Answer) => kind).sort()).toEqual([...made].sort());
        expect(total).toBe(made.length);
        const times = all.map(({ at }: Answer) => at);
        expect(times).toEqual([...times].sort().reverse());
        const paged: Answer[] = [];
        for (let cursor: string | undefined; ; ) {
          const page = await search({ query: needle, limit, ...(cursor === undefined ? {} : { cursor }) });
          expect(page.hits.length).toBeLessThanOrEqual(limit);
          paged.push(...page.hits);
          if (page.cursor === null) break;
          cursor = page.cursor;
        }
        expect(paged).toEqual(all);
      }),
      { numRuns: runs(200) },
    );
  });

  test("a snippet is never half a character", async () => {
    await task("emoji", { description: `${"😀".repeat(200)}needle${"😀".repeat(200)}` });
    for (const query of ["needle", "😀needle", "needle😀", "emoji"]) {
      const [hit] = (await search({ query })).hits;
      expect(hit.snippet).toMatch(/^…?(😀|needle)+…$/u);
    }
  });
});

describe("part in search and threads", () => {
  const each = async (check: (name: "search" | "threads", input: Record<string, unknown>) => Promise<void>): Promise<void> => {
    await check("search", { query: "needle" });
    await check("threads", {});
  };

  test("that is not a part id is refused; an unknown one finds nothing, with a warning", async () => {
    await message("needle");
    await each(async (name, input) => {
      for (const part of ["no such", "", "*", "../web", "a/b/c/d"]) {
        await expect(run("web", name, { ...input, part })).rejects.toMatchObject({ code: "bad_part", exit: 2 });
      }
      expect((await run("web", name, { ...input, part: "api" })).warning).toBeUndefined();
      const answer = await run("web", name, { ...input, part: "wbe" });
      expect(answer[name === "search" ? "hits" : "threads"]).toEqual([]);
      expect(answer.warning).toBe('"wbe" is not a part or a guest of this project; did you mean "web"?');
      expect((await run("web", name, { ...input, part: "zzzzzzzz" })).warning).toBe('"zzzzzzzz" is not a part or a guest of this project');
    });
  });

  test("finds what was a part's under its former name, by either", async () => {
    await message("needle");
    await task("needle of api", { assignee: "api" });
    await run(undefined, "part_rename", { from: "api", to: "store" });
    await each(async (name, input) => {
      const now = await run("web", name, { ...input, part: "store" });
      const { warning, ...former } = await run("web", name, { ...input, part: "api" });
      expect(former).toEqual(now);
      expect(warning).toBe('"api" is called "store" now; use that name');
    });
    expect(await subjects({ query: "needle", part: "store" })).toEqual(["needle of api", "needle"]);
  });
});
