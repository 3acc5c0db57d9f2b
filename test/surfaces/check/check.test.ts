import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { checkHome } from "../../../protocol/home/check/check-home.ts";
import { readAllFiles } from "../../../protocol/home/check/lasting-findings.ts";
import { ReadAhead } from "../../../protocol/home/check/read-ahead.ts";
import { folderSnapshot, type SnapshotFile } from "../../../protocol/home/git/home-reader.ts";
import { operations, perform } from "../../../protocol/index.ts";
import { FINDINGS } from "../../../protocol/objects/format/finding.ts";
import { openStore } from "../../../protocol/store/root.ts";
import { copyOf, type GoodHome, makeGoodHome, recordAll, SUMMARY } from "../../rig/good-home.ts";
import { worldAt } from "../../rig/home.ts";
import { git, scratch, until } from "../../rig/scratch.ts";

// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever was answered.
type Answer = any;

let good: GoodHome;
let hoursLater = 0;
let original: GoodHome;
beforeAll(async () => {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "relay-good-")));
  git(folder, "init", "--quiet", "--initial-branch=main");
  git(folder, "commit", "--quiet", "--allow-empty", "--message", "begin");
  original = await makeGoodHome(folder);
});
afterAll(() => fs.rmSync(original.folder, { recursive: true }));
beforeEach(() => {
  good = copyOf(original, scratch());
  hoursLater = 0;
});

/** The findings of a check, of the folder or of a commit of it. */
async function findings(ref?: string): Promise<Answer[]> {
  const world = worldAt(good.at(), { now: () => Date.now() + hoursLater * 3_600_000 });
  return (await perform(world, operations.check, ref === undefined ? {} : { ref })).findings;
}

const text = (name: string): string => fs.readFileSync(good.at(name), "utf8");
const write = (name: string, content: string | Uint8Array): void => {
  fs.mkdirSync(path.dirname(good.at(name)), { recursive: true });
  // Never through a hard link into another name.
  fs.rmSync(good.at(name), { force: true });
  fs.writeFileSync(good.at(name), content);
};
const edit = (name: string, from: string | RegExp, to: string): void => {
  const before = text(name);
  const after = before.replace(from, to);
  expect(after, `${name} has ${from}`).not.toBe(before);
  write(name, after);
};
const remove = (...names: string[]): void => {
  for (const name of names) fs.rmSync(good.at(name), { recursive: true });
};
const task = (id: string): string => `sessions/${good.session}/tasks/${id}.md`;
const claim = (id: string, fence = 1): string => `sessions/${good.session}/claims/${id}/${fence}.md`;
const summary = (): string => `sessions/${good.session}/summary.md`;
/** Every name of a message: in its thread, and in inboxes. */
const namesOf = (message: string): string[] => {
  const [, , thread = "", name = ""] = message.split("/");
  const id = `m-${thread.slice(2)}-${name}`;
  return good.files().filter((file) => file === message || file.endsWith(`/${id}`));
};
const events = (): string => good.files().find((name) => name.startsWith("events/")) as string;
const guest = "inbox/guest-1/guest.md";

test("a home made by operations has no findings, as a folder and as a commit", async () => {
  expect(await findings()).toEqual([]);
  recordAll(good.at());
  expect(await findings("HEAD")).toEqual([]);
});

/** What is broken, its code, where it is found, and how it is broken: that way alone. */
const BREAKS: [what: string, code: keyof typeof FINDINGS, where: () => string, breakIt: () => void][] = [
  [
    "a message whose front matter is not closed",
    "malformed",
    () => good.messages[1] as string,
    () => write(good.messages[1] as string, "---\nid: x\n"),
  ],
  ["a message that is no UTF-8", "malformed", () => good.unread, () => write(good.unread, Buffer.from([0x2d, 0xff, 0xfe]))],
  [
    "a message with a NUL in its body",
    "malformed",
    () => good.messages[1] as string,
    () => edit(good.messages[1] as string, "price", "pri\0ce"),
  ],
  ["a task with a NUL", "malformed", () => task(good.waiting), () => edit(task(good.waiting), /$/, "\0")],
  ["a memory with a NUL", "malformed", () => "memory/project.md", () => edit("memory/project.md", "Begin", "Be\0gin")],
  ["a summary with a NUL", "malformed", summary, () => edit(summary(), "words", "wor\0ds")],
  ["a relay.yml with a NUL", "malformed", () => "relay.yml", () => edit("relay.yml", /$/, "# \0\n")],
  [
    "a state that is no UTF-8",
    "malformed",
    () => `sessions/${good.session}/state.json`,
    () => write(`sessions/${good.session}/state.json`, Buffer.from([0x7b, 0xff, 0x7d])),
  ],
  [
    "a copy of a message in an inbox that says another id",
    "malformed",
    () => good.unread,
    () => edit(good.unread, /^id: .*$/m, 'id: "m-1"'),
  ],
  [
    "a thread of an unknown status",
    "malformed",
    () => `${path.posix.dirname(good.messages[0] as string)}/thread.md`,
    () => edit(`${path.posix.dirname(good.messages[0] as string)}/thread.md`, "\n---\n", '\nstatus: "asleep"\n---\n'),
  ],
  [
    "a task in which git left a conflict",
    "conflict",
    () => task(good.waiting),
    () => edit(task(good.waiting), /^status: .*$/m, '<<<<<<< HEAD\nstatus: "todo"\n=======\nstatus: "done"\n>>>>>>> them'),
  ],
  [
    "a memory in which git left half of one",
    "conflict",
    () => "memory/project.md",
    () => edit("memory/project.md", /$/, "\n>>>>>>> them\n"),
  ],
  [
    "a record that never changes, broken by one",
    "conflict",
    () => claim(good.held),
    () => edit(claim(good.held), /^nonce: .*$/m, '<<<<<<< HEAD\nnonce: "a"\n=======\nnonce: "b"\n>>>>>>> them'),
  ],
  ["a task of an unknown status", "malformed", () => task(good.waiting), () => edit(task(good.waiting), '"todo"', '"doing"')],
  [
    "a task whose id and path disagree",
    "malformed",
    () => task(good.waiting),
    () => edit(task(good.waiting), good.waiting, "task-0000000000"),
  ],
  [
    "a task nested beyond reason",
    "malformed",
    () => task(good.waiting),
    () => write(task(good.waiting), `---\ntitle: ${"[".repeat(40_000)}\n---\n`),
  ],
  ["a claim of an unknown kind", "malformed", () => claim(good.held), () => edit(claim(good.held), '"claim"', '"grab"')],
  [
    "a session that says no beginning",
    "malformed",
    () => `sessions/${good.session}/session.md`,
    () => edit(`sessions/${good.session}/session.md`, "started_at", "began"),
  ],
  [
    "a session of another id",
    "malformed",
    () => `sessions/${good.session}/session.md`,
    () => edit(`sessions/${good.session}/session.md`, good.session, "another"),
  ],
  [
    "an end without a time",
    "malformed",
    () => `sessions/${good.ended}/ended.md`,
    () => edit(`sessions/${good.ended}/ended.md`, "ended_at", "over"),
  ],
  [
    "an artifact that lies under another name",
    "malformed",
    () => `${good.artifact}/1.artifact.md`,
    () => edit(`${good.artifact}/1.artifact.md`, '"login-design"', '"logout"'),
  ],
  ["a review of another id", "malformed", () => good.review, () => edit(good.review, /id: "review-\w+"/, 'id: "review-0000000000"')],
  [
    "a result that is none",
    "malformed",
    () => good.review.replace(".md", ".result.md"),
    () => edit(good.review.replace(".md", ".result.md"), '"approved"', '"fine"'),
  ],
  ["a guest under another name", "malformed", () => guest, () => edit(guest, '"guest-1"', '"guest-2"')],
  ["a line of events that is no JSON", "malformed", () => events(), () => edit(events(), "\n", "\n{x}\n")],
  ["events in which git left half of a conflict", "malformed", () => events(), () => edit(events(), /$/, ">>>>>>> them\n")],
  ["an event without a type", "malformed", () => events(), () => edit(events(), '"type":"composing"', '"kind":"composing"')],
  ["a relay.yml that is no YAML", "malformed", () => "relay.yml", () => write("relay.yml", "format: [")],
  ["a pool that is no map", "malformed", () => "agents.pool.yml", () => write("agents.pool.yml", "agents: 7\n")],
  [
    "a team with a broken agent",
    "malformed",
    () => `session-agents-${good.session}.yml`,
    () => write(`session-agents-${good.session}.yml`, "agents:\n  web: { tools: 7 }\n"),
  ],
  ["a summary whose front matter is broken", "malformed", summary, () => edit(summary(), "tasks:", "tasks: [")],
  ["a summary of another session", "malformed", summary, () => edit(summary(), "---\n", '---\nsession: "another"\n')],
  ["a memory beyond its limit", "too_large", () => "memory/project.md", () => write("memory/project.md", "x".repeat(4 * 1_048_576 + 1))],
  [
    "a claim beyond its limit",
    "too_large",
    () => claim(good.held),
    () => write(claim(good.held), `${text(claim(good.held))}${"x".repeat(8_192)}`),
  ],
  ["a strange file beside relay.yml", "unknown_file", () => "notes.txt", () => write("notes.txt", "hi")],
  [
    "a strange file among tasks",
    "unknown_file",
    () => `sessions/${good.session}/tasks/notes.md`,
    () => write(`sessions/${good.session}/tasks/notes.md`, "hi"),
  ],
  [
    "mail under a day that is not its own",
    "unknown_file",
    () => "inbox/api/read/2001-01-01/x.md",
    () => write("inbox/api/read/2001-01-01/x.md", "hi"),
  ],
  [
    "a link in the place of a file",
    "not_a_file",
    () => "memory/agents/api.md",
    () => fs.symlinkSync("web.md", good.at("memory/agents/api.md")),
  ],
  [
    "a link that leaves the home",
    "outside_home",
    () => "memory/agents/api.md",
    () => fs.symlinkSync("/etc/passwd", good.at("memory/agents/api.md")),
  ],
  ["a link upward out of the home", "outside_home", () => "linked", () => fs.symlinkSync("../src", good.at("linked"))],
  ["an agent of the office without a file", "office_fault", () => "org/office.yml", () => fs.rmSync(good.at("org/agents/reviewer.md"))],
  ["a name that differs only in case", "case_clash", () => "memory/agents/web.md", () => write("memory/agents/WEB.md", "x")],
  [
    "a guest that differs from a part only in case",
    "case_clash",
    () => "inbox/human",
    () => write("inbox/HUMAN/guest.md", text(guest).replace("guest-1", "HUMAN")),
  ],
  [
    "a task in two sessions",
    "duplicate_id",
    () => task(good.waiting),
    () => write(task(good.waiting).replace(good.session, good.ended), text(task(good.waiting)).replace(/^depends_on.*\n/m, "")),
  ],
  ["an event twice", "duplicate_id", () => events(), () => write(events(), text(events()).replace(/^.*\n/, "$&$&"))],
  [
    "a message that answers a missing one",
    "dangling_reply",
    () => good.messages[1] as string,
    () => remove(...namesOf(good.messages[0] as string)),
  ],
  [
    "a thread without messages",
    "dangling_reply",
    () => "threads/2026-01-31/t-20260131-k3f9x2ab/thread.md",
    () =>
      write(
        "threads/2026-01-31/t-20260131-k3f9x2ab/thread.md",
        '---\nid: "t-20260131-k3f9x2ab"\nsubject: "s"\ncreated_by: "web"\ncreated_at: "2026-01-31T09:30:00.000Z"\n---\n\n',
      ),
  ],
  ["mail that its thread has not", "dangling_mail", () => good.unread, () => remove(good.messages[2] as string)],
  [
    "mail of another",
    "not_addressed",
    () => good.unread.replace("/web/", "/api/"),
    () => write(good.unread.replace("/web/", "/api/"), text(good.unread)),
  ],
  ["mail that is in no half of an inbox", "missing_mail", () => good.messages[2] as string, () => remove(good.unread)],
  ["a guest of no session", "dangling_guest", () => guest, () => edit(guest, /session: .*/, 'session: "another"')],
  [
    "a dependency that is not there",
    "dangling_dependency",
    () => task(good.waiting),
    () => edit(task(good.waiting), /depends_on: .*/, 'depends_on: ["task-0000000000"]'),
  ],
  [
    "a parent that is not there",
    "dangling_parent",
    () => task(good.derived),
    () => edit(task(good.derived), /parent_task_id: .*/, 'parent_task_id: "task-0000000000"'),
  ],
  ["a claim of no task", "dangling_claim", () => claim(good.held), () => remove(task(good.held))],
  ["an artifact without its content", "dangling_artifact", () => `${good.artifact}/1.artifact.md`, () => remove(`${good.artifact}/1.md`)],
  [
    "an artifact of no task",
    "dangling_artifact",
    () => `${good.artifact}/2.artifact.md`,
    () => edit(`${good.artifact}/2.artifact.md`, /task_id: .*/, 'task_id: "task-0000000000"'),
  ],
  [
    "a review of no artifact",
    "dangling_review",
    () => good.review,
    () => edit(good.review, /artifact_id: .*/, 'artifact_id: "artifact-000000000000-1"'),
  ],
  ["a result of no review", "dangling_review", () => good.review.replace(".md", ".result.md"), () => remove(good.review)],
  [
    "a summary of a task that is not there",
    "dangling_summary",
    summary,
    () => write(summary(), SUMMARY(JSON.stringify([good.done, "task-0000000000"]))),
  ],
  [
    "a session that ended without a summary",
    "summary_missing",
    () => `sessions/${good.ended}/summary.md`,
    () => remove(`sessions/${good.ended}/summary.md`),
  ],
  ["a session with a task done and no summary", "summary_missing", summary, () => remove(summary())],
  ["a summary without a heading that is asked for", "summary_heading", summary, () => edit(summary(), "## What was done", "## Otherwise")],
  [
    "a heading with nothing below it",
    "summary_empty",
    summary,
    () => write(summary(), `${text(summary())}\n## Open ends\n\n<!-- what is\nleft -->\n`),
  ],
  ["a summary that is too short", "summary_short", summary, () => edit(summary(), /# What happened[\s\S]*/, "## What was done\nI.\n")],
  ["a summary without a field", "summary_field", summary, () => edit(summary(), /^tasks:.*/m, 'by: "main"')],
  [
    "a summary that says done of what is not",
    "summary_untrue",
    summary,
    () => write(summary(), SUMMARY(JSON.stringify([good.done, good.held]))),
  ],
  [
    "a summary that says another status",
    "summary_untrue",
    summary,
    () => write(summary(), SUMMARY(`{"${good.done}": "done", "${good.held}": "todo"}`)),
  ],
  ["a summary that leaves out what is done", "summary_leaves_out", summary, () => write(summary(), SUMMARY("[]"))],
  ["a claim that nobody renewed", "claim_overdue", () => claim(good.held), () => (hoursLater = 2)],
  [
    "a task in progress without a claim",
    "claim_missing",
    () => task(good.held),
    () => remove(`sessions/${good.session}/claims/${good.held}`),
  ],
  [
    "a task in progress whose claim was given back",
    "claim_missing",
    () => task(good.held),
    () => edit(claim(good.held), '"claim"', '"release"'),
  ],
  ["a claim by a part that does not exist", "claim_by_nobody", () => claim(good.held), () => edit(claim(good.held), '"web"', '"ghost"')],
];

describe("what git does not record is found in the folder", () => {
  const places: [what: string, where: () => string][] = [
    ["a task", () => task(good.waiting)],
    ["a review", () => good.review],
    ["a claim", () => claim(good.held)],
    ["the record of an artifact", () => `${good.artifact}/2.artifact.md`],
    ["a session", () => `sessions/${good.session}/session.md`],
    ["a summary", summary],
    ["a state", () => `sessions/${good.session}/state.json`],
    ["a thread", () => `${path.posix.dirname(good.messages[0] as string)}/thread.md`],
    ["a message", () => good.messages[1] as string],
    ["unread mail", () => good.unread],
    ["acked mail", () => good.files().find((name) => name.includes("/read/")) as string],
    ["a memory", () => "memory/project.md"],
    ["events", events],
    ["relay.yml", () => "relay.yml"],
  ];
  test.each(places)("an empty folder in the place of %s", async (_what, where) => {
    const name = where();
    remove(name);
    fs.mkdirSync(good.at(name));
    expect(await findings()).toContainEqual(
      expect.objectContaining({ path: name, code: "not_a_file", found: "a folder", expected: "a plain file" }),
    );
  });

  test("names that are no UTF-8", async () => {
    const folders = ["inbox/web/new", `sessions/${good.session}/tasks`, "memory", ""];
    for (const folder of folders) fs.writeFileSync(Buffer.concat([Buffer.from(`${good.at(folder)}/m-`), Buffer.from([0xff, 0xfe])]), "x");
    fs.mkdirSync(Buffer.concat([Buffer.from(`${good.at("threads")}/`), Buffer.from([0xff])]));
    const expected = [...folders.map((folder) => path.posix.join(folder, "m-\uFFFD\uFFFD")), "threads/\uFFFD"].sort();
    expect((await findings()).map((finding) => [finding.code, finding.path])).toEqual(expected.map((name) => ["unknown_file", name]));
  });
});

describe("exactly what is broken is found, in a folder and in a commit", () => {
  test.each(BREAKS)("%s", async (_what, code, where, breakIt) => {
    breakIt();
    const found = await findings();
    expect(found.map((finding) => [finding.code, finding.path])).toEqual([[code, where()]]);
    const [{ problem, found: there, expected }] = found as [Answer];
    expect(problem).toBe(`${FINDINGS[code].problem}: ${there}; expected ${expected}`);
    recordAll(good.at());
    expect(await findings("HEAD")).toEqual(found);
  });
  test("each kind is found somewhere", () => {
    const elsewhere = [
      "differing_mail",
      "unknown_setting",
      "unknown_key",
      "commit_without_session",
      "commit_unknown_session",
      "commit_without_summary",
    ];
    // What may not be read is in test/operations/disk-errors.test.ts.
    elsewhere.push("not_readable");
    // What the history and the branch say is held to in test/hostile: guard.test.ts, history.test.ts and broken.test.ts.
    elsewhere.push("dangling_dispatch", "dangling_turn", "deleted_by_push", "changed_by_push", "history_cut", "not_laid_out");
    expect([...new Set([...BREAKS.map(([, code]) => code), ...elsewhere])].sort()).toEqual(Object.keys(FINDINGS).sort());
  });
});

describe("the thread that reads ahead", () => {
  const around = { nowMs: Date.now(), renewedMs: () => null, life: () => null };
  const checked = async (readAheadFrom: number): Promise<Answer> => {
    const { threads, ...found } = await checkHome(
      folderSnapshot(good.at()),
      around,
      () => {},
      null,
      readAllFiles,
      undefined,
      readAheadFrom,
    );
    return { ...found, threads: [...threads] };
  };
  const listed = (): SnapshotFile[] =>
    good
      .files()
      .filter((name) => name.startsWith("threads/"))
      .map((name) => ({ path: name, kind: "file", size: fs.statSync(good.at(name)).size, same: name }));

  test.each([0, 1, 2])("changes no finding, of all that is broken at once (%s)", async (group) => {
    const broken = BREAKS.filter(([, , where], at) => at % 3 === group && where() !== "relay.yml");
    for (const [, , , breakIt] of broken) {
      try {
        breakIt();
      } catch {
        // What another has broken already is broken enough.
      }
    }
    const alone = await checked(Number.POSITIVE_INFINITY);
    expect(alone.findings.length).toBeGreaterThan(broken.length / 2);
    expect(await checked(1)).toEqual(alone);
  });

  test("tells who each sound message is to, and of nothing else that it is sound", async () => {
    const [sound, ...others] = good.messages as [string, string, string];
    edit(others[0], "price", "prize");
    const files = listed();
    const ahead = new ReadAhead(openStore(good.at()), 1);
    ahead.add(files);
    await until("the thread has seen all", () => ahead.seen === files.length);
    const open = vi.spyOn(fs, "openSync");
    const recipientsOf = ahead.finish(() => {});
    expect(open).not.toHaveBeenCalled();
    open.mockRestore();
    ahead.end();
    const of = (name: string) => recipientsOf(files.find((file) => file.path === name) as SnapshotFile);
    expect([of(sound), of(others[0]), of(path.posix.join(path.posix.dirname(sound), "thread.md"))]).toEqual([
      ["api", "shop/api"],
      undefined,
      undefined,
    ]);
  });

  test("that does not start leaves all to the check", () => {
    const files = listed();
    vi.spyOn(process, "cwd").mockReturnValue("/nowhere");
    const ahead = new ReadAhead(openStore(good.at()), 1);
    ahead.add(files);
    vi.mocked(process.cwd).mockRestore();
    const recipientsOf = ahead.finish(() => {});
    ahead.end();
    expect(ahead.seen).toBe(0);
    expect(files.map((file) => recipientsOf(file)).filter((to) => to !== undefined).length).toBeGreaterThan(3);
  });
});
