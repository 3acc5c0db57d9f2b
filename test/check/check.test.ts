import fs from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { FINDINGS } from "../../protocol/core/format/finding.ts";
import { operations, perform } from "../../protocol/index.ts";
import type { Answer } from "../rig/clones.ts";
import { copyOf, type GoodHome, goodHomeOfFile, recordAll, SUMMARY } from "../rig/good-home.ts";
import { worldAt } from "../rig/home.ts";
import { put, scratch } from "../rig/scratch.ts";

let good: GoodHome;
let hoursLater = 0;
const original = goodHomeOfFile();
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
  // Never through a hard link into another name.
  fs.rmSync(good.at(name), { force: true });
  put(good.at(name), content);
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
const unread = (): string => good.unread;
const message = (): string => good.messages[1] as string;
const threadFile = (): string => `${path.posix.dirname(good.messages[0] as string)}/thread.md`;
const session = (): string => `sessions/${good.session}/session.md`;
const state = (): string => `sessions/${good.session}/state.json`;
const end = (): string => `sessions/${good.ended}/ended.md`;
const waiting = (): string => task(good.waiting);
const held = (): string => claim(good.held);
const memory = (): string => "memory/project.md";
const config = (): string => "relay.yml";
const result = (): string => good.review.replace(".md", ".result.md");
const review = (): string => good.review;
const team = (): string => `session-agents-${good.session}.yml`;
const version = (): string => `${good.artifact}/2.artifact.md`;
const holder = (): string => task(good.held);
const guest = "inbox/guest-1/guest.md";
const NONE = "task-0000000000";
const sums = (at: string, ...done: string[]): void => write(at, SUMMARY(JSON.stringify(done)));
const conflicted = (at: string, line: RegExp, one: string, two: string): void =>
  edit(at, line, `<<<<<<< HEAD\n${one}\n=======\n${two}\n>>>>>>> them`);

test("a home made by operations has no findings, as a folder and as a commit", async () => {
  expect(await findings()).toEqual([]);
  recordAll(good.at());
  expect(await findings("HEAD")).toEqual([]);
});

/** Each fault: its name, its code, the path where it is found, and how the file there is broken, in that way alone. */
const BREAKS: [what: string, code: keyof typeof FINDINGS, where: () => string, breakIt: (at: string) => void][] = [
  ["a message whose front matter is not closed", "malformed", message, (at) => write(at, "---\nid: x\n")],
  ["a message that is no UTF-8", "malformed", unread, (at) => write(at, Buffer.from([0x2d, 0xff, 0xfe]))],
  ["a message with a NUL in its body", "malformed", message, (at) => edit(at, "price", "pri\0ce")],
  ["a task with a NUL", "malformed", waiting, (at) => edit(at, /$/, "\0")],
  ["a memory with a NUL", "malformed", memory, (at) => edit(at, "Begin", "Be\0gin")],
  ["a summary with a NUL", "malformed", summary, (at) => edit(at, "words", "wor\0ds")],
  ["a relay.yml with a NUL", "malformed", config, (at) => edit(at, /$/, "# \0\n")],
  ["a state that is no UTF-8", "malformed", state, (at) => write(at, Buffer.from([0x7b, 0xff, 0x7d]))],
  ["a copy of a message in an inbox that says another id", "malformed", unread, (at) => edit(at, /^id: .*$/m, 'id: "m-1"')],
  ["a thread of an unknown status", "malformed", threadFile, (at) => edit(at, "\n---\n", '\nstatus: "asleep"\n---\n')],
  ["a task with a conflict of git", "conflict", waiting, (at) => conflicted(at, /^status: .*$/m, "status: todo", "status: done")],
  ["a memory in which git left half of one", "conflict", memory, (at) => edit(at, /$/, "\n>>>>>>> them\n")],
  ["a record that never changes, broken by one", "conflict", held, (at) => conflicted(at, /^nonce: .*$/m, "nonce: a", "nonce: b")],
  ["a task of an unknown status", "malformed", waiting, (at) => edit(at, '"todo"', '"doing"')],
  ["a task whose id and path disagree", "malformed", waiting, (at) => edit(at, good.waiting, "task-0000000000")],
  ["a task nested beyond reason", "malformed", waiting, (at) => write(at, `---\ntitle: ${"[".repeat(40_000)}\n---\n`)],
  ["a claim of an unknown kind", "malformed", held, (at) => edit(at, '"claim"', '"grab"')],
  ["a session that says no beginning", "malformed", session, (at) => edit(at, "started_at", "began")],
  ["a session of another id", "malformed", session, (at) => edit(at, good.session, "another")],
  ["an end without a time", "malformed", end, (at) => edit(at, "ended_at", "over")],
  ["an artifact that lies under another name", "malformed", version, (at) => edit(at, '"login-design"', '"logout"')],
  ["a review of another id", "malformed", review, (at) => edit(at, /id: "review-\w+"/, 'id: "review-0000000000"')],
  ["a result that is none", "malformed", result, (at) => edit(at, '"approved"', '"fine"')],
  ["a guest under another name", "malformed", () => guest, (at) => edit(at, '"guest-1"', '"guest-2"')],
  ["a line of events that is no JSON", "malformed", events, (at) => edit(at, "\n", "\n{x}\n")],
  ["events in which git left half of a conflict", "malformed", events, (at) => edit(at, /$/, ">>>>>>> them\n")],
  ["an event without a type", "malformed", events, (at) => edit(at, '"type":"composing"', '"kind":"composing"')],
  ["a relay.yml that is no YAML", "malformed", config, (at) => write(at, "format: [")],
  ["a pool that is no map", "malformed", () => "agents.pool.yml", (at) => write(at, "agents: 7\n")],
  ["a team with a broken agent", "malformed", team, (at) => write(at, "agents:\n  web: { tools: 7 }\n")],
  ["a summary whose front matter is broken", "malformed", summary, (at) => edit(at, "tasks:", "tasks: [")],
  ["a summary of another session", "malformed", summary, (at) => edit(at, "---\n", '---\nsession: "another"\n')],
  ["a memory beyond its limit", "too_large", memory, (at) => write(at, "x".repeat(4 * 1_048_576 + 1))],
  ["a claim beyond its limit", "too_large", held, (at) => write(at, `${text(at)}${"x".repeat(8_192)}`)],
  ["a strange file beside relay.yml", "unknown_file", () => "notes.txt", (at) => write(at, "hi")],
  ["a strange file among tasks", "unknown_file", () => `sessions/${good.session}/tasks/notes.md`, (at) => write(at, "hi")],
  ["mail under a day that is not its own", "unknown_file", () => "inbox/api/read/2001-01-01/x.md", (at) => write(at, "hi")],
  ["a link in the place of a file", "not_a_file", () => "memory/agents/api.md", (at) => fs.symlinkSync("web.md", good.at(at))],
  ["a link that leaves the home", "outside_home", () => "memory/agents/api.md", (at) => fs.symlinkSync("/etc/passwd", good.at(at))],
  ["a link upward out of the home", "outside_home", () => "linked", (at) => fs.symlinkSync("../src", good.at(at))],
  ["an agent of the office without a file", "office_fault", () => "org/office.yml", () => fs.rmSync(good.at("org/agents/reviewer.md"))],
  ["a name that differs only in case", "case_clash", () => "memory/agents/web.md", () => write("memory/agents/WEB.md", "x")],
  ["HUMAN", "case_clash", () => "inbox/human", () => write("inbox/HUMAN/guest.md", text(guest).replace("guest-1", "HUMAN"))],
  [
    "a task in two sessions",
    "duplicate_id",
    waiting,
    (at) => write(at.replace(good.session, good.ended), text(at).replace(/^depends_on.*\n/m, "")),
  ],
  ["a message that answers a missing one", "dangling_reply", message, () => remove(...namesOf(good.messages[0] as string))],
  ["an event twice", "duplicate_id", events, (at) => write(at, text(at).replace(/^.*\n/, "$&$&"))],
  [
    "a thread without messages",
    "dangling_reply",
    () => "threads/2026-01-31/t-20260131-k3f9x2ab/thread.md",
    (at) => write(at, '---\nid: "t-20260131-k3f9x2ab"\nsubject: "s"\ncreated_by: "web"\ncreated_at: "2026-01-31T09:30:00.000Z"\n---\n\n'),
  ],
  ["mail that its thread has not", "dangling_mail", unread, () => remove(good.messages[2] as string)],
  ["mail of another", "not_addressed", () => good.unread.replace("/web/", "/api/"), (at) => write(at, text(good.unread))],
  ["mail that is in no half of an inbox", "missing_mail", () => good.messages[2] as string, () => remove(good.unread)],
  ["a guest of no session", "dangling_guest", () => guest, (at) => edit(at, /session: .*/, 'session: "another"')],
  ["a missing dependency", "dangling_dependency", waiting, (at) => edit(at, /depends_on: .*/, `depends_on: [${NONE}]`)],
  ["a missing parent", "dangling_parent", () => task(good.derived), (at) => edit(at, /(parent_task_id: ).*/, `$1"${NONE}"`)],
  ["a claim of no task", "dangling_claim", held, () => remove(task(good.held))],
  ["an artifact without its content", "dangling_artifact", () => `${good.artifact}/1.artifact.md`, () => remove(`${good.artifact}/1.md`)],
  ["an artifact of no task", "dangling_artifact", version, (at) => edit(at, /task_id: .*/, `task_id: "${NONE}"`)],
  ["a review of no artifact", "dangling_review", review, (at) => edit(at, /artifact_id: .*/, 'artifact_id: "artifact-000000000000-1"')],
  ["a result of no review", "dangling_review", result, () => remove(good.review)],
  ["a summary of a missing task", "dangling_summary", summary, (at) => sums(at, good.done, NONE)],
  ["a session that ended without a summary", "summary_missing", () => `sessions/${good.ended}/summary.md`, (at) => remove(at)],
  ["a summary without a heading that is asked for", "summary_heading", summary, (at) => edit(at, "## What was done", "## Otherwise")],
  ["a heading with nothing below it", "summary_empty", summary, (at) => write(at, `${text(at)}\n## Open ends\n\n<!-- what is\nleft -->\n`)],
  ["a summary that is too short", "summary_short", summary, (at) => edit(at, /# What happened[\s\S]*/, "## What was done\nI.\n")],
  ["a summary without a field", "summary_field", summary, (at) => edit(at, /^tasks:.*/m, 'by: "main"')],
  ["a summary that says done of what is not", "summary_untrue", summary, (at) => sums(at, good.done, good.held)],
  ["another status", "summary_untrue", summary, (at) => write(at, SUMMARY(`{ "${good.done}": done, "${good.held}": todo }`))],
  ["a summary that leaves out what is done", "summary_leaves_out", summary, (at) => write(at, SUMMARY("[]"))],
  ["a claim that nobody renewed", "claim_overdue", held, () => (hoursLater = 2)],
  ["a task in progress without a claim", "claim_missing", holder, () => remove(`sessions/${good.session}/claims/${good.held}`)],
  ["a task in progress whose claim was given back", "claim_missing", holder, () => edit(claim(good.held), '"claim"', '"release"')],
  ["a claim by a part that does not exist", "claim_by_nobody", held, (at) => edit(at, '"web"', '"ghost"')],
];

describe("faults in the folder that git does not record are found", () => {
  const places: [what: string, where: () => string][] = [
    ["a task", waiting],
    ["a review", review],
    ["a claim", held],
    ["the record of an artifact", version],
    ["a session", session],
    ["a summary", summary],
    ["a state", state],
    ["a thread", threadFile],
    ["a message", message],
    ["unread mail", () => good.unread],
    ["acked mail", () => good.files().find((name) => name.includes("/read/")) as string],
    ["a memory", memory],
    ["events", events],
    ["relay.yml", config],
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

/** Breaks every third of what can be broken, but for the file without which there is no home. */
function breakAll(group: number): void {
  for (const [, , where, breakIt] of BREAKS.filter(([, , where], n) => n % 3 === group && where() !== "relay.yml")) {
    try {
      breakIt(where());
    } catch {
      // What another has broken already is broken enough.
    }
  }
}

describe("exactly what is broken is found", () => {
  test.each(BREAKS)("%s", async (_what, code, where, breakIt) => {
    breakIt(where());
    const found = await findings();
    expect(found.map((finding) => [finding.code, finding.path])).toEqual([[code, where()]]);
    const [{ problem, found: there, expected }] = found as [Answer];
    expect(problem).toBe(`${FINDINGS[code].problem}: ${there}; expected ${expected}`);
  });

  test.each([0, 1, 2])("and in a commit the same, of all that is broken at once (%s)", async (group) => {
    breakAll(group);
    const found = await findings();
    expect(found.length).toBeGreaterThan(BREAKS.length / 6);
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
    // Requests to forget are in test/cli/forget.test.ts, branches that went on in test/board/commits.test.ts.
    elsewhere.push("open_request", "approval_behind");
    // What breaks a rule is in test/check/check-rules.test.ts.
    elsewhere.push("unlawful", "doubtful");
    // What git ignores is in test/sync/in-tree.test.ts.
    elsewhere.push("ignored_by_git");
    // What may not be read is in test/store/disk-errors.test.ts.
    elsewhere.push("not_readable");
    // What the history and the branch say is held to in test/hostile: guard.test.ts, history.test.ts and broken.test.ts.
    elsewhere.push("dangling_dispatch", "dangling_turn", "deleted_by_push", "changed_by_push", "history_cut", "not_laid_out");
    expect([...new Set([...BREAKS.map(([, code]) => code), ...elsewhere])].sort()).toEqual(Object.keys(FINDINGS).sort());
  });
});
