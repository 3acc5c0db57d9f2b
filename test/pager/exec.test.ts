/** The exec rung: a command of the user's that is odd in every way holds nobody up, and learns nothing of any message. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { operations, perform } from "../../protocol/index.ts";
import { place } from "../../protocol/store/write/publish.ts";
import { machineStore } from "../../protocol/trust/files/machine.ts";
import { wakeStories } from "../../protocol/wake/files/wake-history.ts";
import type { WakeRecord } from "../../protocol/wake/nouns/wake-record.ts";
import { homeWith, worldAt } from "../rig/home.ts";
import { hasEnded } from "../rig/hurt.ts";
import { heldPager, startPager } from "../rig/pagers.ts";
import { relay } from "../rig/processes.ts";
import { held, scratch, until } from "../rig/scratch.ts";

const HOSTILE = "$(touch owned) `touch owned` ; touch owned #{pane_id} #(touch owned)";

const roomWith = async (argv: string[], more: object = {}) => {
  const folder = await homeWith("web", "api");
  await perform(worldAt(folder), operations.part_deliver, { part: "web", deliver: "exec", argv, ...more });
  const clock = held();
  const world = worldAt(folder, { now: clock.now });
  const send = () =>
    perform(worldAt(folder, { part: "api", now: clock.now }), operations.send, {
      to: ["web"],
      subject: HOSTILE,
      body: HOSTILE,
      tags: ["a"],
    });
  return { folder, clock, world, send, ...heldPager(world) };
};

test.each([
  ["is missing", ["/nowhere/to/be/found"], "ENOENT"],
  ["is a folder", ["/"], "EACCES"],
  ["is not executable", ["README.md"], "ENOENT"],
  ["has a word with a null character", ["true", "a\u0000b"], "null bytes"],
  ["ends with a code", ["sh", "-c", "printf 'a\\nno \\033[31mway'; exit 9"], "exit code 9: no"],
  ["is killed by somebody", ["sh", "-c", "kill -9 $$"], null],
])("a command that %s", async (_what, argv, detail) => {
  const folder = await homeWith("web", "api");
  // As a hand would write it: the operation refuses some of it.
  const world = worldAt(folder);
  place(machineStore(world), "deliver/web.json", JSON.stringify({ deliver: "exec", exec: { argv } }));
  const { beat, told } = heldPager(world);
  await perform(worldAt(folder, { part: "api" }), operations.send, { to: ["web"], subject: "s", body: "b" });
  await beat();
  expect(told).toMatchObject([
    detail === null ? { type: "typed", detail: "killed by SIGKILL" } : { type: "unreachable", detail: expect.stringContaining(detail) },
  ]);
  expect(await perform(world, operations.wakes, {})).toMatchObject({ hour: { delivered: detail === null ? 1 : 0 } });
});

test("a command knows the part, the wake, how much is unread and the home, and no word of any message", async () => {
  const seen = path.join(scratch(), "seen");
  const { folder, beat, send, told } = await roomWith(["sh", "-c", 'env > "$0"; echo "$@" >> "$0"; pwd >> "$0"', seen, "$RELAY_PART", ";"]);
  await send();
  await beat();
  expect(told).toMatchObject([{ type: "typed" }]);
  const text = fs.readFileSync(seen, "utf8");
  expect(text).toMatch(/^RELAY_PART=web$/m);
  expect(text).toMatch(/^RELAY_WAKE_ID=w-[0-9a-z]{8}$/m);
  expect(text).toMatch(/^RELAY_UNREAD=1$/m);
  expect(text).toContain(`RELAY_HOME=${folder}/.relay\n`);
  expect(text.endsWith(`$RELAY_PART ;\n${folder}\n`)).toBe(true);
  expect(text).not.toContain("owned");
  expect(fs.existsSync(path.join(folder, "owned"))).toBe(false);
});

test("a command that prints megabytes is heard to its end, and little of it is kept", async () => {
  const script = 'process.stdout.write("é".repeat(8_000_000)); process.stderr.write("x".repeat(3_000_000) + "\\nthe end \\u001b[2J")';
  const { beat, send, told, world } = await roomWith([process.execPath, "-e", script]);
  await send();
  await beat();
  expect(told).toMatchObject([{ type: "typed" }]);
  expect(String(told[0]?.["detail"]).length).toBeLessThanOrEqual(200);
  const { steps } = (await perform(world, operations.wakes, {})) as { steps: { state: string; detail?: string }[] };
  expect(steps[0]).toMatchObject({ state: "typed" });
});

test("a process that a command leaves in the background does not delay the pager; at its limit all of it is killed", async () => {
  const pids = path.join(scratch(), "pids");
  const left = await roomWith(["sh", "-c", 'sleep 300 & echo $! > "$0"', pids]);
  await left.send();
  await left.beat();
  expect(left.told).toMatchObject([{ type: "typed" }]);
  const pid = Number(fs.readFileSync(pids, "utf8"));
  expect(hasEnded(pid)).toBe(false);
  process.kill(pid, "SIGKILL");
  const hung = await roomWith(["sh", "-c", 'trap "" TERM; (trap "" TERM; sleep 300) & echo $! > "$0"; sleep 300', pids], { timeout_s: 1 });
  await hung.send();
  await hung.beat();
  expect(hung.told).toMatchObject([{ type: "typed", detail: "killed after 1 s" }]);
  expect((await relay(hung.folder, ["status"])).stdout).toContain("woken by exec, killed after 1 s");
  await until("its child to be gone", () => hasEnded(Number(fs.readFileSync(pids, "utf8"))));
});

test("a pager that is told to end does not wait for a command that hangs", async () => {
  const folder = await homeWith("web", "api");
  const pids = path.join(scratch(), "pids");
  const argv = ["sh", "-c", 'echo $$ > "$0"; sleep 300', pids];
  await perform(worldAt(folder), operations.part_deliver, { part: "web", deliver: "exec", argv, timeout_s: 3_600 });
  const pager = await startPager(folder);
  await perform(worldAt(folder, { part: "api" }), operations.send, { to: ["web"], subject: "s", body: "b" });
  await until("the command", () => fs.existsSync(pids) && fs.readFileSync(pids, "utf8") !== "");
  const pid = Number(fs.readFileSync(pids, "utf8"));
  expect((await relay(folder, ["pager", "stop", "--json"])).json).toMatchObject({ stopped: [pager.pid] });
  await pager.said("ended");
  await until("the command is gone", () => hasEnded(pid));
  const { steps } = (await perform(worldAt(folder), operations.wakes, {})) as { steps: object[] };
  expect(steps[0], "it may have delivered").toMatchObject({ state: "typed" });
});

test("part deliver tells at once of a missing command; another rung forgets the command, auto keeps it", async () => {
  const folder = await homeWith("web");
  const deliver = (...args: string[]) => relay(folder, ["part", "deliver", "web", ...args]);
  expect((await deliver("exec", "--", "no-such-program")).stderr).toContain('no program "no-such-program"');
  const chosen = await deliver("exec", "--timeout-s", "7", "--", "true", "a b");
  expect(chosen).toMatchObject({ code: 0, stderr: "" });
  expect(chosen.stdout).toContain("relay pager start");
  expect((await deliver("exec")).stderr).toContain("the earlier one is kept");
  for (const more of [["--timeout-s", "8"], []])
    expect((await deliver(...more, "--json")).json).toMatchObject({ argv: ["true", "a b"], timeout_s: 8 });
  const auto = await deliver("auto");
  expect(auto.stdout).toMatch(/not now {2}hook +no session waits\n.*not now {2}tmux +no pane is known.*\n.*now {6}exec +a command is kept/);
  expect((await deliver("tmux", "--", "true")).code).toBe(2);
  expect((await deliver("hook", "--json")).json).not.toHaveProperty("argv");
  expect(await deliver("exec")).toMatchObject({ code: 2, stderr: expect.stringContaining("the program to run") });
});

test("doctor names a wake that failed, and mail that waits for a pager; status and wakes tell it in words", async () => {
  const { folder, send, beat } = await roomWith(["/nowhere/to/be/found"]);
  const doctor = async () =>
    (await perform(worldAt(folder), operations.doctor, {}))["findings"].filter(({ severity }) => severity !== "note") as object[];
  await send();
  expect(await doctor()).toMatchObject([{ code: "no_pager", remedy: "Start a pager: `relay pager start`" }]);
  const told = await relay(folder, ["wakes"]);
  expect(told.stdout).toContain("web has 1 unread, is not woken now: no pager runs that could wake it → relay pager start");
  await beat();
  expect(await doctor()).toMatchObject([
    { code: "wake_failed", problem: expect.stringContaining("ENOENT"), remedy: "relay part deliver web exec -- PROGRAM" },
  ]);
  const stories = (await relay(folder, ["wakes"])).stdout;
  expect(stories).toMatch(/\d\d:\d\d:\d\d {2}web {2}w-\w{8} {2}did not reach it +by exec · its command failed · .*ENOENT/);
  expect(stories).toContain("in the last hour over all your projects");
  const thread = (await perform(worldAt(folder), operations.threads, {})).threads[0]?.id as string;
  for (const words of [
    ["show", thread],
    ["ack", "--thread", thread],
  ])
    await relay(folder, [...words, "--part", "web"]);
  expect(await doctor()).toEqual([]);
});

test("wakes has one row for each wake, with what became of it and how long it took; --steps has all", async () => {
  const { folder, clock, send, beat } = await roomWith(["sh", "-c", "exit 0"]);
  const rows = async (...args: string[]) =>
    (await relay(folder, ["wakes", ...args])).stdout.split("\n").filter((row) => row.includes("w-"));
  await send();
  await beat();
  expect(await rows()).toEqual([expect.stringMatching(/ {2}delivered +by exec · after \d\.\d s$/)]);
  clock.advance(600_000);
  await beat();
  expect(await rows()).toEqual([expect.stringContaining("delivered"), expect.stringContaining("delivered, and its mail still unread")]);
  expect((await rows("--steps")).length).toBeGreaterThan(6);
  const { wakes, steps } = (await relay(folder, ["wakes", "--json"])).json;
  expect(wakes.map(({ became }: { became: string }) => became)).toEqual(["rung", "left"]);
  expect(steps[0]).toMatchObject({ state: "typed", rung: "exec" });
});

test("a wake that did not ring before the next one began waits no longer", () => {
  const owed = (wakeId: string) => ({ kind: "owed", wakeId, sinceMs: 1, atMs: 1, tried: [], fails: 0, notBeforeMs: 1 }) as const;
  const steps = [owed("w-1"), owed("w-2")].map((state, n) => ({ atMs: n, state })) as unknown as WakeRecord[];
  expect(wakeStories("web", steps).map(({ became }) => became)).toEqual(["replaced", "owed"]);
});
