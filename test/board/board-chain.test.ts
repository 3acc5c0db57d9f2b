/** The chain of a task's claims where it is not as usual: ahead of its file, missing, broken, at its end; and artifacts in other folders. */
import fs from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { artifactFolderName } from "../../protocol/board/nouns/artifact.ts";
import { parseRemoteClaim } from "../../protocol/board/nouns/remote-claim.ts";
import { answer, operations } from "../../protocol/index.ts";
import { sha256 } from "../../protocol/store/digest.ts";
import type { Answer } from "../rig/clones.ts";
import { homeWith, worldAt } from "../rig/home.ts";

let folder: string;
const home = (...names: string[]): string => path.join(folder, ".relay", ...names);
const run = (part: string, name: keyof typeof operations, input: Record<string, unknown> = {}): Promise<Answer> =>
  answer(worldAt(folder, { part }), operations[name], input);
const task = async (input: Record<string, unknown> = {}): Promise<string> =>
  (await run("main", "create_task", { title: "Work", ...input })).task_id;
const fileOf = (id: string): string => home(`sessions/s-1/tasks/${id}.md`);
const recordOf = (id: string, fence: number): string => home(`sessions/s-1/claims/${id}/${fence}.md`);
const edit = (file: string, from: RegExp, to: string): void => fs.writeFileSync(file, fs.readFileSync(file, "utf8").replace(from, to));
/** A record as another program writes it. */
function record(id: string, fence: number, rest: string): void {
  fs.mkdirSync(path.dirname(recordOf(id, fence)), { recursive: true });
  const at = new Date(Date.now() - 20_000).toISOString();
  fs.writeFileSync(recordOf(id, fence), `---\ntask: "${id}"\nfence: ${fence}\nat: "${at}"\nnonce: "4c6z1x9v"\n${rest}\n---\n`);
}

beforeEach(async () => {
  folder = await homeWith("web", "api");
  await run("main", "start_session", { session_id: "s-1" });
});

test("a list shows who holds a task by its claims, before its file says so, and --ready leaves it out", async () => {
  const [held, free] = [await task(), await task()];
  record(held, 1, 'kind: "claim"\nagent: "web"\nlease_s: 3600');
  expect(await run("api", "get_all_tasks", { ready: true })).toMatchObject({ total: 1, tasks: [{ id: free }] });
  const { tasks } = await run("api", "get_all_tasks");
  expect(tasks.find(({ id }: Answer) => id === held)).toMatchObject({ status: "in_progress", assignee: "web" });
  expect(await run("api", "get_all_tasks", { status: "in_progress" })).toMatchObject({ total: 1 });
  expect(await run("api", "claim_task", { task_id: held })).toMatchObject({ claimed: false });
});

test("a dependency counts as done once its last record says so, before its file does", async () => {
  const first = await task();
  const then = await task({ depends_on: [first] });
  await run("web", "claim_task", { task_id: first });
  expect(await run("api", "claim_task", { task_id: then })).toMatchObject({ claimed: false, reason: `Unmet dependencies: ${first}` });
  record(first, 2, 'kind: "done"\nagent: "web"');
  expect(fs.readFileSync(fileOf(first), "utf8")).toContain('status: "in_progress"');
  expect(await run("api", "claim_task", { task_id: then })).toMatchObject({ claimed: true });
});

test("a dependency whose last record cannot be read is as its file says, and one that cannot be read at all is not done", async () => {
  const first = await task();
  const then = await task({ depends_on: [first] });
  const claim = () => run("api", "claim_task", { task_id: then });
  record(first, 1, 'kind: "done"\nagent: "web"');
  edit(recordOf(first, 1), /at: .*\n/, "");
  expect(await claim()).toMatchObject({ claimed: false, reason: `Unmet dependencies: ${first}` });
  edit(fileOf(first), /status: "todo"/, 'status: "done"');
  const whole = fs.readFileSync(fileOf(first), "utf8");
  fs.writeFileSync(fileOf(first), "broken\n");
  expect(await claim()).toMatchObject({ claimed: false, reason: `Unmet dependencies: ${first}` });
  fs.writeFileSync(fileOf(first), whole);
  expect(await claim()).toMatchObject({ claimed: true });
});

test("a dependency that was released, or opened again, is not done, whatever its file still says", async () => {
  const [released, opened] = [await task(), await task()];
  const then = await task({ depends_on: [released, opened] });
  const claim = () => run("api", "claim_task", { task_id: then });
  for (const id of [released, opened]) {
    await run("web", "claim_task", { task_id: id });
    await run("web", "update_task", { task_id: id, status: "done" });
  }
  const done = fs.readFileSync(fileOf(opened), "utf8");
  await run("main", "update_task", { task_id: opened, status: "in_progress" });
  expect(await claim()).toMatchObject({ claimed: false, reason: `Unmet dependencies: ${opened}` });
  // Killed after its record, before its file.
  fs.writeFileSync(fileOf(opened), done);
  record(released, 3, 'kind: "release"\nagent: "web"');
  expect(await claim()).toMatchObject({ claimed: false, reason: `Unmet dependencies: ${released}, ${opened}` });
  for (const id of [released, opened]) record(id, 4, 'kind: "done"\nagent: "web"');
  expect(await claim()).toMatchObject({ claimed: true });
});

test.each([
  ["no record", ""],
  ["a number that no record has", "fence: 7\n"],
])("a task in progress without a holder (%s) can be claimed by its assignee", async (_, fence) => {
  const id = await task({ assignee: "web" });
  edit(fileOf(id), /status: "todo"/, `status: "in_progress"`);
  edit(fileOf(id), /\n---\n/, `\n${fence}---\n`);
  expect(await run("api", "claim_task", { task_id: id })).toMatchObject({ claimed: false, reason: expect.stringContaining("web") });
  expect(await run("api", "get_all_tasks", { ready: true })).toMatchObject({ total: 0 });
  expect(await run("web", "get_all_tasks", { ready: true })).toMatchObject({ total: 1 });
  const number = fence === "" ? 1 : 8;
  expect(await run("web", "claim_task", { task_id: id })).toMatchObject({ claimed: true, fence: number });
  expect(await run("web", "update_task", { task_id: id, status: "done", fence: number })).toMatchObject({ success: true });
});

test("saying that such a task is in progress takes a record", async () => {
  const id = await task({ assignee: "web" });
  edit(fileOf(id), /status: "todo"/, `status: "in_progress"`);
  expect(await run("web", "update_task", { task_id: id, status: "in_progress" })).toMatchObject({ success: true, fence: 1 });
  expect(fs.existsSync(recordOf(id, 1))).toBe(true);
  expect(await run("main", "show_task", { task_id: id })).toMatchObject({ claim: { agent: "web", state: "held" } });
  const listed = (await run("main", "get_all_tasks", { claims: true }))["tasks"] as { id: string; claim?: unknown }[];
  expect(listed.find((each) => each.id === id)?.claim).toEqual((await run("main", "show_task", { task_id: id }))["claim"]);
  const [blocker, waiting] = [await task(), await task({ assignee: "web" })];
  expect(listed.filter(({ claim }) => claim !== undefined)).toHaveLength(1);
  edit(fileOf(waiting), /status: "todo"/, `status: "in_progress"\ndepends_on: ["${blocker}"]`);
  expect(await run("web", "update_task", { task_id: waiting, status: "in_progress" })).toMatchObject({ code: "not_claimed" });
});

test("a task that a person puts back to todo by hand, without an assignee, is free", async () => {
  const id = await task();
  await run("web", "claim_task", { task_id: id });
  edit(fileOf(id), /status: "in_progress"/, 'status: "todo"');
  edit(fileOf(id), /assignee: "web"\n/, "");
  expect(await run("api", "claim_task", { task_id: id })).toMatchObject({ claimed: true, fence: 2 });
  expect(await run("web", "update_task", { task_id: id, status: "done", fence: 1 })).toMatchObject({ code: "not_your_task" });
});

const whole = (task: string, fence: number | string): string =>
  `---\ntask: ${task}\nfence: ${fence}\nkind: claim\nagent: api\nat: "2026-01-31T09:30:00.000Z"\nnonce: "4c6z1x9v"\n---\n`;
describe.each<[string, string | Uint8Array | ((task: string, fence: number) => string)]>([
  ["empty", ""],
  ["white space", " \n\n"],
  ["no record", "?"],
  ["a header without fields", "---\n---\n"],
  ["not UTF-8", Buffer.from([0xff])],
  ["UTF-16", Buffer.from("\ufeff---\n", "utf16le")],
  ["cut short", "---\ntask: "],
  ["of carriage returns", (task, fence) => whole(task, fence).replaceAll("\n", "\r")],
  ["followed by NUL", (task, fence) => `${whole(task, fence)}\0`],
  ["code", (task, fence) => whole(task, fence).replace("---", "---js")],
  ["of another task", (_task, fence) => whole("task-0000000000", fence)],
  ["of the next number", (task, fence) => whole(task, fence + 1)],
  ["numbered in words", (task, fence) => whole(task, `"${fence}"`)],
  ["of an unknown kind", (task, fence) => whole(task, fence).replace("claim", "steal")],
  ["of no time", (task, fence) => whole(task, fence).replace("2026", "never")],
  ["of a lease below zero", (task, fence) => whole(task, fence).replace("kind", "lease_s: -1\nkind")],
  ["of two kinds", (task, fence) => whole(task, fence).replace("kind", "kind: release\nkind")],
])("a last record that is %s says nothing", (_, given) => {
  const text = typeof given === "function" ? given("task-0000000000", 0) : given;
  const broken = (id: string): { path: string } => {
    const fence = fs.readdirSync(path.dirname(recordOf(id, 1))).length + 1;
    fs.writeFileSync(recordOf(id, fence), typeof given === "function" ? given(id, fence) : given);
    return { path: `sessions/s-1/claims/${id}/${fence}.md` };
  };

  test("the last that can be read says who holds the task; claim, release and done go on, and it is told", async () => {
    const id = await task();
    const problem = broken(id);
    expect(await run("web", "claim_task", { task_id: id })).toMatchObject({ claimed: true, fence: 2 });
    broken(id);
    expect(await run("api", "claim_task", { task_id: id })).toMatchObject({ claimed: false });
    const problems = [{ path: `sessions/s-1/claims/${id}/3.md` }];
    expect(await run("api", "get_all_tasks")).toMatchObject({ problems });
    expect(await run("api", "show_task", { task_id: id })).toMatchObject({ claim: { agent: "web", state: "held" }, problems });
    expect(await run("api", "status")).toMatchObject({ problems });
    expect(await run("web", "release_task", { task_id: id })).toMatchObject({ success: true });
    broken(id);
    expect(await run("api", "claim_task", { task_id: id })).toMatchObject({ claimed: true, fence: 6 });
    broken(id);
    expect(await run("api", "update_task", { task_id: id, status: "done", fence: 6 })).toMatchObject({ success: true });
    expect(await run("main", "show_task", { task_id: id })).toMatchObject({ task: { status: "done" } });
    expect(fs.existsSync(recordOf(id, 8))).toBe(true);
    // Below the last one they are said, and keep no home from being well.
    const { findings, warnings } = await run("main", "check");
    expect(findings).toEqual([]);
    expect(warnings).toContainEqual(expect.objectContaining({ code: "malformed", ...problem }));
  });

  test("doctor names it, and --fix keeps it beside: who held the task goes on", async () => {
    const id = await task();
    await run("web", "claim_task", { task_id: id });
    const problem = broken(id);
    expect((await run("main", "doctor"))["findings"]).toContainEqual(
      expect.objectContaining({ code: "malformed", ...problem, fixable: true }),
    );
    await run("main", "doctor", { fix: true });
    expect(await run("main", "check")).toMatchObject({ ok: true, findings: [] });
    expect(await run("web", "update_task", { task_id: id, status: "in_review", fence: 1 })).toMatchObject({ success: true });
    expect(await run("web", "update_task", { task_id: id, status: "done", fence: 1 })).toMatchObject({ success: true });
  });

  test("a broken result does not count, and the reviewer answers", async () => {
    const { artifact_id } = await run("web", "post_artifact", { name: "Plan", type: "design", content: "x" });
    const { review_id } = await run("web", "request_review", { artifact_id, reviewer: "api" });
    const at = home(`sessions/s-1/reviews/${review_id}.result.md`);
    fs.writeFileSync(at, text);
    expect((await run("main", "doctor"))["findings"]).toContainEqual(expect.objectContaining({ code: "malformed", fixable: true }));
    expect(await run("api", "submit_review", { review_id, status: "approved" })).toMatchObject({ success: true });
    expect(await run("main", "check")).toMatchObject({ ok: true, findings: [] });
  });
});

test.each(["2026-01-31T09:30:00.000Z", "+275760-09-13T00:00:00.000Z"])("a claim of %s with a lease that no call asks for", async (at) => {
  const id = await task();
  record(id, 1, 'kind: "claim"\nagent: "api"\nlease_s: 9000000000000000');
  edit(recordOf(id, 1), /at: .*/, `at: "${at}"`);
  expect(await run("web", "show_task", { task_id: id })).toMatchObject({ claim: { agent: "api", until: expect.stringMatching(/Z$/) } });
  expect(await run("web", "claim_task", { task_id: id })).toMatchObject({ claimed: false, reason: expect.stringContaining("held by api") });
  expect(await run("main", "release_task", { task_id: id, reason: "too long" })).toMatchObject({ success: true });
});

test.each(['""', "null", '" "'])("a task with the assignee %s is free for each part", async (assignee) => {
  const id = await task({ assignee: "web" });
  edit(fileOf(id), /assignee: "web"/, `assignee: ${assignee}`);
  expect(await run("api", "get_all_tasks", { ready: true })).toMatchObject({ tasks: [{ id, assignee: null }] });
  expect(await run("api", "claim_task", { task_id: id })).toMatchObject({ claimed: true });
});

test("a broken record that is not the last blocks no claim", async () => {
  const id = await task();
  await run("web", "claim_task", { task_id: id });
  await run("web", "release_task", { task_id: id });
  fs.writeFileSync(recordOf(id, 1), "broken\n");
  expect(await run("api", "claim_task", { task_id: id })).toMatchObject({ claimed: true, fence: 3 });
});

test.each([
  ["of its records", (id: string) => record(id, 99_999_999, 'kind: "release"\nagent: "web"')],
  ["of its file", (id: string) => edit(fileOf(id), /\n---\n/, "\nfence: 99999999\n---\n")],
])("at the end of the numbers (%s) a task takes no more records: refused, and nothing is written", async (_, make) => {
  const id = await task();
  make(id);
  for (const [name, input] of [
    ["claim_task", {}],
    ["update_task", { status: "done" }],
    ["update_task", { status: "in_progress" }],
  ] as const) {
    expect(await run("web", name, { task_id: id, ...input })).toMatchObject({ code: "claims_full" });
  }
  expect(fs.existsSync(recordOf(id, 100_000_000))).toBe(false);
  expect(await run("web", "show_task", { task_id: id })).toMatchObject({ task: { status: "todo" } });
  expect(fs.existsSync(home("local/intents")) ? fs.readdirSync(home("local/intents")) : []).toEqual([]);
});

test("records past the end of the numbers are no records, of files or of refs", async () => {
  const id = await task();
  record(id, 100_000_000, 'kind: "claim"\nagent: "api"');
  expect(await run("web", "claim_task", { task_id: id })).toMatchObject({ claimed: true, fence: 1 });
  const ref = (fence: number): string =>
    `---\ntask: "${id}"\nfence: ${fence}\nkind: "claim"\nagent: "api"\nat: "2026-01-31T09:41:00.000Z"\nnonce: "4c6z1x9v"\n---\n`;
  for (const fence of [100_000_000, 0, -1, 1.5, 1e300]) expect(parseRemoteClaim(ref(fence), id)).toBeNull();
  expect(parseRemoteClaim(ref(99_999_999), id)).not.toBeNull();
});

test("an artifact is known by the hash of its name, whatever its folder is called", async () => {
  const hash = sha256("checkout").slice(0, 12);
  await run("web", "post_artifact", { name: "checkout", type: "design", content: "one" });
  const folders = home("sessions/s-1/artifacts");
  fs.renameSync(path.join(folders, artifactFolderName("checkout", hash)), path.join(folders, `other-${hash}`));
  expect(await run("web", "get_artifact", { name: "checkout" })).toMatchObject({ artifact: { version: 1, content: "one" } });
  expect(await run("web", "post_artifact", { name: "checkout", type: "design", content: "two" })).toMatchObject({ version: 2 });
  expect(fs.readdirSync(folders)).toEqual([`other-${hash}`]);
  // Two programs that call it differently.
  const [other, own] = [path.join(folders, `other-${hash}`), path.join(folders, artifactFolderName("checkout", hash))];
  fs.mkdirSync(own);
  for (const name of ["1.artifact.md", "1.md"]) fs.renameSync(path.join(other, name), path.join(own, name));
  expect(await run("web", "get_artifact", { name: "checkout" })).toMatchObject({ artifact: { version: 2, content: "two" } });
  expect(await run("web", "get_artifact", { name: "checkout", version: 1 })).toMatchObject({ artifact: { content: "one" } });
  expect(await run("web", "post_artifact", { name: "checkout", type: "design", content: "three" })).toMatchObject({ version: 3 });
  expect(await run("web", "list_artifacts")).toMatchObject({ artifacts: [{ version: 3 }] });
  expect(await run("main", "check")).toMatchObject({ findings: [] });
});

test("a folder beside that of an artifact, or the content of its next version, changes none of its versions", async () => {
  const hash = sha256("checkout").slice(0, 12);
  await run("web", "post_artifact", { name: "checkout", type: "design", content: "one" });
  const [own, laid] = [home("sessions/s-1/artifacts", artifactFolderName("checkout", hash)), home(`sessions/s-1/artifacts/aaa-${hash}`)];
  fs.cpSync(own, laid, { recursive: true });
  for (const at of [path.join(laid, "1.md"), path.join(own, "2.md")]) fs.writeFileSync(at, "laid");
  const get = (input = {}) => run("web", "get_artifact", { name: "checkout", ...input });
  expect(await get()).toMatchObject({ artifact: { version: 1, content: "one" } });
  expect(await run("web", "post_artifact", { name: "checkout", type: "design", content: "two" })).toMatchObject({ version: 3 });
  expect(await get()).toMatchObject({ artifact: { version: 3, content: "two" } });
  expect(await get({ version: 1 })).toMatchObject({ artifact: { content: "one" } });
});

test("at the end of its numbers an artifact takes no more versions", async () => {
  await run("web", "post_artifact", { name: "checkout", type: "design", content: "one" });
  const place = home("sessions/s-1/artifacts", artifactFolderName("checkout", sha256("checkout").slice(0, 12)));
  fs.writeFileSync(path.join(place, "9999999.artifact.md"), fs.readFileSync(path.join(place, "1.artifact.md")));
  expect(await run("web", "post_artifact", { name: "checkout", type: "design", content: "two" })).toMatchObject({ code: "versions_full" });
  expect(fs.readdirSync(place).filter((name) => name.startsWith("."))).toEqual([]);
});
