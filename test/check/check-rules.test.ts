import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { formatClaim } from "../../protocol/board/nouns/claim.ts";
import { parseSummary } from "../../protocol/board/nouns/summary.ts";
import { decision } from "../../protocol/board/nouns/task-nouns.ts";
import { checkHome } from "../../protocol/check/files/check-home.ts";
import { FileError } from "../../protocol/core/format/file-error.ts";
import { FINDINGS } from "../../protocol/core/format/finding.ts";
import { Refusal } from "../../protocol/core/refusal.ts";
import { placeOf } from "../../protocol/core/tree/layout.ts";
import type { Snapshot } from "../../protocol/git/home/home-reader.ts";
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
      ...["---\n", "\n---\n", "[".repeat(5_000), "{".repeat(5_000), "&a [*a]", "tasks: ", "id: ", "- ", "? ", '"', "!!js/function x"],
      ...["<<: *a", "\u0000", "## ", "```\n", "<!--", "depends_on: {}\n", "null", "1e999", "at: 9\n"],
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
/** The first file of a name and a text. */
const named = (files: Map<string, Buffer>, pattern: RegExp, text = /(?:)/): string =>
  [...files.keys()].find((name) => pattern.test(name) && text.test(textOf(files, name))) as string;
const taskOf = (id: string): string => `sessions/${good.session}/tasks/${id}.md`;
const copied = (files: Map<string, Buffer>, from: string, to: string): string => {
  files.set(to, files.get(from) as Buffer);
  return to;
};

/** A wrong write by one edit: of the first file of a name that has what is replaced. */
const EDITS: [code: string, what: string, name: RegExp, from: RegExp, to: string][] = [
  ["unlawful", "a result by somebody else than the reviewer", /\.result/, /^by: "api"/m, 'by: "web"'],
  ["unlawful", "a result by a folder", /\.result/, /^by: "api"/m, 'by: "../x"'],
  ["unlawful", "a result of another request", /\.result/, /^version: 2/m, "version: 1"],
  ["unlawful", "changes asked without comments", /\.result/, /"approved"(.*?\n---\n).*$/s, '"changes_requested"$1 \n'],
  ["malformed", "a result of no time", /\.result/, /^at: .*/m, 'at: "never"'],
  ["malformed", "a review of no time", /reviews/, /^at: .*/m, 'at: "2026-99-31"'],
  ["malformed", "a review of what git would take for an option", /reviews/, /^at: /m, 'commit: "--output=x"\n$&'],
  ["unlawful", "a review of no thread", /reviews/, /^thread_id: .*/m, 'thread_id: "../x"'],
  ["malformed", "an artifact of no time", /\.artifact\.md/, /created_at: .*/, 'created_at: "never"'],
  ["doubtful", "comments over their limit", /\.result/, /Good\./, "x".repeat(16_385)],
  ["unlawful", "a review whose version disagrees", /reviews/, /version: 2/, "version: 1"],
  ["unlawful", "a review whose name disagrees", /reviews/, /name: "login-design"/, 'name: "login"'],
  ["unlawful", "a review by an empty name", /reviews/, /reviewer: "api"/, 'reviewer: ""'],
  ["dangling_review", "a review for a missing task", /reviews/, /task_id: ".*"/, 'task_id: "task-zzzzzzzzzz"'],
  ["doubtful", "a maker who reviews their own work", /reviews/, /reviewer: "api"/, 'reviewer: "web"'],
  ["unlawful", "an artifact by a folder", /\.artifact\.md/, /created_by: "web"/, 'created_by: "web/.."'],
  ["doubtful", "content over its limit", /artifacts\/.*\/1\.md/, /$/, "x".repeat(524_288)],
  ["doubtful", "a reply after closing", /thread\.md/, /status_after: 1/, "status_after: 0"],
  ["unlawful", "status_after over the highest number", /thread\.md/, /status_after: 1/, "status_after: 2"],
  ["unlawful", "status_after below any number", /thread\.md/, /status_after: 1/, "status_after: -1"],
  ["unlawful", "a thread with another subject than its first message", /thread\.md/, /"Begin"/, '"End"'],
  ["unlawful", "a thread of another time", /thread\.md/, /created_at: "20/, 'created_at: "19'],
  ["unlawful", "a thread with another creator", /thread\.md/, /created_by: "main"/, 'created_by: "web"'],
  ["unlawful", "a thread with other tags", /thread\.md/, /tags: \["cart"\]/, 'tags: ["card"]'],
  ["unlawful", "a label with a wrong hash", /labels/, /standup/, "stand-up"],
  ["unlawful", "a label of no thread", /labels/, /^t-/, "m-"],
  ["unlawful", "a session begun by a folder", /session\.md/, /started_by: "main"/, 'started_by: "a/../b"'],
  ["unlawful", "a session ended by a device", /ended\.md/, /ended_by: "main"/, 'ended_by: "con"'],
  ["doubtful", "a summary over its limit", /\/summary\.md/, /$/, "x".repeat(131_072)],
  ["doubtful", "a state over its limit", /state\.json/, /^/, " ".repeat(65_536)],
  ["doubtful", "a key of a memory over its limit", /memory/, /## style/, `## ${"x".repeat(257)}`],
  ["doubtful", "a fence above the chain", /tasks/, /fence: 1/, "fence: 3"],
  ["doubtful", "a task's file behind its record", /tasks/, /fence: 1/, "fence: 0"],
  ["doubtful", "a task that another holds", /tasks/, /"in_progress"(.*?)assignee: "web"/s, '"in_progress"$1assignee: "api"'],
  ["unlawful", "an assignee that leads elsewhere", /tasks/, /assignee: "web"/, 'assignee: "../x"'],
  ["unlawful", "a creator that leads elsewhere", /tasks/, /created_by: "main"/, 'created_by: "/x"'],
  ["unlawful", "a reviewer that leads elsewhere", /tasks/, /created_by: "main"/, '$&\nreviewers: ["api", ".."]'],
  ["doubtful", "a history over its limit", /tasks/, /$/, "\n- a line".repeat(500)],
  ["doubtful", "a description over its limit", /tasks/, /\n---\n/, `$&${"x".repeat(8_193)}\n`],
  ["doubtful", "a block without its reason", /tasks/, /status: "todo"/, 'status: "blocked"'],
  ["doubtful", "a block of a long reason", /tasks/, /status: "todo"/, `status: "blocked"\nblocked_reason: "${"x".repeat(513)}"`],
  ["doubtful", "too many dependencies", /tasks/, /depends_on: \["(.*)"\]/, `depends_on: [${'"$1", '.repeat(33)}]`],
  ["doubtful", "a reason over its limit", /tasks/, /found on the way/, "x".repeat(513)],
  ["unlawful", "a claim of a folder", /claims/, /agent: "web"/, 'agent: "web/.."'],
  ["doubtful", "a lease over its limit", /claims/, /lease_s: \d+/, "lease_s: 604801"],
  ["doubtful", "a release of a long reason", /claims/, /kind: "release"/, `$&\nreason: "${"x".repeat(513)}"`],
];
const VERSION = (): string => `${good.artifact}/1.artifact.md`;
const WRONG: Wrong[] = [
  ["duplicate_id", "a version in two folders", (files) => copied(files, VERSION(), VERSION().replace("login-design", "zzz"))],
  ...EDITS.map<Wrong>(([code, what, name, from, to]) => [code, what, (files) => edited(files, named(files, name, from), from, to)]),
  ["doubtful", "a task that waits for itself", (files) => edited(files, taskOf(good.waiting), good.done, good.waiting)],
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
  ...[/^closed_unread: .*\n/m, /^status_after: 1\nclosed_unread: .*\n/m].map<Wrong>((from) => [
    "doubtful",
    `unread mail of a closed thread that closing did not list (${from.source})`,
    (files) => {
      const thread = named(files, /thread\.md/, /"Begin"/);
      const message = named(files, new RegExp(`^${thread.replace("thread.md", "1-")}`));
      const id = /^id: "(.*)"$/m.exec(textOf(files, message))?.[1] as string;
      const acked = named(files, new RegExp(`^inbox/web/read/.*${id}`));
      copied(files, acked, `inbox/web/new/${id}.md`);
      files.delete(acked);
      return edited(files, thread, from, "");
    },
  ]),
  [
    "doubtful",
    "an ack by a part that it is not addressed to",
    (files) => {
      const acked = named(files, /^inbox\/api\/read\/.*-1-[^-]*$/);
      return copied(files, acked, acked.replace("/api/", "/human/"));
    },
  ],
];
// What follows from a text is read before its name is: format 1 seals no name.
const OLD = (name: string): string => name.replace(/[0-9a-z]{25}\.md$/, "1kg9p6je0abcde.md");
const unsealed = (text: string): string => text.replaceAll(/[0-9a-z]{25}"/g, '1kg9p6je0abcde"');
const MISTOLD: Wrong[] = [
  ...["web, nobody", "web, api", "web, web", ""].map<Wrong>((to) => [
    "doubtful",
    `a message of api to ${to === "" ? "nothing" : to}`,
    (files) => {
      const from = good.messages[2] as string;
      const text = unsealed(textOf(files, from)).replace('to: ["web"]', `to: [${to}]`);
      for (const name of [from, good.unread]) {
        files.delete(name);
        files.set(OLD(name), Buffer.from(text));
      }
      return OLD(from);
    },
  ]),
  [
    "unlawful",
    "a session that does not exist",
    (files) => {
      const from = named(files, /^threads\//, new RegExp(`session: "${good.session}"`));
      const text = unsealed(textOf(files, from)).replace(/session: ".*"/, 'session: "2026-01-01-001-ZZZZ"');
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
  const headings = (text: string): string =>
    parseSummary(text)
      .headings.map(({ title, line, isEmpty }) => `${title} in ${line}${isEmpty ? ", empty" : ""}`)
      .join("; ");
  test.each<[string, string, string]>([
    ["words", "# A\n\nwords\n", "A in 1"],
    ["nothing", "# A\n\n  \n", "A in 1, empty"],
    ["a deeper heading without", "# A\n## B\n", "A in 1; B in 2, empty"],
    ["a heading of the same level", "## A\n## B\nx\n", "A in 1, empty; B in 2"],
    ["a comment alone", "## A\n<!-- fill in\nlater -->\n", "A in 1, empty"],
    ["a comment with a heading in it", "## A\n<!--\n## B\n-->\nx\n", "A in 1"],
    ["code", "## A\n```\n## B\n```\n", "A in 1"],
    ["front matter", "---\nby: x\n---\n## A ##\r\nx\r\n", "A in 4"],
    ["front matter with CRLF", "---\r\nby: x\r\n---\r\n## A\r\n", "A in 4, empty"],
    ["no space", "#hash\nwords", ""],
    ["blanks without end", `#${" ".repeat(100_000)}x\u2028\n`, "x in 1, empty"],
  ])("%s", (_what, text, expected) => expect(headings(text)).toBe(expected));
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
