import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { checkHome } from "../../protocol/home/check/check-home.ts";
import type { Snapshot } from "../../protocol/home/git/home-reader.ts";
import { FileError } from "../../protocol/objects/format/file-error.ts";
import { FINDINGS } from "../../protocol/objects/format/finding.ts";
import { parseSummary } from "../../protocol/objects/summary/summary.ts";
import { formatClaim } from "../../protocol/objects/task/claim.ts";
import { decision } from "../../protocol/objects/task/nouns.ts";
import { placeOf } from "../../protocol/objects/tree/layout.ts";
import { Refusal } from "../../protocol/refusal.ts";
import { sha256 } from "../../protocol/store/digest.ts";
import { goodHomeOfFile } from "../rig/good-home.ts";
import { character, fc, runs } from "../rig/properties.ts";

let bytes: [path: string, content: Buffer][];
const good = goodHomeOfFile((made) => {
  bytes = made.files().map((name) => [name, fs.readFileSync(made.at(name))]);
});

/** A home in memory. */
function snapshotOf(files: ReadonlyMap<string, Buffer>): Snapshot {
  return {
    store: null,
    async *files() {
      yield [...files].map(([name, content]) => ({ path: name, kind: "file", size: content.length, same: name }));
    },
    async *texts(wanted) {
      for (const file of wanted) {
        try {
          yield { file, text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(files.get(file.path)) };
        } catch {
          yield { file, text: new FileError("not UTF-8", undefined, file.path) };
        }
      }
    },
    leaves: async () => false,
  };
}

const check = (files: ReadonlyMap<string, Buffer>) =>
  checkHome(snapshotOf(files), { nowMs: Date.now(), renewedMs: () => null, life: () => null }, () => {});

/** One way to hurt a file: from where, how much, and what is put there. */
const damage = fc.record({
  file: fc.nat(),
  other: fc.nat(),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.oneof(fc.nat(8), fc.nat(2_000)),
  kind: fc.constantFrom("cut", "bytes", "text", "swap", "rename", "remove", "repeat"),
  bytes: fc.uint8Array({ maxLength: 40 }),
  text: fc.oneof(
    fc.string({ unit: character, maxLength: 60 }),
    fc.constantFrom(
      "---\n",
      "\n---\n",
      "[".repeat(5_000),
      "{".repeat(5_000),
      "&a [*a]",
      "tasks: ",
      "id: ",
      "- ",
      "? ",
      '"',
      "!!js/function x",
      "<<: *a",
      "\u0000",
      "## ",
      "```\n",
      "<!--",
      "depends_on: {}\n",
      "null",
      "1e999",
      "at: 9\n",
    ),
  ),
});
type Damage = typeof damage extends fc.Arbitrary<infer T> ? T : never;

function hurt(files: Map<string, Buffer>, { file, other, at, length, kind, bytes: random, text }: Damage): void {
  const names = [...files.keys()];
  const name = names[file % names.length] as string;
  const content = files.get(name) as Buffer;
  const start = Math.floor(at * content.length);
  const replace = (middle: Uint8Array, skip: number): void => {
    files.set(name, Buffer.concat([content.subarray(0, start), middle, content.subarray(start + skip)]));
  };
  if (kind === "cut") replace(Buffer.alloc(0), length);
  else if (kind === "bytes") replace(random, random.length);
  else if (kind === "text") replace(Buffer.from(text), 0);
  else if (kind === "repeat") replace(content.subarray(start, start + length), 0);
  else if (kind === "swap") files.set(name, files.get(names[other % names.length] as string) as Buffer);
  else files.delete(name);
  if (kind === "rename") files.set(`${path.posix.dirname(name)}/${path.posix.basename(names[other % names.length] as string)}`, content);
}

test("whatever the damage, a check ends with findings of the catalogue, the same each time", async () => {
  expect(await check(new Map(bytes))).toMatchObject({ findings: [], warnings: [] });
  await fc.assert(
    fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 6 }), async (damages) => {
      const files = new Map(bytes);
      for (const each of damages) if (files.size > 0) hurt(files, each);
      let checked: Awaited<ReturnType<typeof check>>;
      try {
        checked = await check(files);
      } catch (error) {
        // Without its configuration, or of another format, it is no home that could be checked.
        if (!(error instanceof Refusal)) throw error;
        expect(["no_home", "unsupported_format"]).toContain(error.code);
        return;
      }
      for (const { code, path: at, line, problem } of checked.findings) {
        expect(Object.hasOwn(FINDINGS, code)).toBe(true);
        expect(problem.startsWith(FINDINGS[code as keyof typeof FINDINGS].problem)).toBe(true);
        expect(typeof at).toBe("string");
        if (line !== undefined) expect(line).toBeGreaterThan(0);
      }
      const reversed = new Map([...files].reverse());
      expect((await check(reversed)).findings).toEqual(checked.findings);
    }),
    { numRuns: runs(2_000) },
  );
});

/** A wrong write: what it is, and the files that it changes, made of those of a good home. */
type Wrong = [code: string, what: string, write: (files: Map<string, Buffer>) => string];
const textOf = (files: Map<string, Buffer>, name: string): string => String(files.get(name));
/** Changes a file. @returns its path */
function edited(files: Map<string, Buffer>, name: string, from: string | RegExp, to: string): string {
  const [before, after] = [textOf(files, name), textOf(files, name).replace(from, to)];
  if (before === after) throw new Error(`${name} has no ${from}`);
  files.set(name, Buffer.from(after));
  return name;
}
const named = (files: Map<string, Buffer>, pattern: RegExp): string => [...files.keys()].find((name) => pattern.test(name)) as string;
const taskOf = (id: string): string => `sessions/${good.session}/tasks/${id}.md`;
const resultOf = (): string => good.review.replace(/\.md$/, ".result.md");
const copied = (files: Map<string, Buffer>, from: string, to: string): string => {
  files.set(to, files.get(from) as Buffer);
  return to;
};
/** The file of the thread that was closed. */
const closedFile = (files: Map<string, Buffer>): string =>
  [...files.keys()].find((name) => name.endsWith("/thread.md") && textOf(files, name).includes('"Begin"')) as string;
const heldClaim = (files: Map<string, Buffer>): string => named(files, new RegExp(`claims/${good.held}/1`));

const WRONG: Wrong[] = [
  ["unlawful", "a result by somebody else than the reviewer", (files) => edited(files, resultOf(), 'by: "api"', 'by: "web"')],
  [
    "unlawful",
    "changes asked without comments",
    (files) => edited(files, resultOf(), /"approved"(.*?\n---\n).*$/s, '"changes_requested"$1'),
  ],
  ["unlawful", "a review whose version disagrees", (files) => edited(files, good.review, "version: 2", "version: 1")],
  ["unlawful", "a review whose name disagrees", (files) => edited(files, good.review, 'name: "login-design"', 'name: "login"')],
  ["doubtful", "a maker who reviews their own work", (files) => edited(files, good.review, 'reviewer: "api"', 'reviewer: "web"')],
  [
    "unlawful",
    "a task derived from a derived one",
    (files) => edited(files, taskOf(good.waiting), "---\nid:", `---\nparent_task_id: "${good.derived}"\nid:`),
  ],
  [
    "doubtful",
    "a fourth derived task",
    (files) => {
      for (const id of ["task-1111111111", "task-2222222222", "task-zzzzzzzzzz"])
        edited(files, copied(files, taskOf(good.derived), taskOf(id)), good.derived, id);
      return taskOf("task-zzzzzzzzzz");
    },
  ],
  [
    "doubtful",
    "a task done before what it waits for",
    (files) => {
      edited(files, taskOf(good.waiting), '"todo"', '"done"');
      return edited(files, taskOf(good.waiting), `["${good.done}"]`, `["${good.held}"]`);
    },
  ],
  [
    "doubtful",
    "unread mail of a closed thread that closing did not list",
    (files) => {
      const thread = closedFile(files);
      const message = named(files, new RegExp(`^${thread.replace("thread.md", "1-")}`));
      const id = /^id: "(.*)"$/m.exec(textOf(files, message))?.[1] as string;
      const acked = named(files, new RegExp(`^inbox/web/read/.*${id}`));
      copied(files, acked, `inbox/web/new/${id}.md`);
      files.delete(acked);
      return edited(files, thread, /^closed_unread: .*\n/m, "");
    },
  ],
  ["doubtful", "a reply after closing", (files) => edited(files, closedFile(files), /status_after: 1/, "status_after: 0")],
  ["unlawful", "status_after over the highest number", (files) => edited(files, closedFile(files), /status_after: 1/, "status_after: 2")],
  ["unlawful", "a thread with another subject than its first message", (files) => edited(files, closedFile(files), '"Begin"', '"End"')],
  ["unlawful", "a thread of another time", (files) => edited(files, closedFile(files), /created_at: "20/, 'created_at: "19')],
  ["doubtful", "a task that waits for itself", (files) => edited(files, taskOf(good.waiting), good.done, good.waiting)],
  ["doubtful", "a block without its reason", (files) => edited(files, taskOf(good.waiting), '"todo"', '"blocked"')],
  ["unlawful", "a thread with another creator", (files) => edited(files, closedFile(files), 'created_by: "main"', 'created_by: "web"')],
  [
    "doubtful",
    "an ack by a part that it is not addressed to",
    (files) => {
      const acked = named(files, /^inbox\/api\/read\/.*-1-[^-]*$/);
      return copied(files, acked, acked.replace("/api/", "/human/"));
    },
  ],
  ["unlawful", "a label with a wrong hash", (files) => edited(files, named(files, /\/labels\//), "standup", "stand-up")],
  ["doubtful", "a fence above the chain", (files) => edited(files, taskOf(good.held), "fence: 1", "fence: 3")],
  ["doubtful", "a task's file behind its record", (files) => edited(files, taskOf(good.held), "fence: 1", "fence: 0")],
  ["doubtful", "a history over its limit", (files) => edited(files, taskOf(good.held), /$/, "\n- a line".repeat(500))],
  ["unlawful", "an assignee that leads elsewhere", (files) => edited(files, taskOf(good.held), 'assignee: "web"', 'assignee: "../x"')],
  ["unlawful", "a review by nobody", (files) => edited(files, good.review, 'reviewer: "api"', 'reviewer: ""')],
  ["unlawful", "a claim of a folder", (files) => edited(files, heldClaim(files), 'agent: "web"', 'agent: "web/.."')],
  ["doubtful", "a description over its limit", (files) => edited(files, taskOf(good.held), /(\n---\n)/, `$1${"x".repeat(8_193)}\n`)],
  ["doubtful", "a lease over its limit", (files) => edited(files, heldClaim(files), /lease_s: \d+/, "lease_s: 604801")],
  [
    "doubtful",
    "too many dependencies",
    (files) => edited(files, taskOf(good.held), "---\nid:", `---\ndepends_on: ${JSON.stringify(Array(33).fill(good.done))}\nid:`),
  ],
  ["doubtful", "a reason over its limit", (files) => edited(files, taskOf(good.derived), "found on the way", "x".repeat(513))],
];
// What follows from a text is read before its name is: format 1 seals no name.
const OLD = (name: string): string => name.replace(/[0-9a-z]{25}\.md$/, "1kg9p6je0abcde.md");
const MISTOLD: Wrong[] = [
  [
    "doubtful",
    "a recipient that never was",
    (files) => {
      const from = good.messages[2] as string;
      const path = OLD(from);
      const text = textOf(files, from)
        .replaceAll(/[0-9a-z]{25}"/g, '1kg9p6je0abcde"')
        .replace('to: ["web"]', 'to: ["web", "nobody"]');
      for (const name of [...files.keys()].filter((each) => each === from || each === good.unread)) {
        files.delete(name);
        files.set(OLD(name), Buffer.from(text));
      }
      return path;
    },
  ],
  [
    "unlawful",
    "a session that does not exist",
    (files) => {
      const name = named(files, /^threads\/.*\/1-/);
      const from =
        [...files.keys()].find((each) => /^threads\//.test(each) && textOf(files, each).includes(`session: "${good.session}"`)) ?? name;
      const text = textOf(files, from)
        .replaceAll(/[0-9a-z]{25}"/g, '1kg9p6je0abcde"')
        .replace(/session: ".*"/, 'session: "2026-01-01-001-ZZZZ"');
      files.delete(from);
      files.set(OLD(from), Buffer.from(text));
      return OLD(from);
    },
  ],
];

test.each([...WRONG, ...MISTOLD])("names (%s) %s", async (code, _what, write) => {
  const files = new Map(bytes);
  const at = write(files);
  const { findings, warnings } = await check(files);
  expect([...findings, ...warnings].map((each) => `${each.code} ${each.path}`)).toContain(`${code} ${at}`);
});

test("a check holds for every file of the layout, and for no other name", () => {
  for (const [name] of bytes) expect(placeOf(name), name).not.toBeNull();
  expect(placeOf("run/presence/web/x.json")).toEqual({ kind: "machine" });
  expect(placeOf(`threads/2026-01-31/t-20260131-k3f9x2ab/1-1kg9p6je0abcde.md.sig`)).toEqual({ kind: "ignored" });
  expect(placeOf(`inbox/web/new/.draft.md`)).toEqual({ kind: "ignored" });
  expect(placeOf(`sessions/x/claims/task-0000000000/2.abc.lost.md`)).toMatchObject({ kind: "decision" });
  expect(placeOf(`sessions/x/claims/task-0000000000/2.abc.won.md`)).toBeNull();
  expect(placeOf(`sessions/x/claims/task-0000000000/2.md.kept-0123456789ab`)).toEqual({ kind: "ignored" });
  expect(placeOf("org/anything/at/all")).toEqual({ kind: "ignored" });
  for (const name of [
    ...["relay.yml/x", "inbox/web/m.md", "inbox/new/new/m-20260131-k3f9x2ab-1-1kg9p6je0abcde.md", "sessions/a b/session.md"],
    ...["sessions/x/tasks/task-UPPER00000.md", "memory/other.md", "memory/agents/con.md", "notes.sig", "usage/2026-01/k3f9x2ab.md"],
  ])
    expect(placeOf(name), name).toBeNull();
});

describe("headings of a summary", () => {
  const headings = (text: string): [string, number, boolean][] =>
    parseSummary(text).headings.map(({ title, line, isEmpty }) => [title, line, isEmpty]);
  test.each<[string, string, [string, number, boolean][]]>([
    ["words", "# A\n\nwords\n", [["A", 1, false]]],
    ["nothing", "# A\n\n  \n", [["A", 1, true]]],
    [
      "a deeper heading without",
      "# A\n## B\n",
      [
        ["A", 1, false],
        ["B", 2, true],
      ],
    ],
    [
      "a heading of the same level",
      "## A\n## B\nx\n",
      [
        ["A", 1, true],
        ["B", 2, false],
      ],
    ],
    ["a comment alone", "## A\n<!-- fill in\nlater -->\n", [["A", 1, true]]],
    ["a comment with a heading in it", "## A\n<!--\n## B\n-->\nx\n", [["A", 1, false]]],
    ["code", "## A\n```\n## B\n```\n", [["A", 1, false]]],
    ["front matter", "---\nby: x\n---\n## A ##\r\nx\r\n", [["A", 4, false]]],
    ["front matter with CRLF", "---\r\nby: x\r\n---\r\n## A\r\n", [["A", 4, true]]],
    ["no space", "#hash\nwords", []],
    ["blanks without end", `#${" ".repeat(100_000)}x\u2028\n`, [["x", 1, true]]],
  ])("%s", (_what, text, expected) => expect(headings(text)).toEqual(expected));
});

test("a decision of the remote holds the claim that its name says", () => {
  const [session, task] = ["2026-01-31-001-K3F9", "task-0000000000"];
  const text = formatClaim({ task, fence: 2, kind: "claim", agent: "web", at: "2026-01-31T09:30:00.000Z", nonce: "abc" });
  const read = (name: string, source: string): unknown => {
    const where = decision.locate(`sessions/${session}/claims/${task}/${name}`);
    expect(where, name).not.toBeNull();
    return decision.parse(source, where as NonNullable<typeof where>, sha256);
  };
  expect(read("2.abc.lost.md", text)).toMatchObject({ agent: "web", fence: 2, nonce: "abc" });
  expect(() => read("2.other.lost.md", text)).toThrow("nonce and path disagree");
  expect(() => read("3.abc.confirmed.md", text)).toThrow("fence and path disagree");
  expect(() => read("2.abc.lost.md", "---\nx: y\n---\n")).toThrow();
});
