import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { choosePages } from "../../cli/dashboard/choose-pages.ts";
import { listHomes } from "../../cli/dashboard/listed-homes.ts";
import { MOST_CLIENTS } from "../../dashboard/server/stream.ts";
import { operations, perform } from "../../protocol/index.ts";
import { peersIn } from "../../protocol/store/peer-user.ts";
import { thisProcess } from "../../protocol/store/process.ts";
import { machineStore } from "../../protocol/trust/files/machine.ts";
import { homeWith, worldAt } from "../rig/home.ts";
import { relay, relayProcess, startRelay } from "../rig/processes.ts";
import { put, scratch, stateHome, tree, until } from "../rig/scratch.ts";
import { ask, endServing, type Serving, serve } from "./rig.ts";

afterEach(async () => {
  vi.unstubAllEnvs();
  await endServing();
});

test("the other end of a connection is told by its user, as long as it is open", () => {
  const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     7
   1: 0100007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1005
   2: 0100007F:C351 0100007F:1F90 04 00000000:00000000 00:00000000 00000000     0
   3: 0200007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1006\n`;
  expect([8_080, 8_081].map((port) => peersIn(table, port))).toEqual([new Map([[50_000, [1005, 1006]]]), null]);
});

const READS = [
  ...["status", "roster", "inbox", "threads", "wakes", "check", "stats", "list_sessions", "get_all_tasks", "list_artifacts"],
  ...["list_reviews", "read_memory"],
] as const;

/** Every name below a folder with what tells that it was touched: its times, its inode, its size. */
function marks(folder: string): string[] {
  return (fs.readdirSync(folder, { recursive: true }) as string[]).sort().map((name) => {
    const { ino, size, mtimeMs, ctimeMs } = fs.lstatSync(path.join(folder, name));
    return `${name} ${ino} ${size} ${mtimeMs} ${ctimeMs}`;
  });
}

const get = ({ port, at, own }: Serving, name: string, input: unknown = {}) =>
  ask(port, { path: `${at}api/${name}?input=${encodeURIComponent(JSON.stringify(input))}`, headers: own });

/** A home in which something of each kind is, and something that a look would complete. */
async function livelyHome(): Promise<string> {
  const folder = await homeWith("web", "api");
  const web = worldAt(folder, { part: "web" });
  await perform(web, operations.start_session, { session_id: "first" });
  await perform(web, operations.create_task, { title: "Write the parser" });
  await perform(web, operations.send, { to: ["human"], subject: "Price?", body: "Which field is it?" });
  await perform(web, operations.append_memory, { content: "Prices are amounts in cents." });
  put(path.join(folder, ".relay/outbox/web/one.md"), "---\nto: [api]\nsubject: By hand\n---\nPlease look.\n");
  return folder;
}

test("a GET changes nothing in the home, not even what every operation completes first", async () => {
  const folder = await livelyHome();
  for (const readOnly of [true, false]) {
    const served = await serve(folder, { readOnly });
    const messageId = (await get(served, "inbox")).json.messages[0]?.messageId as string;
    const threadId = (await get(served, "threads")).json.threads[0]?.id as string;
    expect(messageId).toBeDefined();
    // Nobody looks on, so the server itself does not look; what lies in the outbox stays for a process that works there.
    if (!readOnly)
      await until("the outbox is delivered by the one that may write", () => !fs.existsSync(path.join(folder, ".relay/outbox/web/one.md")));
    const before = marks(folder);
    for (const name of READS) expect([name, (await get(served, name)).status]).toEqual([name, 200]);
    expect((await get(served, "show", { threadId })).status).toBe(200);
    expect((await get(served, "search", { query: "field" })).json.total).toBe(1);
    expect((await get(served, "inbox", { agent_id: "api" })).status).toBe(200);
    for (const route of ["", "page", "app.js"])
      expect((await ask(served.port, { path: `${served.at}${route}`, headers: served.own })).status).toBe(200);
    expect(marks(folder)).toEqual(before);
    await endServing();
  }
});

test("a server that only shows writes nothing from its start to its end, and refuses each write", async () => {
  const folder = await livelyHome();
  const before = marks(folder);
  const served = await serve(folder, { readOnly: true });
  const headers = { ...served.own, Origin: `http://127.0.0.1:${served.port}`, "X-Relay": "1", "Content-Type": "application/json" };
  for (const name of ["send", "reply", "ack", "close", "create_task", "office_stop"])
    expect((await ask(served.port, { method: "POST", path: `${served.at}api/${name}`, headers, body: "{}" })).status).toBe(403);
  expect((await get(served, "inbox")).json.unread).toBe(1);
  await endServing();
  expect(marks(folder)).toEqual(before);
});

/** Starts a home's dashboard by the command, and reads what it says. */
async function start(folder: string) {
  const child = startRelay(folder, ["dashboard", "--json"]);
  let printed = "";
  child.stdout.on("data", (text) => (printed += text));
  await until("the link is printed", () => printed.includes("\n"));
  return { child, said: JSON.parse(printed) as { port: number; links: string[]; running: boolean } };
}

test("the command prints a link that opens the page, get_server_info names it, and a second start finds the first", async () => {
  const folder = await homeWith("web");
  const { child, said } = await start(folder);
  const { port, links } = said;
  const link = new URL(links[0] as string);
  const opened = await ask(port, { path: `${link.pathname}${link.search}`, headers: { Host: link.host } });
  expect(opened.status).toBe(200);
  const cookie = String(opened.headers["set-cookie"]).split(";")[0] as string;
  const page = await ask(port, { path: link.pathname, headers: { Host: link.host, Cookie: cookie } });
  expect(page.text).toContain("app.js");
  const info = (await relay(folder, ["info", "--json"])).json;
  expect(info).toMatchObject({ dashboardAvailable: true, port, dashboardUrl: `http://127.0.0.1:${port}/` });
  const second = await relayProcess(folder, ["dashboard", "--json"]);
  expect(second.code).toBe(0);
  expect(second.json).toMatchObject({ running: true, port, links, part: "human" });
  for (const [option, value] of [
    ["--part", "web"],
    ["--port", String(port - 1)],
  ] as const) {
    const refused = await relay(folder, ["dashboard", option, value]);
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.stderr).toContain(`${option}: the dashboard is served already`);
  }
  // No file of the home says where it is: nobody else learns the path, nor leads the token to another address.
  vi.stubEnv("XDG_STATE_HOME", stateHome());
  const note = path.join(machineStore(worldAt(folder)).root, "dashboard");
  expect(fs.statSync(note).mode & 0o777).toBe(0o600);
  const text = fs.readFileSync(note, "utf8");
  expect(JSON.stringify(tree(path.join(folder, ".relay"), /^\.git/))).not.toContain(link.pathname);
  child.kill("SIGINT");
  await until("it ends", () => child.exitCode !== null || child.signalCode !== null);
  expect(child.exitCode).toBe(0);
  put(path.join(folder, ".relay/run/dashboard"), text.replace(/^.*/, thisProcess()));
  expect((await relay(folder, ["info", "--json"])).json).toMatchObject({ dashboardAvailable: false, dashboardUrl: null, port: 0 });
});

test("one that was killed says nothing, and the next start has its port, its path and its cookie", async () => {
  const folder = await homeWith("web");
  const first = await start(folder);
  first.child.kill("SIGKILL");
  await until("it is gone", () => first.child.signalCode !== null);
  expect((await relay(folder, ["info", "--json"])).json.dashboardAvailable).toBe(false);
  const second = await start(folder);
  expect(second.said).toMatchObject({ links: first.said.links, running: false });
  second.child.kill("SIGTERM");
  await until("it ends", () => second.child.exitCode !== null || second.child.signalCode !== null);
  expect(second.child.exitCode).toBe(0);
});

test("homes that were named are served together, each with a path and a cookie of its own, until they are forgotten", async () => {
  const [one, other] = [await homeWith("web"), await homeWith("api")] as [string, string];
  const start = async (cwd: string, ...args: string[]) => {
    const child = startRelay(cwd, ["dashboard", "--json", ...args]);
    let [printed, warned] = ["", ""];
    child.stdout.on("data", (text) => (printed += text));
    child.stderr.on("data", (text) => (warned += text));
    await until("the links are printed", () => printed.includes("\n"));
    const end = async () => {
      child.kill("SIGTERM");
      await until("it ends", () => child.exitCode !== null);
      return warned;
    };
    return { ...(JSON.parse(printed) as { port: number; links: string[] }), end };
  };
  const both = await start(one, "--home", one, "--home", other);
  const [first, second] = both.links.map((link) => new URL(link)) as [URL, URL];
  const cookieOf = (text: string) => text.split(";")[0] as string;
  const get = (url: URL, route: string, cookie: string) =>
    ask(both.port, { path: `${url.pathname}${route}`, headers: { Host: first.host, Cookie: cookie } });
  const cookie = cookieOf(String((await get(first, first.search, "")).headers["set-cookie"]));
  // The cookie of one home opens no other, until the browser asks for the list.
  expect((await get(second, "page", cookie)).status).toBe(401);
  expect((await get(first, "homes", "")).status).toBe(401);
  const homes = await get(first, "homes", cookie);
  // Both folders have one name, so more of their paths tells them apart.
  const nameOf = (folder: string) => folder.split("/").slice(-2).join("/");
  expect(homes.json.homes).toEqual([
    { name: nameOf(one), folder: one, url: first.pathname, isHere: true },
    { name: nameOf(other), folder: other, url: second.pathname, isHere: false },
  ]);
  const given = homes.headers["set-cookie"] as string[];
  expect(given).toEqual([expect.stringMatching(new RegExp(`^relay=[0-9a-f]{64}; Path=${second.pathname}; HttpOnly; SameSite=Strict;`))]);
  expect(homes.text).not.toContain(cookieOf(given[0] as string).slice("relay=".length));
  expect((await get(second, "page", cookieOf(given[0] as string))).json.name).toBe(nameOf(other));
  for (const [cwd, url] of [
    [one, first],
    [other, second],
  ] as const)
    expect((await relay(cwd, ["info", "--json"])).json.dashboardUrl).toBe(`${url.origin}/`);
  expect((await relayProcess(other, ["dashboard", "--json"])).json).toMatchObject({ running: true, links: [both.links[1]] });
  // A link where a home was leads no page to another home, whatever is asked, and nothing of it is kept.
  const place = path.join(other, ".relay");
  await perform(worldAt(one, { part: "web" }), operations.send, { to: ["human"], subject: "Only of one", body: "Only of one." });
  fs.renameSync(place, `${place}-gone`);
  fs.symlinkSync(path.join(one, ".relay"), place);
  const search = `api/search?input=${encodeURIComponent(JSON.stringify({ query: "Only" }))}`;
  const routes = ["api/roster", "api/threads?at=HEAD", "api/log", search, "api/check", "api/stats"];
  const own = cookieOf(given[0] as string);
  for (const route of routes) {
    const answer = await get(second, route, own);
    expect([route, answer.status, answer.text.includes("Only of one")]).toEqual([route, 507, false]);
  }
  fs.unlinkSync(place);
  fs.renameSync(`${place}-gone`, place);
  expect((await get(second, search, own)).json).toMatchObject({ success: true, hits: [] });
  await both.end();

  const list = path.join(stateHome(), "relay/dashboard");
  const files = fs.readdirSync(list).map((name) => path.join(list, name));
  expect(files.map((file) => fs.readFileSync(file, "utf8").trim()).sort()).toEqual(
    [one, other].map((at) => path.join(at, ".relay")).sort(),
  );
  expect([list, ...files].map((at) => fs.statSync(at).mode & 0o777)).toEqual([0o700, 0o600, 0o600]);
  const again = await start(other);
  expect(again.links.map((link) => new URL(link).pathname)).toEqual([second.pathname, first.pathname]);
  await again.end();
  fs.rmSync(path.join(one, ".relay"), { recursive: true });
  const without = await start(other);
  expect(without.links).toHaveLength(1);
  expect(await without.end()).toContain(`${path.join(one, ".relay")} is not shown: it is not a home any more.`);
  expect((await relay(other, ["dashboard", "--forget", one, "--json"])).json).toMatchObject({ forgotten: path.join(one, ".relay") });
  expect((await relay(other, ["dashboard", "--forget", one])).stderr).toContain(`these are: ${path.join(other, ".relay")}`);
  expect(fs.readdirSync(list)).toHaveLength(1);
});

test("a port that is taken, and a value that is not a port, are refused with what to do", async () => {
  const folder = await homeWith("web");
  const other = net.createServer().listen(0, "127.0.0.1");
  await until("it listens", () => other.listening);
  const taken = await relayProcess(folder, ["dashboard", "--port", String((other.address() as net.AddressInfo).port)]);
  expect(taken).toMatchObject({ code: 2 });
  expect(taken.stderr).toContain("EADDRINUSE");
  expect((await relayProcess(folder, ["dashboard", "--port", "http"])).stderr).toContain("expected a number from 1 to 65535");
  expect((await relayProcess(folder, ["dashboard", "--part", "nobody"])).code).toBe(3);
  other.close();
});

test("a long question of a home that is gone is answered as a short one", async () => {
  const folder = await homeWith("web");
  const serving = await serve(folder);
  fs.renameSync(path.join(folder, ".relay"), path.join(folder, "gone"));
  const [short, long] = [await get(serving, "inbox"), await get(serving, "search", { query: "x" })];
  expect({ status: long.status, code: long.json.code }).toEqual({ status: short.status, code: short.json.code });
  expect(long.status).toBe(410);
});

/** Opens a stream as a browser does, and gives what it hears. */
function listen(
  { port, at, own }: Serving,
  lastId?: string,
): { heard: () => string; close: () => void; pause: () => void; isOpen: () => boolean } {
  let text = "";
  const socket = net.connect(port, "127.0.0.1");
  const last = lastId === undefined ? "" : `Last-Event-ID: ${lastId}\r\n`;
  socket.write(`GET ${at}stream HTTP/1.1\r\nHost: ${own["Host"]}\r\nCookie: ${own["Cookie"]}\r\n${last}\r\n`);
  socket.setEncoding("utf8").on("data", (chunk) => (text += chunk));
  socket.on("error", () => {});
  return { heard: () => text, close: () => socket.destroy(), pause: () => socket.pause(), isOpen: () => !socket.destroyed };
}

test("a write of any process is hinted, with a number that a later stream goes on from", async () => {
  const folder = await homeWith("web", "api");
  const served = await serve(folder);
  const one = listen(served);
  await until("it is told to look", () => one.heard().includes('"areas":["all"]'));
  await relayProcess(folder, ["send", "api", "Hello", "By another process.", "--part", "web"]);
  await until("it is told of the inbox", () => /"areas":\[[^\]]*"inbox"/.test(one.heard()));
  const known = /** the last id */ [...one.heard().matchAll(/^id: (.*)$/gm)].at(-1)?.[1] as string;
  fs.writeFileSync(path.join(folder, ".relay/memory.md"), "By hand.\n");
  await until(
    "it is told of what was written by hand",
    () => [...one.heard().matchAll(/^id: /gm)].length > 1 && one.heard().split(known)[1]?.includes("id: ") === true,
  );
  const newest = [...one.heard().matchAll(/^id: (.*)$/gm)].at(-1)?.[1] as string;
  one.close();
  const late = listen(served, known);
  await until("one that missed something is told to look again", () => late.heard().includes('"areas":["all"]'));
  late.close();
  const same = listen(served, newest);
  await until("one that missed nothing is told nothing", () => same.heard().includes("retry: 300"));
  expect(same.heard()).not.toContain("areas");
  same.close();
});

test("a home of more folders than are compared stays live: those that are near the top, and of these the newest, are compared", async () => {
  const folder = await homeWith("web");
  const home = path.join(folder, ".relay");
  for (let n = 0; n < 4_200; n += 1) fs.mkdirSync(path.join(home, `inbox/p${n}/new`), { recursive: true });
  const page = listen(await serve(folder));
  await until("it is told to look", () => page.heard().includes('"areas":["all"]'));
  fs.writeFileSync(path.join(home, "inbox/p999/new/one.md"), "");
  await until("it is told of the inbox that comes last by its name", () => /"areas":\[[^\]]*"inbox"/.test(page.heard()));
  fs.mkdirSync(path.join(home, "sessions/late/tasks"), { recursive: true });
  await until("it is told of a session", () => /"areas":\[[^\]]*"sessions"/.test(page.heard()));
  page.close();
});

test("homes that are too many to be shown together are named, and so is a state folder that does not count", async () => {
  const folder = await homeWith("web");
  const state = scratch();
  const warnings = (XDG_STATE_HOME: string): string => {
    vi.stubEnv("XDG_STATE_HOME", XDG_STATE_HOME);
    const { asked, warnings } = choosePages({ home: [folder], readOnly: true });
    for (const { stream } of asked) stream.close();
    return warnings.join("\n");
  };
  const roots = Array.from({ length: 51 }, (_, n) => path.join(folder, `listed-${String(n).padStart(2, "0")}/.relay`));
  listHomes(worldAt(folder, { env: { XDG_STATE_HOME: state } }), roots);
  const said = warnings(state);
  expect(said).toContain(`not shown: ${roots[50]}: at most 50 homes`);
  expect(said).not.toContain(`not shown: ${roots[49]}`);
  expect(said).not.toContain("XDG_STATE_HOME");
  expect(warnings(path.join(folder, "state"))).toContain("XDG_STATE_HOME is ignored: ");
});

test("a thousand connections, and as many streams as there may be, do not take it down", async () => {
  const served = await serve(await homeWith("web"));
  const idle = Array.from({ length: 1_000 }, () => net.connect(served.port, "127.0.0.1").on("error", () => {}));
  const streams = Array.from({ length: MOST_CLIENTS }, () => listen(served));
  await until("all listen", () => served.page.stream.size === MOST_CLIENTS);
  expect((await ask(served.port, { path: `${served.at}stream`, headers: served.own })).status).toBe(503);
  expect((await get(served, "status")).status).toBe(200);
  for (const each of streams) each.close();
  for (const each of idle) each.destroy();
  await until("they are forgotten", () => served.page.stream.size === 0);
});

test("a client that does not read is dropped, and the others hear everything", async () => {
  const served = await serve(await homeWith("web"));
  const stalled = listen(served);
  stalled.pause();
  const quick = listen(served);
  await until("both listen", () => served.page.stream.size === 2);
  const areas = ["x".repeat(65_536)];
  let hints = 0;
  await until("the stalled one is dropped", async () => {
    served.page.stream.hint(areas);
    hints += 1;
    const length = quick.heard().length;
    await until("the quick one has read", () => quick.heard().length > length);
    return served.page.stream.size === 1;
  });
  const numbers = (): number[] => [...quick.heard().matchAll(/^id: s\w+\.(\d+)$/gm)].map(([, number]) => Number(number));
  await until("the quick one heard each", () => numbers().length > hints);
  // A look may have told something before it listened.
  expect(numbers()).toEqual(numbers().map((_, at) => (numbers()[0] as number) + at));
  quick.close();
  stalled.close();
});
