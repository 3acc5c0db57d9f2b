/** What is collected of agents' records: each call once, of this project alone, and nothing of what nobody can read. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { operations, perform, type World } from "../../protocol/index.ts";
import { collectOfficeTurn } from "../../protocol/internal.ts";
import { git, relay, repository, scratch, worldAt } from "../rig/rig.ts";

const OUTPUT = 50;
/** A line of a record of Claude Code. */
const call = (id: string, cwd: string, output = OUTPUT, more: Record<string, unknown> = {}): string =>
  `${JSON.stringify({
    type: "assistant",
    timestamp: "2026-01-31T09:30:00.000Z",
    sessionId: "s",
    cwd,
    message: { id, model: "claude-opus-4-5", usage: { input_tokens: 10, output_tokens: output, ...more } },
  })}\n`;

/** A project whose user has records of Claude Code. */
async function project(): Promise<{ code: string; user: string; world: World; recordsOf(folder: string): string }> {
  const code = repository();
  const user = scratch();
  const world = worldAt(code, { env: { HOME: user } });
  await perform(world, operations.init, { parts: ["web"] });
  const recordsOf = (folder: string): string => {
    const at = path.join(user, ".claude/projects", folder.replace(/[^A-Za-z0-9]/g, "-"));
    fs.mkdirSync(at, { recursive: true });
    return at;
  };
  return { code, user, world, recordsOf };
}

const collect = (world: World) => perform(world, operations.usage_collect, {});
const total = async (world: World) => (await perform(world, operations.usage, { by: "day" })).total;

test("a record that grows is read on, and one that was cut or replaced from its beginning: each call counts once", async () => {
  const { code, world, recordsOf } = await project();
  const file = path.join(recordsOf(code), "a.jsonl");
  const [first, second] = [call("1", code), call("2", code)];
  fs.writeFileSync(file, first + second.slice(0, 40));
  expect(await collect(world)).toMatchObject({ records: 1, calls: 1 });
  fs.writeFileSync(file, first + second);
  expect(await collect(world)).toMatchObject({ calls: 1 });
  expect(await collect(world)).toMatchObject({ calls: 0 });
  expect(await total(world)).toMatchObject({ calls: 2, input: 20, output: 2 * OUTPUT });
  // Another file has the name now, which is longer than what was read.
  fs.writeFileSync(file, call("3", code) + first + second + call("4", code));
  expect((await collect(world)).calls).toBe(4);
  fs.writeFileSync(file, first);
  await collect(world);
  expect(await total(world)).toMatchObject({ calls: 4, output: 4 * OUTPUT });
});

test("a call that is written while it goes on counts as it was at its end, and a copy without tokens takes none away", async () => {
  const { code, world, recordsOf } = await project();
  const file = path.join(recordsOf(code), "a.jsonl");
  fs.writeFileSync(file, call("1", code, 1));
  await collect(world);
  fs.appendFileSync(file, call("1", code, 77) + call("1", code, 0, { input_tokens: 0 }));
  await collect(world);
  expect(await total(world)).toMatchObject({ calls: 1, input: 10, output: 77 });
});

test("records of other projects are not read, also where their folder's name begins alike, or is the same", async () => {
  const { code, world, recordsOf } = await project();
  const other = `${code}-b`;
  // The name of a record's folder has a dash for each sign, so that two paths can have one.
  const twin = path.join(path.dirname(code), "code", "b").replace("/b", "-b");
  for (const [folder, cwd] of [
    [other, other],
    [`${code}/b`, twin],
  ] as const)
    fs.writeFileSync(path.join(recordsOf(folder), "x.jsonl"), call("x", cwd));
  fs.writeFileSync(path.join(recordsOf(code), "a.jsonl"), call("1", code));
  fs.writeFileSync(path.join(recordsOf(`${code}/src`), "b.jsonl"), call("2", `${code}/src`));
  expect(await collect(world)).toMatchObject({ records: 2, calls: 2 });
});

test("a call belongs to the part of its worktree, and to the one task that this part holds", async () => {
  const { code, user, world, recordsOf } = await project();
  const beside = path.join(path.dirname(code), "beside");
  git(code, "worktree", "add", "--quiet", beside);
  await perform(worldAt(beside), operations.part_here, { part: "web" });
  const web = worldAt(beside, { env: { HOME: user } });
  await perform(web, operations.start_session, { session_id: "s-1" });
  const task = await perform(web, operations.create_task, { title: "Do it" });
  await perform(web, operations.claim_task, { task_id: task.task_id });
  fs.writeFileSync(path.join(recordsOf(code), "a.jsonl"), call("1", code));
  fs.writeFileSync(path.join(recordsOf(beside), "b.jsonl"), call("2", beside));
  await collect(world);
  const by = async (what: "part" | "task" | "session") => (await perform(world, operations.usage, { by: what })).rows.map(({ key }) => key);
  expect(await by("part")).toEqual(["", "web"]);
  expect(await by("task")).toEqual(["", task.task_id]);
  expect(await by("session")).toEqual(["", "s-1"]);

  // What it held before does not count any more, and of two tasks none.
  await perform(web, operations.release_task, { task_id: task.task_id });
  const [second, third] = [
    await perform(web, operations.create_task, { title: "Do that" }),
    await perform(web, operations.create_task, { title: "Do more" }),
  ];
  await perform(web, operations.claim_task, { task_id: second.task_id });
  fs.writeFileSync(path.join(recordsOf(beside), "c.jsonl"), call("3", beside));
  await collect(world);
  expect(await by("task")).toEqual(["", task.task_id, second.task_id].sort());
  await perform(web, operations.claim_task, { task_id: third.task_id });
  fs.writeFileSync(path.join(recordsOf(beside), "d.jsonl"), call("4", beside));
  await collect(world);
  expect((await perform(world, operations.usage, { by: "task" })).rows.map(({ key, calls }) => [key, calls])).toEqual([
    ["", 2],
    ...[task.task_id, second.task_id].sort().map((key) => [key, 1]),
  ]);
});

test("a turn of the office is its dispatch's, also where a hook read it before, and each call counts once", async () => {
  const { code, user, world, recordsOf } = await project();
  const session = "0b9e1c52-0000-4000-8000-000000000001";
  const file = path.join(recordsOf(code), `${session}.jsonl`);
  fs.writeFileSync(file, call("1", code));
  await collect(world);
  const turn = { agent: "claude", session, cwd: code, env: { HOME: user }, dispatch: "t-20260131-abc", part: "backend" } as const;
  expect(collectOfficeTurn(world, turn)).toBe(1);
  fs.appendFileSync(file, call("2", code));
  expect(collectOfficeTurn(world, turn)).toBe(1);
  await collect(world);
  for (const by of ["dispatch", "part"] as const)
    expect((await perform(world, operations.usage, { by })).rows).toMatchObject([
      { key: by === "part" ? "backend" : turn.dispatch, calls: 2 },
    ]);
  expect(collectOfficeTurn(world, { ...turn, session: "../../x" })).toBeNull();
});

test("a line that nobody can read is named, and the others count", async () => {
  const { code, world, recordsOf } = await project();
  fs.writeFileSync(path.join(recordsOf(code), "a.jsonl"), call("1", code));
  await collect(world);
  const folder = path.join(code, ".relay/usage/2026-01");
  const own = fs.readFileSync(path.join(folder, fs.readdirSync(folder)[0] as string), "utf8");
  // Another clone read the same record, and more.
  const theirs = own.replace("claude:1", "claude:2");
  fs.writeFileSync(path.join(folder, "zzzzzzzz.jsonl"), `${own}{"id":1}\n${theirs}not a line\n`);
  const { total: sum, broken } = await perform(world, operations.usage, { by: "day" });
  expect(sum).toMatchObject({ calls: 2, output: 2 * OUTPUT });
  expect(broken).toEqual([
    { path: "usage/2026-01/zzzzzzzz.jsonl", line: 2, problem: 'the line has no text "id"' },
    { path: "usage/2026-01/zzzzzzzz.jsonl", line: 4, problem: "the line is not a JSON object" },
  ]);
});

test("no text, and no path of the machine, is kept", async () => {
  const { code, world, recordsOf } = await project();
  const secret = { ...JSON.parse(call("1", code)), toolUseResult: "TEXT" };
  secret.message.content = [{ type: "text", text: "TEXT" }];
  fs.writeFileSync(path.join(recordsOf(code), "a.jsonl"), `${JSON.stringify(secret)}\n`);
  await collect(world);
  const folder = path.join(code, ".relay/usage/2026-01");
  const kept = fs.readFileSync(path.join(folder, fs.readdirSync(folder)[0] as string), "utf8");
  expect(kept).not.toContain("TEXT");
  expect(kept).not.toContain(path.dirname(code));
});

test("the table is printed for people, and as CSV", async () => {
  const { code, world, recordsOf } = await project();
  fs.writeFileSync(path.join(recordsOf(code), "a.jsonl"), call("1", code) + call("2", code).replace("claude-opus-4-5", "a,b"));
  await collect(world);
  const { stdout: table } = await relay(code, ["usage", "--by", "model"]);
  expect(table).toContain("claude-opus-4-5");
  expect(table).toContain("No price is known of: a,b.");
  const { stdout: csv } = await relay(code, ["usage", "--by", "model", "--csv"]);
  expect(csv.split("\n").slice(0, 2)).toEqual([
    "model,calls,input,cached,written,written1h,output,reasoning,usd,unknown",
    '"a,b",1,10,0,0,0,50,0,0,1',
  ]);
});
