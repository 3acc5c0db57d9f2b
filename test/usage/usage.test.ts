/** What is collected of agents' records: each call once, of this project alone, and nothing of what nobody can read. */
import fs from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { plainStyleFor } from "../../cli/print/style.ts";
import { printUsage } from "../../cli/print/usage/print-usage.ts";
import { claimPath, formatClaim } from "../../protocol/board/nouns/claim.ts";
import { eventId, eventPath } from "../../protocol/core/event/event.ts";
import { hashTail } from "../../protocol/core/format/id.ts";
import type { Repository } from "../../protocol/git/git-run.ts";
import { findRepository } from "../../protocol/git/home/repository.ts";
import { operations, perform, type World } from "../../protocol/index.ts";
import { sha256 } from "../../protocol/store/digest.ts";
import { recordedStore, storeAt } from "../../protocol/store/root.ts";
import { notePush } from "../../protocol/sync/sync/push-effects.ts";
import { noteBrought } from "../../protocol/trust/files/note-origins.ts";
import { stoppedByBudget } from "../../protocol/usage/files/budget.ts";
import { collectOfficeTurn, collectTurn } from "../../protocol/usage/files/collect-turn.ts";
import { type FileSums, fileSums } from "../../protocol/usage/files/file-sums.ts";
import { readRestOfDay, readSums } from "../../protocol/usage/files/read-usage.ts";
import { placesToCompare } from "../../protocol/usage/files/shared-places.ts";
import { eventUsage } from "../../protocol/usage/nouns/event-usage.ts";
import { parsePrices } from "../../protocol/usage/nouns/prices.ts";
import { settle, worldAt } from "../rig/home.ts";
import { relay } from "../rig/processes.ts";
import { git, put, repository, scratch } from "../rig/scratch.ts";

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
  fs.writeFileSync(file, (first + second).trimEnd());
  expect(await collect(world)).toMatchObject({ calls: 1 });
  expect(await collect(world)).toMatchObject({ calls: 0 });
  expect(await total(world)).toMatchObject({ calls: 2, input: 20, output: 2 * OUTPUT });
  // Another file has the name now, which is longer than what was read.
  const timed = (id: string, time: string): string => call(id, code).replace(/(?<="timestamp":")[^"]*/, time);
  fs.writeFileSync(file, timed("3", "2026-01-31T11:30:00+02:00") + first + second + timed("4", "noon"));
  expect((await collect(world)).calls).toBe(4);
  fs.writeFileSync(file, first);
  await collect(world);
  expect(await total(world)).toMatchObject({ calls: 4, output: 4 * OUTPUT });
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

test("subagents at any depth count, and former worktrees of parts; a record that is not where its hook said is found, or named", async () => {
  const { code, user, world, recordsOf } = await project();
  const former = path.join(path.dirname(code), "former");
  git(code, "worktree", "add", "--quiet", former);
  await perform(worldAt(former, { env: world.env }), operations.part_here, { part: "web" });
  const records = recordsOf(former);
  put(path.join(records, "aaaa0000.jsonl"), call("1", former));
  for (const [at, name] of ["one", "workflows/wf-1/two"].entries())
    put(path.join(records, `aaaa0000/subagents/${name}.jsonl`), call(`${at + 2}`, former));
  git(code, "worktree", "remove", former);
  expect(await collect(world)).toMatchObject({ records: 3, calls: 3, skipped: [] });
  expect((await perform(world, operations.usage, { by: "part" })).rows).toMatchObject([{ key: "web", calls: 3 }]);
  put(path.join(recordsOf(path.join(user, "elsewhere")), "bbbb0000.jsonl"), call("4", code));
  for (const session of ["bbbb0000", "cccc0000"]) collectTurn(world, "claude", path.join(user, `${session}.jsonl`), session);
  expect(await total(world)).toMatchObject({ calls: 4 });
  const lost = path.join(user, "cccc0000.jsonl");
  expect((await perform(world, operations.usage, {})).warning).toMatch(new RegExp(`not where a hook said: ${lost}$`));
  expect((await collect(world)).skipped).toEqual([{ agent: "claude", file: lost }]);
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
  // The one session that has not ended.
  expect(await by("session")).toEqual(["s-1"]);

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

  // A task that another clone handed over to the part is known once a sync has brought the claim.
  for (const { task_id } of [second, third]) await perform(web, operations.release_task, { task_id });
  const fourth = (await perform(web, operations.create_task, { title: "Do the rest" })).task_id;
  await perform(web, operations.record, {});
  await collect(world);
  const home = path.join(code, ".relay");
  const commit = (): string => git(home, "rev-parse", "HEAD").trim();
  const [from, at] = [commit(), claimPath("s-1", fourth, 1)];
  const record = { task: fourth, fence: 1, kind: "claim" as const, agent: "web", by: "api", at: new Date().toISOString(), nonce: "n" };
  put(path.join(home, at), formatClaim(record));
  await perform(web, operations.record, {});
  const change = { path: at, before: null, after: git(home, "rev-parse", `HEAD:${at}`).trim(), mode: "100644" };
  await notePush(web, findRepository(web) as Repository, { from, to: commit(), changes: [change], isOwn: false }, commit);
  fs.writeFileSync(path.join(recordsOf(beside), "e.jsonl"), call("5", beside));
  await collect(world);
  expect(await by("task")).toContain(fourth);
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

test("an unreadable line is named, and the others count", async () => {
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
  const { findings } = await perform(world, operations.check, {});
  expect(findings.map(({ code, path: at, line }) => [code, at, line])).toEqual(broken.map(({ path: at, line }) => ["malformed", at, line]));
});

test("no push changes what a call of this clone counts as, in whatever file and month, also from an instant on", async () => {
  const { code, world } = await project();
  await perform(world, operations.event, { agent_id: "web", type: "usage", model: "claude-opus-4-5", input: 1_000, output: 100 });
  const usage = path.join(code, ".relay/usage");
  const [month] = fs.readdirSync(usage) as [string];
  const [own] = fs.readdirSync(path.join(usage, month)) as [string];
  const line = fs.readFileSync(path.join(usage, month, own), "utf8");
  const at = (JSON.parse(line) as { at: string }).at;
  const since = `${at.slice(0, 10)}T00:00:00Z`;
  const big = line.replace('"input":1000', '"input":900000000');
  const other = big.replace(/"id":"[^"]*"/, '"id":"claude:forged"');
  const wrongMonth = expect.stringContaining('"at" is not in 2020-01');
  const pushes: [path: string, text: string, problem: unknown, calls?: number][] = [
    [`${month}/zzzzzzzz.jsonl`, big, expect.stringContaining("more tokens")],
    [`2020-01/${own}`, big, wrongMonth],
    [`2020-01/${own}`, big.replace(at, "2020-01-31T09:30:00.000Z"), expect.stringContaining("more tokens")],
    [`${month}/${own}`, line + big, expect.stringContaining("more tokens")],
    [`${month}/${own}`, big, expect.stringContaining("more tokens")],
    ["2020-01/zzzzzzzz.jsonl", other, wrongMonth],
    [`${month}/${own}`, line + other, expect.stringContaining("did not collect"), 2],
  ];
  for (const [file, text, problem, calls = 1] of pushes) {
    put(path.join(usage, file), text);
    const all = await perform(world, operations.usage, {});
    expect(all.broken, text).toMatchObject([{ path: `usage/${file}`, problem }]);
    expect(all.total.calls).toBe(calls);
    if (calls === 1) {
      expect([all.total.input, (await perform(world, operations.usage, { since })).total.input], text).toEqual([1_000, 1_000]);
      expect(all.total.usd).toBe(0.0075);
    }
    fs.rmSync(path.join(usage, file));
    fs.writeFileSync(path.join(usage, month, own), line);
  }
});

const TARIFF = { sign: "x", dayOf: (at: string) => at.slice(0, 10), costOf: () => null };

test("of one id a hundred lines of a file count, read at once or one after the other", () => {
  const [root, told]: [string, number[]] = [scratch(), []];
  const same = "usage/2026-01/bbbbbbbb.jsonl";
  const lines = (count: number, id: string): string =>
    Array.from(
      { length: count },
      (_, input) => `{"id":"claude:${id}","at":"2026-01-31T09:30:00.000Z","agent":"claude","input":${input}}\n`,
    ).join("");
  const append = (text: string): FileSums => {
    fs.mkdirSync(path.join(root, path.dirname(same)), { recursive: true });
    fs.appendFileSync(path.join(root, same), text);
    return fileSums(storeAt(root), same, TARIFF, (count) => told.push(count)) as FileSums;
  };
  expect(append(lines(70, "same")).broken).toEqual([]);
  const grown = append(lines(50, "same") + lines(2, "other"));
  const problem = "the file has 100 lines of the same id before this one";
  expect(grown.broken.map((each) => [each.line, each.problem])).toEqual(Array.from({ length: 20 }, (_, at) => [101 + at, problem]));
  fs.rmSync(path.join(root, "run"), { recursive: true });
  const anew = append("");
  expect([anew.broken, anew.places(), [...anew.cells]]).toEqual([grown.broken, grown.places(), [...grown.cells]]);
  expect([...anew.cells]).toMatchObject([{ calls: 2, input: 69 + 1 }]);
  // A file of which a part is read, and then the rest, adds up to the same.
  const whole = append(Array.from({ length: 20_001 }, (_, at) => lines(1, `n${at}`)).join(""));
  expect([told, ...[whole, append("")].map(({ cells }) => [...cells][0]?.calls)]).toEqual([[20_000], 20_003, 20_003]);
  fs.rmSync(path.join(root, "run"), { recursive: true });
  expect(fileSums(storeAt(root), same, TARIFF, undefined, { bytes: 99_999, cells: 9 })).toMatchObject({ bytes: 99_999 });
  const rest = append("");
  expect([rest.broken, rest.places(), [...rest.cells]]).toEqual([whole.broken, whole.places(), [...whole.cells]]);
});

test("of others' files too many lines to compare are not compared: the file does not count", () => {
  const file = (path: string, length: number): FileSums =>
    ({ path, places: () => Float64Array.from({ length: 2 * length }, (_, at) => (at % 2 === 0 ? at : 0)) }) as FileSums;
  const files = [file("small", 10), file("own", 300_000), file("large", 300_000), file("repeats", 300_000)];
  const { places, passed } = placesToCompare(storeAt(scratch()), files, [], ({ path }) => path === "own");
  expect([places.length, places[0]?.length, passed.map(({ path }) => path)]).toEqual([300_000, 3, ["repeats"]]);
});

test("of an earlier record the clone's own lines of then stand, a large file counts, and what is too large or too much is named", () => {
  const line = (input: number): Buffer => Buffer.from(`{"id":"claude:1","at":"2026-01-31T09:30:00Z","agent":"claude","input":${input}}\n`);
  const files = new Map([
    ["aaaaaaaa.jsonl", { size: 100 * 1_048_576, bytes: line(1) }],
    ["bbbbbbbb.jsonl", { size: line(9).length, bytes: line(9) }],
    ["cccccccc.jsonl", { size: 300 * 1_048_576, bytes: line(9) }],
    ["dddddddd.jsonl", { size: 70 * 1_048_576, bytes: line(1) }],
    ["eeeeeeee.jsonl", { size: 999 * 1_048_576, bytes: line(9) }],
  ]);
  const fileAt = (at: string) => files.get(path.basename(at));
  const recorded = {
    inPlaceOf: () => null,
    names: (at: string) => ({ usage: ["2026-01"], "usage/2026-01": [...files.keys()] })[at] ?? [],
    facts: (at: string) => (fileAt(at) === undefined ? null : { kind: "file", size: fileAt(at)?.size, inode: 1, modifiedMs: 0 }),
    bytes: (at: string, limit: number) => ((fileAt(at)?.size ?? Number.POSITIVE_INFINITY) > limit ? null : (fileAt(at)?.bytes ?? null)),
  };
  const store = recordedStore(scratch(), recorded as unknown as Parameters<typeof recordedStore>[1]);
  const world = { home: () => ({ store }), past: { clone: "aaaaaaaa" } } as unknown as World;
  const { cells, broken, counted } = readSums(world, TARIFF);
  const of = (count: "calls" | "input") => cells.flatMap((each) => [...each]).reduce((sum, cell) => sum + cell[count], 0);
  expect([of("calls"), of("input")]).toEqual([1, 1]);
  const beyond = { path: "usage/2026-01/ffffffff.jsonl", bytes: 50_331_648 };
  const late = readRestOfDay(world, Date.parse("2026-01-31T09:00:00Z"), TARIFF, [...counted, beyond]);
  expect(late.broken).toMatchObject([{ path: beyond.path, problem: expect.stringContaining("have more than 48 MB") }]);
  expect(broken).toMatchObject([
    { path: "usage/2026-01/dddddddd.jsonl", problem: expect.stringMatching(/^\d+\.\d MB of it are not counted yet/) },
    { path: "usage/2026-01/eeeeeeee.jsonl", problem: expect.stringContaining("its calls are not counted") },
    { path: "usage/2026-01/cccccccc.jsonl", problem: expect.stringContaining("at most 268435456 bytes") },
    { path: "usage/2026-01/bbbbbbbb.jsonl", problem: expect.stringContaining("more tokens") },
  ]);
});

test("an instant begins in the middle of its day, and a day with the reader's", async () => {
  const { code, world } = await project();
  const folder = path.join(code, ".relay/usage/2026-01");
  fs.mkdirSync(folder, { recursive: true });
  const at = ["2026-01-30T12:00:00Z", "2026-01-31T09:00:00Z", "2026-01-31T12:00:00Z"];
  const lines = at.map((each, id) => `${JSON.stringify({ id: `claude:${id}`, at: each, agent: "claude", input: 1 })}\n`);
  fs.writeFileSync(path.join(folder, "aaaaaaaa.jsonl"), lines.join(""));
  const since = async (text: string) => (await perform(world, operations.usage, { since: text })).total.calls;
  const counts = await Promise.all(["2026-01-31T10:00:00Z", "2026-01-31", "2026-01-30", "2026-02-01"].map(since));
  expect(counts).toEqual([1, 2, 3, 0]);
});

/** Appends to the settings of a home. */
const set = (code: string, text: string): string => settle(code, `\n${text}\n`);

test("a price of relay.yml goes before Relay's, and a subscription's calls are shown at what they would have cost", async () => {
  const { code, world, recordsOf } = await project();
  const file = path.join(recordsOf(code), "a.jsonl");
  fs.writeFileSync(file, call("1", code));
  await collect(world);
  const cost = async () => (await total(world)).usd * 1_000_000;
  expect(await cost()).toBeCloseTo(10 * 5 + OUTPUT * 25, 6);
  set(code, "usage: { billing: subscription, prices: [{ model: claude-opus-4*, input: 1, output: 2 }] }");
  expect(await cost()).toBeCloseTo(10 + OUTPUT * 2, 6);
  fs.appendFileSync(file, call("2", code));
  await collect(world);
  expect((await total(world)).subscriptionUsd * 1_000_000).toBeCloseTo(10 + OUTPUT * 2, 6);
  expect((await relay(code, ["usage"])).stdout).toContain("a subscription paid for");
  for (const input of ["1.0e+308", ".inf"])
    expect(() => parsePrices(`- { model: m, input: ${input}, output: 1 }`)).toThrow("at most 1000000");
  set(code, "# usage");
  const settings = path.join(code, ".relay/relay.yml");
  fs.writeFileSync(settings, fs.readFileSync(settings, "utf8").replace("output: 2", "output: two"));
  expect((await relay(code, ["config", "show"])).stderr).toMatch(/usage\.prices: price 1/);
});

test("a budget warns once, and stops the office, by what this clone collected itself", async () => {
  const { code, user, recordsOf } = await project();
  // It is noon, so that the day is the same in every zone that people live in.
  const [day, now] = ["2026-02-10", Date.parse("2026-02-10T12:00:00.000Z")];
  // Two calls of $2.50 each.
  const million = (id: string): string => call(id, code, 100_000).replace("2026-01-31", day);
  const file = path.join(recordsOf(code), "a.jsonl");
  const fresh = () => worldAt(code, { env: { HOME: user }, now: () => now });
  const folder = path.join(code, ".relay/events");
  const events = (): string[] =>
    (fs.existsSync(folder) ? fs.readdirSync(folder, { recursive: true, encoding: "utf8" }) : [])
      .flatMap((each) => (each.endsWith(".jsonl") ? fs.readFileSync(path.join(folder, each), "utf8").split("\n") : []))
      .filter((line) => line.includes('"type":"budget"'));
  set(code, "usage: { warn_usd: 2, stop_usd: 4 }");
  // Lines that came by a push, also into this clone's own file, stop nothing.
  const month = day.slice(0, 7);
  fs.writeFileSync(file, call("0", code, 1));
  const removed = path.join(path.dirname(file), "removed.jsonl");
  fs.writeFileSync(removed, call("r", code, 1));
  const marks = (): string[] => fs.readdirSync(path.join(code, ".relay/local/usage")).filter((name) => /^[0-9a-f]{32}$/.test(name));
  await collect(fresh());
  expect(marks()).toHaveLength(2);
  fs.rmSync(removed);
  const [own] = fs.readdirSync(path.join(code, ".relay/usage/2026-01")) as [string];
  fs.mkdirSync(path.join(code, ".relay/usage", month), { recursive: true });
  const forged = { id: "claude:f", at: `${day}T12:00:00.000Z`, agent: "claude", model: "claude-opus-4-5", output: 900_000_000 };
  fs.writeFileSync(path.join(code, ".relay/usage", month, own), `${JSON.stringify(forged)}\n`);
  await collect(fresh());
  expect([events().length, stoppedByBudget(fresh())]).toEqual([0, null]);
  // Nor does an event of another clone silence the warning, whose id anybody can know.
  const clone = own.slice(0, 8);
  const foreign = path.join(code, ".relay", eventPath(day, "zzzzzzzz"));
  fs.mkdirSync(path.dirname(foreign), { recursive: true });
  const known = eventId(day, hashTail(sha256(`day ${day} 2 ${clone}`)));
  fs.writeFileSync(foreign, `${JSON.stringify({ id: known, at: `${day}T12:00:00.000Z`, part: "web", type: "note" })}\n`);
  fs.appendFileSync(file, million("1"));
  const flushed: string[] = [];
  const flush = fs.fsyncSync;
  const flushes = vi.spyOn(fs, "fsyncSync").mockImplementation((descriptor) => {
    flushed.push(fs.readlinkSync(`/proc/self/fd/${descriptor}`).split(".relay/")[1] ?? "");
    flush(descriptor);
  });
  await collect(fresh());
  flushes.mockRestore();
  // A month begins, so that what is kept of a record goes where its agent removed it.
  expect(marks()).toHaveLength(1);
  // What the budget counts is on the disk before the clone's own line.
  const lines = flushed.filter((each) => /^(local\/)?usage\/.*jsonl$/.test(each));
  expect(lines).toEqual([`local/usage/spent/${month}.jsonl`, `usage/${month}/${own}`]);
  expect(events()).toHaveLength(1);
  expect(JSON.parse(events()[0] as string)).toMatchObject({ detail: { per: "day", usd: 2.5, warn_usd: 2 } });
  expect(stoppedByBudget(fresh())).toBeNull();
  fs.appendFileSync(file, million("2"));
  await collect(fresh());
  // Whoever was killed after the event, before the mark says so, warns no second time.
  const warned = path.join(code, ".relay/local/usage/warned");
  fs.writeFileSync(path.join(warned, fs.readdirSync(warned)[0] as string), `begun ${known}\n`);
  await Promise.all([1, 2].map((each) => perform(fresh(), operations.event, { agent_id: "web", type: "usage", model: "m", input: each })));
  expect(events()).toHaveLength(1);
  expect(stoppedByBudget(fresh())).toMatch(/\$5\.00 of \$4\.00/);
  // A budget of sessions counts those that have not ended, and of the day what is of none.
  const settings = path.join(code, ".relay/relay.yml");
  const change = (from: string, to: string): void => {
    fs.writeFileSync(settings, fs.readFileSync(settings, "utf8").replace(`stop_usd: ${from}`, `stop_usd: ${to}`));
    settle(code);
  };
  change("4", "4, per: session");
  expect(stoppedByBudget(fresh())).toContain(`on ${day}`);
  change("4", "6");
  expect(stoppedByBudget(fresh())).toBeNull();
  // A push opens no session again, and ends none that was begun here.
  const usd = { agent_id: "web", type: "usage", model: "claude-opus-4-5", input: 2_000_000 };
  await perform(fresh(), operations.start_session, { session_id: "s-1", agent_id: "web" });
  await perform(fresh(), operations.event, usd);
  expect(stoppedByBudget(fresh())).toContain("in the session s-1");
  const [ended, reopened] = ["sessions/s-1/ended.md", "sessions/s-1/reopened.md"] as const;
  const come = (file: string, text: string): void => {
    put(path.join(code, ".relay", file), text);
    noteBrought(fresh(), [{ path: file, commit: "0".repeat(40) }]);
  };
  come(ended, "---\n---\n");
  expect(stoppedByBudget(fresh())).toContain("in the session s-1");
  fs.rmSync(path.join(code, ".relay", ended));
  fs.rmSync(path.join(code, ".relay/sessions/s-1"), { recursive: true });
  await perform(fresh(), operations.start_session, { session_id: "s-2", agent_id: "web" });
  await perform(fresh(), operations.event, usd);
  expect(stoppedByBudget(fresh())).toContain("in the session s-2");
  await perform(fresh(), operations.end_session, { session_id: "s-2", agent_id: "web" });
  expect(stoppedByBudget(fresh())).toBeNull();
  come(reopened.replace("s-1", "s-2"), "---\n---\n");
  expect(stoppedByBudget(fresh())).toBeNull();
  fs.rmSync(path.join(code, ".relay", reopened.replace("s-1", "s-2")));
  // Nor does a session that a push brings take calls from the one that was begun here; those that are its own are the day's once it ends.
  await perform(fresh(), operations.start_session, { session_id: "s-3", agent_id: "web" });
  come("sessions/s-9/session.md", "---\n---\n");
  await perform(fresh(), operations.event, usd);
  expect(stoppedByBudget(fresh())).toContain("in the session s-3");
  await perform(fresh(), operations.end_session, { session_id: "s-3", agent_id: "web" });
  await perform(fresh(), operations.event, usd);
  expect(stoppedByBudget(fresh())).toContain("in the session s-9");
  come("sessions/s-9/ended.md", "---\n---\n");
  expect(stoppedByBudget(fresh())).toContain(`on ${day}`);
});

test("a part's own report of a call counts, flat and nested, and counts that it leaves out are unknown", async () => {
  const { code, world } = await project();
  const say = (usage: Record<string, unknown>) => perform(world, operations.event, { agent_id: "web", type: "usage", usage });
  await say({ model: "gpt-5", inputTokens: 100, cachedInputTokens: 40, outputTokens: 7 });
  await say({ model: "gpt-5", tokens: { input: 60, cache_read: 40, output: 7, reasoning: 3 } });
  expect(await say({ note: "nothing" })).toMatchObject({ warning: expect.stringContaining("no call is recorded") });
  const bare = await relay(code, ["event", "usage", "--part", "web"]);
  expect([bare.code, bare.stderr]).toEqual([2, expect.stringContaining("relay event usage --model gpt-5 --input 1200 --output 90")]);
  let deep: Record<string, unknown> = { input: 1 };
  for (let level = 0; level < 12_000; level += 1) deep = { usage: deep };
  expect(eventUsage(deep)).toMatchObject({ unknown: ["usage"] });
  await expect(say(deep)).rejects.toMatchObject({ code: "invalid_argument", message: expect.stringContaining("nested too deep") });
  await relay(code, ["event", "usage", "--model", "gpt-5", "--input", "60", "--cached", "40", "--output", "7", "--part", "web"]);
  const sum = async () => (await perform(world, operations.usage, { by: "agent" })).rows;
  expect(await sum()).toMatchObject([{ key: "event", calls: 3, input: 180, cached: 120, output: 21, reasoning: 3, unknown: 0 }]);
  await say({ model: "gpt-5", input: -1, audio_tokens: 9 });
  expect(await sum()).toMatchObject([{ calls: 4, unknown: 1 }]);
  expect((await perform(world, operations.usage, { by: "part" })).rows).toMatchObject([{ key: "web", calls: 4 }]);
  expect((await perform(world, operations.status, {})).usage).toMatchObject({ calls: 4, unknown: 1 });
  expect((await relay(code, ["status"])).stdout).toContain("Today: 4 calls of models, $0.00 and 1 call of unknown cost");
  await perform(world, operations.start_session, { session_id: "s-1", agent_id: "web" });
  await say({ model: "gpt-5", input: 8_000_000 });
  const { template } = await perform(world, operations.end_session, { session_id: "s-1", template: true, agent_id: "web" });
  expect(template).toContain("Calls of models: 1, for $10.00.");
  expect(await say({ input: 1 })).toMatchObject({ warning: expect.stringContaining("names no model") });
  expect((await relay(code, ["usage", "--by", "model"])).stdout).toMatch(/^\(no model\) /m);
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
  // On a narrow terminal the numbers stand below each other, each row's below its key where they do not fit beside it.
  const answer = await perform(world, operations.usage, { by: "model" });
  const style = plainStyleFor(process.stdout, { NO_COLOR: "1" }, 0);
  const shown = (width: number): string[] => printUsage(answer, { ...style, width }, {}).split("\n");
  const wide = shown(80).slice(0, 4);
  expect(new Set(wide.map((line) => line.length)).size, wide.join("\n")).toBe(1);
  const narrow = shown(56).slice(0, 8);
  expect(narrow.filter((_line, at) => at % 2 === 0)).toEqual(["model", "a,b", "claude-opus-4-5", "all"]);
  const numbers = narrow.filter((_line, at) => at % 2 === 1);
  expect(new Set(numbers.map((line) => line.length)).size, narrow.join("\n")).toBe(1);
  expect(numbers[2]).toMatch(/ 50 +<0\.01$/);
  const rows = Array.from({ length: 150_000 }, (_, at) => ({ ...answer.total, key: `m${at}` }));
  const many = printUsage({ ...answer, rows, unpriced: rows.map(({ key }) => key) }, style, {});
  expect(many).toMatch(/Above these are 149000 more rows: [\s\S]*: m0, m1, .*, m19 and 149980 more models\.$/);
  const { stdout: csv } = await relay(code, ["usage", "--by", "model", "--csv"]);
  expect(csv.split("\n").slice(0, 2)).toEqual([
    "model,calls,input,cached,written,written1h,output,reasoning,usd,subscriptionUsd,unknown",
    '"a,b",1,10,0,0,0,50,0,,,1',
  ]);
});
