import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { log, logPath } from "../../protocol/core/home/process-log.ts";
import { operations, perform } from "../../protocol/index.ts";
import { registerPager, registerWaiter } from "../../protocol/wake/files/who-rings.ts";
import { drivenClock, untilInTime } from "../rig/clock/driven.ts";
import { homeWith, officeFolder, worldAt } from "../rig/home.ts";
import { isStopped } from "../rig/hurt.ts";
import { OfficeStage } from "../rig/office-stage.ts";
import { bellFor, heldPager, heldRoom, setPolicy, startPager } from "../rig/pagers.ts";
import { connect, relay, relayProcess, startRelay, work } from "../rig/processes.ts";
import { removeBusy, scratch, until } from "../rig/scratch.ts";

const MINUTE = 60_000;
const send = (folder: string, to: string[], more: object = {}) =>
  perform(worldAt(folder, { part: "main" }), operations.send, { to, subject: "s", body: "b", ...more }) as Promise<{
    messageId: string;
    recipients: { part: string; wake: string; reason?: string }[];
  }>;
const ackAll = async (folder: string, part: string) => {
  const world = worldAt(folder, { part });
  const { messages } = (await perform(world, operations.inbox, { limit: 200 })) as { messages: { messageId: string }[] };
  if (messages.length > 0) await perform(world, operations.ack, { messageIds: messages.map(({ messageId }) => messageId) });
};

describe("a pager that runs", () => {
  test("a message nudges its part once, with what a command needs to know", async () => {
    const folder = await homeWith("shop/api");
    const bell = await bellFor(folder, ["shop/api"]);
    const pager = await startPager(folder);
    const { recipients } = await send(folder, ["shop/api"]);
    expect(recipients).toMatchObject([{ wake: "owed" }]);
    await until("the nudge", () => bell.nudges().length > 0);
    expect(bell.nudges()).toMatchObject([{ part: "shop/api", unread: 1, home: path.join(folder, ".relay") }]);
    const [{ wakeId } = { wakeId: "" }] = bell.nudges();
    expect(wakeId).toMatch(/^w-[0-9a-z]{8}$/);
    expect(await pager.said("typed")).toMatchObject({ part: "shop/api", wakeId, rung: "exec" });
    const roster = (await perform(worldAt(folder), operations.roster, {})) as { parts: object[] };
    expect(roster.parts).toMatchObject([{}, { part: "shop/api", wake: { state: "typed", rung: "exec" } }, {}]);
    const { steps } = (await perform(worldAt(folder), operations.wakes, {})) as { steps: { state: string; wakeId: string }[] };
    expect(steps.map(({ state }) => state).reverse()).toEqual(["owed", "leased", "typed", "typed"]);
    expect(new Set(steps.map((step) => step.wakeId))).toEqual(new Set([wakeId]));
    expect(await pager.end()).toBe(0);
    expect(fs.readdirSync(path.join(folder, ".relay/run/pagers"))).toEqual([]);
  });

  test("killed, then 20 messages, then started: one nudge for each part with mail, and no beat is waited for", async () => {
    const folder = await homeWith("a", "b", "c", "d");
    const bell = await bellFor(folder, ["a", "b", "c", "d"]);
    const first = await startPager(folder);
    await first.kill();
    for (let count = 0; count < 20; count += 1) await send(folder, [["a", "b", "c"][count % 3] as string]);
    const clock = drivenClock({ stands: true });
    const second = await startPager(folder, [], clock.env);
    await until("three nudges", () => bell.nudges().length >= 3);
    await clock.pass(20_000);
    expect(
      bell
        .nudges()
        .map(({ part, unread }) => `${part} ${unread}`)
        .sort(),
    ).toEqual(["a 7", "b 7", "c 6"]);
    await second.end();
  });

  test("the home is moved away and back: it says so, writes nothing meanwhile, and goes on", async () => {
    const folder = await homeWith("web");
    const bell = await bellFor(folder, ["web"]);
    const clock = drivenClock();
    const pager = await startPager(folder, [], clock.env);
    fs.renameSync(path.join(folder, ".relay"), path.join(folder, "away"));
    expect(await pager.said("home_gone")).toMatchObject({ home: path.join(folder, ".relay") });
    await clock.pass(20_000);
    expect(fs.existsSync(path.join(folder, ".relay")), "a home that was moved is not made again").toBe(false);
    fs.renameSync(path.join(folder, "away"), path.join(folder, ".relay"));
    await pager.said("home_back");
    await send(folder, ["web"]);
    await until("the nudge", () => bell.nudges().length > 0);
    expect(await pager.end()).toBe(0);
  });

  test("the home is removed and made anew: mail in it is found, and its folders are watched again", async () => {
    const folder = await homeWith("web");
    const pager = await startPager(folder);
    await removeBusy(path.join(folder, ".relay"));
    await pager.said("home_gone");
    await perform(worldAt(folder), operations.init, { parts: ["web"] });
    await pager.said("home_back");
    await until("the log says so too", () => fs.existsSync(path.join(folder, ".relay", logPath("pager", 0))));
    expect(fs.readFileSync(path.join(folder, ".relay", logPath("pager", 0)), "utf8")).toContain('"home_back"');
    const bell = await bellFor(folder, ["web"]);
    await send(folder, ["web"]);
    await until("the nudge", () => bell.nudges().length > 0);
    expect(await pager.end()).toBe(0);
  });
});

/** A process that leased a wake of web, and stopped. */
async function stoppedHolder(folder: string, leaseSeconds: number) {
  setPolicy(folder, `{ lease_s: ${leaseSeconds} }`);
  const bell = await bellFor(folder, ["web"]);
  await send(folder, ["web"]);
  const sleeper = work("leaser", [folder, "web"]);
  const { lease } = await until("it leased and stopped", () => isStopped(sleeper.child) && sleeper.lines[0]);
  return { bell, sleeper, lease };
}

test("a holder that is suspended past its lease is overtaken; what it then says is refused", async () => {
  const folder = await homeWith("web");
  const { bell, sleeper, lease } = await stoppedHolder(folder, 1);
  expect(lease).toMatchObject({ leased: true, unread: 1 });
  const clock = drivenClock();
  const pager = await startPager(folder, [], clock.env);
  await untilInTime("the pager took it over", clock, () => bell.nudges().length > 0);
  expect(bell.nudges()[0]?.wakeId).not.toBe(lease.wakeId);
  sleeper.child.kill("SIGCONT");
  expect(await sleeper.ended).toBe(0);
  expect(sleeper.lines.slice(1)).toMatchObject([{ commit: { code: "stale_wake" } }, { report: { code: "stale_wake", state: "typed" } }]);
  await clock.pass(20_000);
  expect(bell.nudges()).toHaveLength(1);
  await pager.end();
});

test("a holder that was killed is overtaken at once, though its lease is long", async () => {
  const folder = await homeWith("web");
  const { bell, sleeper } = await stoppedHolder(folder, 3_600);
  const clock = drivenClock();
  const pager = await startPager(folder, [], clock.env);
  await clock.pass(20_000);
  expect(bell.nudges(), "it is only suspended").toEqual([]);
  sleeper.child.kill("SIGKILL");
  await until("the pager took it over", () => bell.nudges().length > 0);
  await pager.end();
});

describe("with the clock held", () => {
  test.each(["ack", "close"] as const)("mail right after an %s, before anybody looked, is another batch", async (how) => {
    const { bell, beat, at, send } = await heldRoom("web");
    for (let round = 1; round <= 3; round += 1) {
      const { threadId, messageId } = await send("web");
      await beat();
      expect(bell.nudges()).toHaveLength(round);
      if (how === "ack") await perform(at("web"), operations.ack, { messageId });
      else await perform(at("web"), operations.close, { threadId });
    }
  });

  test("a waiter of the part itself goes first; when it does not ring, the pager does", async () => {
    const { bell, clock, beat, at, folder } = await heldRoom("web");
    await perform(at(), operations.part_deliver, { part: "web", deliver: "auto" });
    const release = registerWaiter(at(), "web", "hook");
    await perform(at("main"), operations.send, { to: ["web"], subject: "s", body: "b" });
    await beat();
    expect(bell.nudges()).toEqual([]);
    const lease = await perform(at(), operations.wake_lease, { part: "web", rung: "hook" });
    expect(lease).toMatchObject({ leased: true, line: expect.stringContaining(lease["wakeId"] as string) });
    const { wakeId } = lease as unknown as { wakeId: string };
    expect(await perform(at(), operations.wake_renew, { part: "web", wakeId })).toBeDefined();
    expect(await perform(at(), operations.wake_commit, { part: "web", wakeId })).toEqual({ committed: true });
    await expect(perform(at(), operations.wake_commit, { part: "web", wakeId })).rejects.toMatchObject({ code: "stale_wake" });
    await perform(at(), operations.wake_report, { part: "web", wakeId, outcome: "unreachable", reason: "not_fetched" });
    clock.advance(1_000);
    await beat();
    expect(bell.nudges(), "the hook was tried: no grace for it").toHaveLength(1);
    release();
    expect(fs.readdirSync(path.join(folder, ".relay/run/waiters/web"))).toEqual([]);
  });
});

test("a sender is told why a recipient is not woken: no pager, no way to ring, limited, a person, or not allowed", async () => {
  const folder = await homeWith("web", "api", "docs", "shop");
  await bellFor(folder, ["web", "api"]);
  await perform(worldAt(folder), operations.part_deliver, { part: "docs", deliver: "none" });
  const told = async () => {
    const { recipients } = await send(folder, ["web", "api", "docs", "shop", "human"]);
    return recipients.map(({ part, wake, reason }) => `${part} ${wake} ${reason ?? ""}`.trim());
  };
  expect(await told()).toEqual(["web none no_pager", "api none no_pager", "docs none no_pager", "shop none no_pager", "human none human"]);
  const pager = await startPager(folder);
  const resetAt = new Date(Date.now() + 60_000).toISOString();
  await perform(worldAt(folder, { part: "api" }), operations.event, { type: "limited", resetAt });
  expect(await told()).toEqual(["web owed", "api none limited", "docs none no_pager", "shop none no_rung", "human none human"]);
  expect((await relay(folder, ["send", "shop", "s", "b", "--part", "main"])).stdout).toContain("relay up --part shop -- claude");
  // A connection that no pager reaches is no way to be rung.
  const idle = await connect(folder, { args: ["--part", "shop"] });
  await idle.call("whoami");
  expect(await told()).toContain("shop none no_rung");
  await idle.close();
  await pager.kill();
  expect((await told())[0]).toBe("web none no_pager");
});

test("a pager that did not renew its file wakes no part, and doctor names it", async () => {
  const folder = await homeWith("web");
  await bellFor(folder, ["web"]);
  const end = registerPager(worldAt(folder), null, ["exec"]);
  const pagers = path.join(folder, ".relay/run/pagers");
  for (const name of fs.readdirSync(pagers)) fs.lutimesSync(path.join(pagers, name), 0, Date.now() / 1_000 - 20);
  const world = worldAt(folder, { part: "main", now: () => Date.now() });
  const { recipients } = await perform(world, operations.send, { to: ["web"], subject: "s", body: "b" });
  expect(recipients).toMatchObject([{ wake: "none", reason: "no_pager" }]);
  const codes = (await perform(world, operations.doctor, {})).findings.map(({ code }) => code);
  expect(codes).toContain("pager_still");
  expect(codes).not.toContain("stale_registration");
  // What a file of a home names is ended only where it began as this very home's pager, not where the folder was copied.
  const copy = path.join(scratch(), "copy");
  fs.cpSync(folder, copy, { recursive: true });
  expect((await relay(copy, ["pager", "stop", "--json"])).json).toMatchObject({ stopped: [], gone: true });
  for (const verb of ["stop", "status"]) expect((await relay(copy, ["pager", verb])).stdout).toContain(`names process ${process.pid}`);
  for (const name of fs.readdirSync(path.join(copy, ".relay/run/pagers")))
    fs.utimesSync(path.join(copy, ".relay/run/pagers", name), new Date(), new Date());
  expect((await relay(copy, ["pager", "start"])).stdout).toMatch(new RegExp(`^The pager runs.* names process ${process.pid}`));
  expect((await relay(copy, ["pager", "stop", "--json"])).json).toMatchObject({ stopped: [expect.any(Number)], gone: true });
  end();
});

test("start, status, stop; a second start starts none; two that run are named by doctor", async () => {
  const folder = await homeWith("web");
  const bell = await bellFor(folder, ["web"]);
  const started = (await relay(folder, ["pager", "start", "--json"])).json;
  expect(started).toMatchObject({ success: true, started: true, pid: expect.any(Number) });
  expect((await relay(folder, ["pager", "start", "--json"])).json).toMatchObject({ started: false, pid: started.pid });
  expect((await relay(folder, ["pager", "status", "--json"])).json).toMatchObject({
    running: true,
    pagers: [{ pid: started.pid, parts: null }],
  });
  await send(folder, ["web"]);
  await until("the nudge", () => bell.nudges().length > 0);
  const second = await startPager(folder);
  const { findings } = (await perform(worldAt(folder), operations.doctor, {})) as { findings: { code: string; problem: string }[] };
  expect(findings.find(({ code }) => code === "two_pagers")?.problem).toContain(String(started.pid));
  await second.kill();
  expect((await relay(folder, ["pager", "stop", "--json"])).json).toMatchObject({ stopped: [started.pid], gone: true });
  expect(await relay(folder, ["pager", "status", "--json"])).toMatchObject({ code: 1, json: { running: false } });
  const { findings: after } = (await perform(worldAt(folder), operations.doctor, {})) as { findings: { code: string }[] };
  expect(after.map(({ code }) => code)).toContain("stale_registration");
  expect((await relay(folder, ["doctor", "--fix", "--json"])).json.fixed.join()).toContain("run/pagers");
});

test("several who start the pager at once start one; several who stop it end it", async () => {
  const folder = await homeWith("web", "api");
  const started = await Promise.all([1, 2, 3].map(() => relayProcess(folder, ["pager", "start", "--json"])));
  expect(started.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect(started.filter(({ json }) => json.started)).toHaveLength(1);
  expect(new Set(started.map(({ json }) => json.pid)).size).toBe(1);
  const [pid] = started.map(({ json }) => json.pid as number);
  expect((await relay(folder, ["pager", "status", "--json"])).json.pagers).toMatchObject([{ pid }]);
  const stopped = await Promise.all([1, 2].map(() => relayProcess(folder, ["pager", "stop", "--json"])));
  expect(stopped.map(({ code, json }) => `${code} ${json.gone}`)).toEqual(["0 true", "0 true"]);
  expect((await relay(folder, ["pager", "stop", "--json"])).json).toMatchObject({ stopped: [], gone: true });
});

test("a pager for some parts does not keep one for all from being started, nor does a stale one", async () => {
  const folder = await homeWith("web", "api");
  const killed = await startPager(folder);
  await killed.kill();
  const some = (await relay(folder, ["pager", "start", "--part", "web", "--json"])).json;
  expect(some).toMatchObject({ started: true });
  expect((await relay(folder, ["pager", "start", "--part", "web", "--json"])).json).toMatchObject({ started: false, pid: some.pid });
  const all = (await relay(folder, ["pager", "start", "--json"])).json;
  expect(all).toMatchObject({ started: true });
  expect((await relay(folder, ["pager", "start", "--part", "api", "--json"])).json).toMatchObject({ started: false, pid: all.pid });
  expect((await relay(folder, ["pager", "stop", "--json"])).json.stopped.sort()).toEqual([some.pid, all.pid].sort());
});

test("a clock that jumps is written down; one that is set back causes no second ring", async () => {
  const folder = await homeWith("web");
  const bell = await bellFor(folder, ["web"]);
  const clock = drivenClock();
  const pager = await startPager(folder, [], clock.env);
  const jumps = () => pager.lines.filter(({ type }) => type === "clock_jumped").map(({ seconds }) => Number(seconds));
  await send(folder, ["web"]);
  await until("the nudge", () => bell.nudges().length > 0);
  const setBackMs = 3 * 60 * MINUTE;
  clock.advance(-setBackMs, -setBackMs);
  await untilInTime("it says so", clock, () => jumps().length === 1);
  await clock.pass(20_000);
  expect(bell.nudges()).toHaveLength(1);
  clock.advance(setBackMs, setBackMs);
  await untilInTime("and again", clock, () => jumps().length === 2);
  expect(Math.abs((jumps()[0] as number) + 10_800)).toBeLessThan(10);
  expect(Math.abs((jumps()[1] as number) - 10_800)).toBeLessThan(10);
  await pager.end();
  const written = fs.readFileSync(path.join(folder, ".relay", logPath("pager", 0)), "utf8");
  expect(written.split("\n").filter((line) => line.includes("clock_jumped"))).toHaveLength(2);
});

test("doctor names mail whose part cannot be woken, also where a pager serves", async () => {
  const folder = await homeWith("web", "api");
  await bellFor(folder, ["api"]);
  await send(folder, ["web", "human"]);
  const later = worldAt(folder, { now: () => Date.now() + 11 * MINUTE });
  const codes = async () =>
    ((await perform(later, operations.doctor, {}))["findings"] as { code: string; problem: string }[]).filter(
      ({ code }) => code === "nobody_to_wake",
    );
  expect(await codes()).toMatchObject([{ problem: expect.stringContaining('"web"') }]);
  await heldPager(worldAt(folder)).beat();
  expect(await codes()).toMatchObject([{ problem: expect.stringContaining('"web"') }]);
  await ackAll(folder, "web");
  expect(await codes()).toEqual([]);
});

test("two homes of one user, with pagers of their own, share one budget, to the last wake; each has its minimum", async () => {
  const parts = Array.from({ length: 8 }, (_, index) => `p${index}`);
  const rooms = await Promise.all(
    [0, 2].map(async (minimum) => {
      const folder = await homeWith(...parts);
      setPolicy(folder, `{ budget: { per_hour: 5, home_minimum: ${minimum}, part_minimum: 0, urgent: 0 } }`);
      for (const part of parts) await send(folder, [part]);
      return { folder, bell: await bellFor(folder, parts) };
    }),
  );
  const [first, second] = rooms as [(typeof rooms)[0], (typeof rooms)[0]];
  const counts = () => rooms.map(({ bell }) => bell.nudges().length);
  const clock = drivenClock();
  const pagers = [await startPager(first.folder, [], clock.env), await startPager(first.folder, [], clock.env)];
  await until("all that is to be had", () => counts()[0] === 5);
  pagers.push(await startPager(second.folder, [], clock.env), await startPager(second.folder, [], clock.env));
  await until("its minimum", () => counts()[1] === 2);
  await clock.pass(20_000);
  expect(counts()).toEqual([5, 2]);
  const told = await perform(worldAt(second.folder, { now: clock.now }), operations.wakes, { limit: 200 });
  expect(told).toMatchObject({ hour: { delivered: 7, budget: 5 } });
  const rung = new Set(second.bell.nudges().map(({ part }) => part));
  const kept = new Set(told.steps.filter(({ state, reason }) => state === "suppressed" && reason === "budget").map(({ part }) => part));
  expect(parts.filter((part) => !rung.has(part) && kept.has(part))).toHaveLength(6);
  for (const pager of pagers) await pager.end();
});

test("--once rings what is owed and ends, and says in one line that nothing is", async () => {
  const folder = await homeWith("web", "api");
  const bell = await bellFor(folder, ["web", "api"]);
  await send(folder, ["web", "api"]);
  expect((await relay(folder, ["pager", "--once", "--part", "api", "--json"])).code).toBe(0);
  expect(bell.nudges().map(({ part }) => part)).toEqual(["api"]);
  expect(await relay(folder, ["pager", "--once", "--part", "wbe"])).toMatchObject({ code: 3, stderr: expect.stringContaining("web") });
  expect(await relay(folder, ["pager", "--once", "--part", "api"])).toMatchObject({ code: 0, stdout: "", stderr: "No wake is owed.\n" });
  expect((await relay(folder, ["pager", "status", "--json"])).json.log).toBe(path.join(folder, ".relay", logPath("pager", 0)));
});

test("install shows and writes a unit that knows where tmux is, uninstall has systemd end it first; --dry-run only shows", async () => {
  const folder = await homeWith("web");
  const bin = scratch();
  const calls = path.join(bin, "calls");
  const unit = '"$XDG_CONFIG_HOME"/systemd/user/*.service';
  fs.writeFileSync(path.join(bin, "systemctl"), `#!/bin/sh\necho "$@" $(ls ${unit} 2>/dev/null | wc -l) >> ${calls}\n`, { mode: 0o755 });
  const config = path.join(folder, "config dir");
  const about = { HOME: scratch(), TMUX_TMPDIR: "/run/x", RELAY_TMUX_SOCKET: "work" };
  const env = { ...about, XDG_CONFIG_HOME: config, PATH: `${bin}:${process.env["PATH"]}` };
  const shown = (await relay(folder, ["pager", "install", "--dry-run", "--json"], { env })).json;
  expect(shown).toMatchObject({ written: false, text: expect.stringContaining(`pager run --home "${folder}/.relay"`) });
  expect(fs.existsSync(config)).toBe(false);
  const printed = (await relay(folder, ["pager", "install"], { env })).stdout;
  expect(fs.readFileSync(shown.file, "utf8")).toBe(shown.text);
  expect(printed).toContain(shown.text);
  for (const [name, value] of Object.entries(about)) expect(shown.text).toContain(`"${name}=${value}"`);
  expect((await relay(folder, ["pager", "uninstall", "--dry-run"], { env })).stdout).toContain("Would run: systemctl --user disable --now");
  expect(fs.existsSync(calls)).toBe(false);
  expect((await relay(folder, ["pager", "uninstall"], { env })).stdout).toContain("The running pager was stopped.");
  expect(fs.existsSync(shown.file)).toBe(false);
  expect(fs.readFileSync(calls, "utf8")).toBe(`--user disable --now ${path.basename(shown.file)} 1\n--user daemon-reload 0\n`);
});

test("a unit is named after the home, not by files that arrive", async () => {
  const [folder, other] = [await homeWith("web"), await homeWith("web")];
  const config = path.join(folder, "config");
  const env = { XDG_CONFIG_HOME: config, PATH: `${scratch()}:/nowhere`, HOME: scratch() };
  const pager = async (at: string, ...args: string[]) => (await relay(at, ["pager", ...args, "--json"], { env })).json;
  const units = (): string[] => fs.readdirSync(path.join(config, "systemd/user")).sort();
  const mine = await pager(folder, "install");
  // A project that took the other's id, as a sync can bring it.
  const [ours, theirs] = [folder, other].map((at) => path.join(at, ".relay/relay.yml"));
  fs.copyFileSync(ours as string, theirs as string);
  expect(await pager(other, "uninstall")).toMatchObject({ removed: false });
  const second = await pager(other, "install");
  expect(units()).toEqual([path.basename(mine.file), path.basename(second.file)].sort());
  expect((await pager(other, "status")).unit).toBe(second.file);
  expect(await pager(folder, "uninstall")).toMatchObject({ removed: true });
  expect(units()).toEqual([path.basename(second.file)]);
});

test("a part that is not connected, and waits by a hook, is shown as idle", async () => {
  const folder = await homeWith("web");
  const release = registerWaiter(worldAt(folder), "web", "hook");
  const sent = await relay(folder, ["send", "web", "s", "b", "--part", "main"]);
  expect(sent.stdout).toMatch(/^Sent \S+ to web\.\n$/);
  for (const command of ["roster", "status"]) expect((await relay(folder, [command])).stdout).toContain("never seen, wakes by hook");
  release();
  const { stdout } = await relay(folder, ["roster"]);
  expect(stdout).toMatch(/web +never seen +1 unread/);
  expect(stdout).toContain("No pager that runs here can wake web. To start one: relay pager start");
  // A pager that runs for another part wakes this one no more than none does.
  const end = registerPager(worldAt(folder), ["main"], ["exec"]);
  for (const command of ["roster", "status"])
    expect((await relay(folder, [command])).stdout).toContain("No pager that runs here can wake web. To start one: relay pager start");
  end();
});

test("the log moves aside when it is large, and three that moved are kept", async () => {
  const folder = await homeWith();
  const world = worldAt(folder);
  const line = { type: "x", words: "w".repeat(200_000) };
  for (let count = 0; count < 40; count += 1) log(world, "pager", line);
  const sizes = fs.readdirSync(path.join(folder, ".relay/run/logs")).sort();
  expect(sizes).toEqual([3, 2, 1, 0].map((age) => path.basename(logPath("pager", age))).sort());
  for (const name of sizes) expect(fs.statSync(path.join(folder, ".relay/run/logs", name)).size).toBeLessThan(1_300_000);
});

test("a pager starts the runner for work without one, and again for work that a killed one left", async () => {
  const stage = await OfficeStage.open();
  stage.plan({ om: [[{ hold: "first" }, { say: "Done." }]] });
  const id = stage.give("om", "Do it.");
  const pager = startRelay(stage.folder, ["pager"]);
  await until("the turn runs", () => stage.noted("begin").length > 0);
  const holder = path.join(officeFolder(stage.folder), "runner");
  const first = fs.readFileSync(holder, "utf8");
  process.kill(Number(first.split("-")[0]), "SIGKILL");
  await until("another one took over", () => fs.existsSync(holder) && fs.readFileSync(holder, "utf8") !== first);
  stage.release("first");
  expect(await stage.reply(id)).toBe("Done.");
  expect(stage.noted("begin")).toHaveLength(1);
  pager.kill("SIGTERM");
  await until("both ended", () => pager.exitCode !== null && !fs.existsSync(holder));
});
