/** What was cancelled or interrupted ends at once, and says so; what beats in the background survives its clock, its disk and its home. */
import { spawn } from "node:child_process";
import { getEventListeners, once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { createRecorder } from "../../../pager/recorder.ts";
import { gitResult } from "../../../protocol/git/git-run.ts";
import { createWorld, newConnection, operations, perform } from "../../../protocol/index.ts";
import { liveWaiters } from "../../../protocol/wake/files/who-rings.ts";
import { drivenClock } from "../../rig/clock/driven.ts";
import { shop } from "../../rig/clones.ts";
import { homeWith, settle, worldAt } from "../../rig/home.ts";
import { connect, relay, relayFile, startRelay } from "../../rig/processes.ts";
import { cleanEnv, until } from "../../rig/scratch.ts";

/** The process of a command line, once it watches the home: by then it has long listened for signals. */
const watching = (words: string): Promise<number> =>
  until(`${words} watches`, () =>
    fs
      .readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .find((pid) => {
        try {
          if (
            !fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").startsWith(`${process.execPath} ${relayFile()} ${words}`)
          )
            return false;
          const folder = `/proc/${pid}/fd`;
          return fs.readdirSync(folder).some((name) => fs.readlinkSync(`${folder}/${name}`) === "anon_inode:inotify");
        } catch {
          return false;
        }
      }),
  );

test("an interrupted wait ends with 130, and says that nothing came", async () => {
  const folder = await homeWith("web");
  const child = startRelay(folder, ["wait", "--home", folder, "--part", "web", "--timeout", "300", "--json"]);
  let printed = "";
  child.stdout.on("data", (text) => (printed += String(text)));
  process.kill(await watching(`wait --home ${folder}`), "SIGINT");
  expect((await once(child, "close"))[0]).toBe(130);
  expect(JSON.parse(printed)).toMatchObject({ success: false, code: "interrupted" });
});

test("on a terminal the signal itself ends it, so that a loop around it ends too", async () => {
  const folder = await homeWith("web");
  const loop = `for round in 1 2; do '${process.execPath}' '${relayFile()}' wait --home ${folder} --part web --timeout 300; echo "round $round is over"; done`;
  const terminal = spawn("script", ["-qec", `bash -c ${JSON.stringify(loop.replaceAll("$", "\\$"))}`, "/dev/null"], { env: cleanEnv() });
  let shown = "";
  terminal.stdout.on("data", (text) => (shown += String(text)));
  await watching(`wait --home ${folder}`);
  terminal.stdin.write("\u0003");
  await once(terminal, "close");
  expect(shown).toContain("interrupted");
  expect(shown).not.toContain("is over");
});

test("a cancelled sync begins no other git, and reports an interruption", async () => {
  const { code, hub } = await shop("web");
  const repository = { gitDir: path.join(code, ".git/relay"), workTree: path.join(code, ".relay") };
  const result = await gitResult(repository, ["update-ref", "refs/heads/begun", "HEAD"], { signal: AbortSignal.abort() });
  expect(result).toMatchObject({ code: null, timedOut: false });
  expect(fs.existsSync(path.join(code, ".git/relay/refs/heads/begun"))).toBe(false);
  const before = fs.readFileSync(path.join(hub, "refs/heads/relay"), "utf8");
  await perform(worldAt(code, { part: "web" }), operations.send, { to: ["main"], subject: "s", body: "b" });
  await expect(perform(createWorld({ ...optionsOf(code), signal: AbortSignal.abort() }), operations.sync, {})).rejects.toMatchObject({
    code: "interrupted",
    exit: 130,
  });
  expect(fs.readFileSync(path.join(hub, "refs/heads/relay"), "utf8")).toBe(before);
});

test("without git, doctor says what works and what does not", async () => {
  const folder = await homeWith("web");
  const { json } = await relay(folder, ["doctor", "--json"], { env: { PATH: "/nowhere" } });
  const { problem } = json.findings.find(({ code }: { code: string }) => code === "no_git");
  expect(problem).toMatch(/mail, tasks, memory and search work without it/);
  expect((await relay(folder, ["search", "price", "--json"], { env: { PATH: "/nowhere" } })).json).toMatchObject({ success: true });
});

test("a disk that fails while a channel waits for its agent ends no server", async () => {
  const folder = await homeWith("web", "api");
  settle(folder, "wake: { lease_s: 1, channel_grace_s: 60 }\n");
  const clock = drivenClock();
  const agent = await connect(folder, { args: ["--part", "web", "--channel"], env: clock.env });
  let pushed = false;
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's types know its own schemas only.
  agent.client.fallbackNotificationHandler = async ({ method }: any) => {
    if (method === "notifications/claude/channel") pushed = true;
  };
  await perform(worldAt(folder, { part: "api" }), operations.send, { to: ["web"], subject: "s", body: "b" });
  await until("the doorbell", () => pushed);
  const run = path.join(folder, ".relay/run");
  fs.rmSync(path.join(run, "tmp"), { recursive: true, force: true });
  fs.writeFileSync(path.join(run, "tmp"), "no file can be made here any more");
  const lease = path.join(run, "wakes/web", fs.readdirSync(path.join(run, "wakes/web")).at(-1) as string).replace(/\.\w+$/, ".lease");
  fs.rmSync(lease, { force: true });
  // The lease is renewed three times a second.
  for (let renewal = 0; renewal < 3; renewal += 1) await clock.pass(400);
  expect(await agent.call("whoami")).toMatchObject({ part: "web" });
  await agent.close();
});

test("a clock that is set back does not keep a pager from syncing", async () => {
  const { code } = await shop("web");
  settle(code, "sync: { auto: true, every_s: 1 }\n");
  const told: string[] = [];
  const world = worldAt(code);
  const recorder = createRecorder(world, (type) => void told.push(type));
  await until("the first sync", () => {
    recorder.check(world);
    return told.includes("synced");
  });
  const clock = vi.spyOn(Date, "now").mockImplementation(() => Math.round(performance.timeOrigin + performance.now()) - 7_200_000);
  try {
    await perform(worldAt(code, { part: "web" }), operations.send, { to: ["main"], subject: "s", body: "b" });
    await until("another sync", () => {
      recorder.check(world);
      return told.filter((type) => type === "synced").length === 2;
    });
  } finally {
    clock.mockRestore();
  }
  await recorder.close();
});

test("a connection that moved on to another home renews what it claims there", async () => {
  const connection = newConnection(true);
  const leases: string[] = [];
  for (const folder of [await homeWith("web"), await homeWith("web")]) {
    const world = createWorld({ ...optionsOf(folder), connection });
    const { session_id } = await perform(world, operations.start_session, {});
    const { task_id } = await perform(world, operations.create_task, { title: "t", description: "d", session_id });
    await perform(world, operations.claim_task, { task_id, session_id, lease_s: 1 });
    leases.push(path.join(folder, ".relay/run/leases"));
  }
  const renewed = (folder: string): boolean => fs.existsSync(folder) && fs.readdirSync(folder, { recursive: true }).length > 0;
  await until("the first home's claim is renewed", () => renewed(leases[0] as string));
  await until("the other home's claim is renewed", () => renewed(leases[1] as string));
  connection.claims.clear();
});

const optionsOf = (cwd: string) => ({ cwd, part: "web", env: worldAt(cwd).env });

test("a wait whose inbox fails to be read is refused, and leaves no watch and no listener behind", async () => {
  const folder = await homeWith("web");
  const { signal } = new AbortController();
  const world = createWorld({ ...optionsOf(folder), signal });
  const [read, inbox] = [fs.readdirSync, path.join(folder, ".relay/inbox/web/new")];
  let reads = 0;
  const disk = vi.spyOn(fs, "readdirSync").mockImplementation(((at: string, ...more: []) => {
    // The first look finds nothing; when the watch has begun, the disk fails.
    if (at === inbox) reads += 1;
    if (at === inbox && reads > 1) throw Object.assign(new Error("EIO: i/o error, scandir"), { code: "EIO" });
    return read(at, ...more);
  }) as typeof fs.readdirSync);
  try {
    await expect(perform(world, operations.wait, { timeoutSeconds: 300 })).rejects.toThrow();
  } finally {
    disk.mockRestore();
  }
  expect(reads).toBeGreaterThan(1);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("of a client whose folders change many times at once, one channel is open, and none after its end", async () => {
  const folder = await homeWith("web");
  const agent = await connect(folder, { args: ["--part", "web", "--channel"] });
  await agent.call("whoami");
  const open = (): number =>
    fs.readdirSync(`/proc/${agent.pid}/fd`).filter((fd) => linkOf(`/proc/${agent.pid}/fd/${fd}`).endsWith("inotify")).length;
  const moved = () => agent.client.transport?.send({ jsonrpc: "2.0", method: "notifications/roots/list_changed" });
  const waiters = (): number => liveWaiters(worldAt(folder), "web").length;
  await until("it waits", () => waiters() === 1);
  for (let round = 0; round < 20; round += 1) {
    await moved();
    await agent.call("whoami");
  }
  for (let round = 0; round < 20; round += 1) await moved();
  await agent.call("whoami");
  await until("it waits once", () => waiters() === 1 && open() === 1);
  await agent.close();
  expect(waiters()).toBe(0);
});

const linkOf = (name: string): string => {
  try {
    return fs.readlinkSync(name);
  } catch {
    return "";
  }
};
