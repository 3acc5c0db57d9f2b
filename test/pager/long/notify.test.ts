import { once } from "node:events";
import fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { createNotifier } from "../../../pager/notifier.ts";
import { endedPath, formatSession } from "../../../protocol/board/nouns/session.ts";
import { fieldsOf } from "../../../protocol/core/event/notify.ts";
import { operationList, operations, perform } from "../../../protocol/index.ts";
import { newsOf } from "../../../protocol/wake/files/news.ts";
import { remoteAt } from "../../hostile/rig/remote.ts";
import { drivenClock, untilInTime } from "../../rig/clock/driven.ts";
import { type Answer, act, cloneOf, shop } from "../../rig/clones.ts";
import { homeWith, worldAt } from "../../rig/home.ts";
import { startPager } from "../../rig/pagers.ts";
import { relay, startRelay } from "../../rig/processes.ts";
import { jsonLines, put, scratch, until } from "../../rig/scratch.ts";

/** A command that writes down what it was told, and what came of it. */
async function listener(folder: string, ...args: string[]): Promise<{ told(): Answer[]; file: string }> {
  const file = path.join(scratch(), "told");
  fs.writeFileSync(file, "");
  const script = path.join(path.dirname(file), "listen.mjs");
  const code = [
    'import fs from "node:fs";',
    "const { RELAY_EVENT, RELAY_SUBJECT, RELAY_PART, RELAY_ID, RELAY_PROJECT } = process.env;",
    'const line = fs.readFileSync(0, "utf8");',
    `fs.appendFileSync(${JSON.stringify(file)}, JSON.stringify({ line, env: { RELAY_EVENT, RELAY_SUBJECT, RELAY_PART, RELAY_ID, RELAY_PROJECT }, all: JSON.stringify(process.env) }) + "\\n");`,
  ];
  fs.writeFileSync(script, code.join("\n"));
  const added = await relay(folder, ["notify", "add", "ear", "--json", ...args, "--", process.execPath, script]);
  expect(added.json).toMatchObject({ success: true, name: "ear", replaced: false });
  return { told: (): Answer[] => jsonLines(file), file };
}

const ask = (folder: string, subject: string, more: object = {}): Promise<Answer> =>
  perform(worldAt(folder, { part: "web" }), operations.send, { to: ["human"], subject, body: "a secret text", needsHuman: true, ...more });
const finish = async (folder: string, title: string): Promise<string> => {
  const web = worldAt(folder, { part: "web" });
  const { task_id: task } = (await perform(web, operations.create_task, { title, priority: "low" })) as Answer;
  await perform(web, operations.claim_task, { task_id: task });
  await perform(web, operations.update_task, { task_id: task, status: "done" });
  return task;
};

describe("a person is told", () => {
  test("of each thing once, by two pagers and after a restart: its subject as data, and never its text", async () => {
    const folder = await homeWith("web");
    await ask(folder, "Before anybody listened");
    await finish(folder, "An old task");
    const { told } = await listener(folder);
    const pagers = [await startPager(folder), await startPager(folder)];
    const { messageId } = await ask(folder, "Which $(touch pwned) `touch pwned`; one?");
    await perform(worldAt(folder, { part: "web" }), operations.send, { to: ["human"], subject: "Only so you know", body: "b" });
    const task = await finish(folder, "A new task");
    const [session = ""] = ((await perform(worldAt(folder), operations.list_sessions, {})) as Answer).sessions as string[];
    await perform(worldAt(folder, { part: "main" }), operations.end_session, { session_id: session });
    await until("three are told", () => told().length >= 3);
    for (const pager of pagers) await pager.end();
    expect((await relay(folder, ["pager", "--once"])).code).toBe(0);
    const events = told().sort((a, b) => (a.env.RELAY_EVENT < b.env.RELAY_EVENT ? -1 : 1));
    expect(events.map(({ env }) => env)).toEqual([
      {
        RELAY_EVENT: "needs_human",
        RELAY_SUBJECT: "Which $(touch pwned) `touch pwned`; one?",
        RELAY_PART: "web",
        RELAY_ID: messageId,
        RELAY_PROJECT: "project",
      },
      {
        RELAY_EVENT: "session_ended",
        RELAY_SUBJECT: `Session ${session} ended`,
        RELAY_PART: "main",
        RELAY_ID: session,
        RELAY_PROJECT: "project",
      },
      { RELAY_EVENT: "task_done", RELAY_SUBJECT: "A new task", RELAY_PART: "web", RELAY_ID: task, RELAY_PROJECT: "project" },
    ]);
    for (const { line, env, all } of events) {
      expect(line).toMatch(/^\{.*\}\n$/);
      expect(JSON.parse(line)).toEqual({
        event: env.RELAY_EVENT,
        subject: env.RELAY_SUBJECT,
        part: env.RELAY_PART,
        id: env.RELAY_ID,
        project: env.RELAY_PROJECT,
        at: expect.any(String),
      });
      expect(line + all).not.toContain("a secret text");
    }
    expect(fs.existsSync(path.join(folder, "pwned"))).toBe(false);
    expect((await relay(folder, ["notify", "list", "--json"])).json.notifies).toMatchObject([
      { name: "ear", last: { ok: true, detail: "exit code 0" } },
    ]);
  });

  test("of what is chosen alone, and of a part that is stuck", async () => {
    const folder = await homeWith("web");
    const clock = drivenClock();
    const { told } = await listener(folder, "--on", "stuck");
    const web = worldAt(folder, { part: "web", now: clock.now });
    const { task_id: task } = (await perform(web, operations.create_task, { title: "a hard one", priority: "low" })) as Answer;
    await perform(web, operations.claim_task, { task_id: task });
    await ask(folder, "A question that another asks", { agent_id: undefined }).catch(() => {});
    await perform(worldAt(folder, { part: "human" }), operations.ack, {
      messageIds: ((await perform(worldAt(folder, { part: "human" }), operations.inbox, {})) as Answer).messages.map(
        (each: Answer) => each.messageId,
      ),
    });
    const pager = await startPager(folder, [], clock.env);
    await untilInTime("it is told", clock, () => told().length > 0);
    expect(told().map(({ env }) => env)).toMatchObject([
      { RELAY_EVENT: "stuck", RELAY_PART: "web", RELAY_ID: task, RELAY_SUBJECT: "a hard one" },
    ]);
    await pager.end();
  });

  test("of twenty of a kind in an hour, and then of how many more there were", async () => {
    const folder = await homeWith("web");
    const clock = drivenClock();
    const { told } = await listener(folder);
    for (let count = 0; count < 30; count += 1) await ask(folder, `Question ${count}`);
    const pager = await startPager(folder, [], clock.env);
    await until("the budget is spent", () => told().length >= 20);
    await untilInTime("the rest is summed up", clock, () => told().length > 20, 20 * 60_000);
    for (let count = 0; count < 3; count += 1) await ask(folder, `Later ${count}`);
    const soon = clock.now() + 10 * 60_000;
    await untilInTime("ten minutes went by", clock, () => clock.now() > soon);
    expect(told()).toHaveLength(21);
    expect(new Set(told().map(({ env }) => env.RELAY_ID)).size).toBe(21);
    expect(told().at(-1).env).toMatchObject({ RELAY_EVENT: "more", RELAY_SUBJECT: "and 10 more: 10 needs_human" });
    await pager.end();
  });

  test.each([[[]], [["--once"]]])(
    "a command that goes on when the pager ends is killed with all that it started: pager %j",
    async (args) => {
      const folder = await homeWith("web");
      const pid = path.join(scratch(), "pid");
      await relay(folder, ["notify", "add", "slow", "--", "sh", "-c", `sleep 1000 & echo $! > ${pid}; wait`]);
      await ask(folder, "Anybody?");
      const clock = drivenClock();
      const pager = startRelay(folder, ["pager", ...args], clock.env);
      const ended = once(pager, "exit");
      await until("it runs", () => fs.existsSync(pid) && fs.readFileSync(pid, "utf8").endsWith("\n"));
      pager.kill("SIGTERM");
      await until("it ends", () => {
        clock.advance(1_000);
        return pager.exitCode !== null;
      });
      expect(await ended).toEqual([0, null]);
      await until("it is gone", () => !fs.existsSync(`/proc/${fs.readFileSync(pid, "utf8").trim()}`));
      expect((await relay(folder, ["status"])).stdout).toContain("notify slow failed");
      expect((await relay(folder, ["doctor"])).stdout).toContain("killed when the pager ended");
    },
  );
  test("of no task that a commit brought and a person took back", async () => {
    const folder = await homeWith("web");
    const world = worldAt(folder);
    const task = await finish(folder, "A task");
    const [session = ""] = ((await perform(world, operations.list_sessions, {})) as Answer).sessions as string[];
    const file = path.join(folder, `.relay/sessions/${session}/tasks/${task}.md`);
    expect(newsOf(world, new Set(["task_done"]), new Map())).toMatchObject([{ kind: "task_done", id: task }]);
    fs.appendFileSync(file, `\n- ${new Date(world.now()).toISOString()} main: taken back\n`);
    expect(newsOf(world, new Set(["task_done"]), new Map())).toEqual([]);
  });

  test("by one look alone, though the command takes long", async () => {
    const folder = await homeWith("web");
    const done = path.join(scratch(), "done");
    const slow = `touch ${done}.begun; until [ -e ${done}.go ]; do sleep 0.01; done; echo "$RELAY_EVENT" >> ${done}`;
    await relay(folder, ["notify", "add", "slow", "--", "sh", "-c", slow]);
    await ask(folder, "Anybody?");
    const clock = drivenClock();
    const ended = once(startRelay(folder, ["pager", "--once"], clock.env), "exit");
    await until("it has begun", () => fs.existsSync(`${done}.begun`));
    clock.advance(9_000);
    fs.writeFileSync(`${done}.go`, "");
    expect(await ended).toEqual([0, null]);
    expect(fs.readFileSync(done, "utf8")).toBe("needs_human\n");
  });
});

describe("by a webhook", () => {
  const servers: http.Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });
  const serve = async (answer: http.RequestListener): Promise<string> => {
    const server = http.createServer(answer).listen(0, "127.0.0.1");
    servers.push(server);
    await once(server, "listening");
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };

  test("it gets the same JSON; an address that leads elsewhere is not followed, and each failure is said", async () => {
    const folder = await homeWith("web");
    const got: { path: string; type: string; body: string }[] = [];
    const url = await serve(async (request, response) => {
      let body = "";
      for await (const piece of request) body += piece;
      got.push({ path: request.url ?? "", type: request.headers["content-type"] ?? "", body });
      if (request.url === "/moved") response.writeHead(307, { location: "/elsewhere" });
      else if (request.url === "/broken") response.writeHead(500);
      response.end("x".repeat(100_000));
    });
    for (const name of ["good", "moved", "broken"])
      expect((await relay(folder, ["notify", "add", name, "--webhook", `${url}/${name}`])).code).toBe(0);
    const pager = await startPager(folder);
    const { messageId } = await ask(folder, "Which one?");
    await until("all are called", () => got.length >= 3);
    await until("all is kept", async () =>
      (await relay(folder, ["notify", "list", "--json"])).json.notifies.every(({ last }: Answer) => last !== null),
    );
    expect(got.map((each) => each.path).sort()).toEqual(["/broken", "/good", "/moved"]);
    for (const { type, body } of got) {
      expect(type).toBe("application/json");
      expect(JSON.parse(body)).toMatchObject({ event: "needs_human", subject: "Which one?", part: "web", id: messageId });
      expect(body).not.toContain("a secret text");
    }
    const { notifies } = (await relay(folder, ["notify", "list", "--json"])).json;
    expect(notifies.map(({ name, url: shown, last }: Answer) => [name, shown, last.ok, last.detail])).toEqual([
      ["broken", `${url}/…`, false, "status 500"],
      ["good", `${url}/…`, true, "status 200"],
      ["moved", `${url}/…`, false, "status 307: a redirect, which Relay does not follow"],
    ]);
    expect((await perform(worldAt(folder), operations.status, {})).notifyFailed).toMatchObject([{ name: "broken" }, { name: "moved" }]);
    await pager.end();
    const tested = await relay(folder, ["notify", "test", "moved", "--json"]);
    expect(tested).toMatchObject({ code: 1, json: { ok: false, tried: [{ name: "moved", ok: false }] } });
  });

  test("an address that is neither https nor http of this machine is refused", async () => {
    const folder = await homeWith();
    const addresses = ["http://example.com/x", "ftp://127.0.0.1/x", "file:///etc/passwd", "https://name:word@example.com/", "nonsense"];
    for (const url of [...addresses, "http://127.0.0.1.example.com/"])
      expect(await relay(folder, ["notify", "add", "--webhook", url, "--json"]), url).toMatchObject({
        code: 2,
        json: { code: "invalid_argument" },
      });
    expect((await relay(folder, ["notify", "list", "--json"])).json.notifies).toEqual([]);
  });
});

test("a notify is named by the person, else by its program, with a number if taken; an unknown name is refused", async () => {
  const folder = await homeWith();
  const add = async (...words: string[]): Promise<string> => (await relay(folder, ["notify", "add", "--json", ...words])).json.name;
  expect(await add("--", "/usr/bin/true", "a,b")).toBe("true");
  expect(await add("--", "true")).toBe("true-2");
  expect(await add("mine", "--", "true")).toBe("mine");
  expect((await relay(folder, ["notify", "add", "mine", "--json", "--", "false"])).json).toMatchObject({ replaced: true, argv: ["false"] });
  expect((await relay(folder, ["notify", "list", "--json"])).json.notifies.map(({ name, argv }: Answer) => [name, argv])).toEqual([
    ["mine", ["false"]],
    ["true", ["/usr/bin/true", "a,b"]],
    ["true-2", ["true"]],
  ]);
  expect((await relay(folder, ["trust", "--list"])).stdout).toContain("notify");
  expect((await relay(folder, ["notify", "remove", "mine"])).code).toBe(0);
  for (const words of [
    ["remove", "mine"],
    ["remove", "../x"],
    ["test", "mine"],
    ["add"],
    ["add", "--webhook", "https://example.com", "--", "true"],
  ])
    expect(await relay(folder, ["notify", ...words, "--json"])).toMatchObject({ code: 2, json: { code: "invalid_argument" } });
});

test("of an end of a session that was open again it says where that one came from", async () => {
  const { hub, code } = await shop("web");
  const { session_id: session } = await act(code, "main", "start_session");
  await act(code, "main", "end_session", { session_id: session });
  await act(code, "main", "reopen_session", { session_id: session });
  await act(code, undefined, "sync");
  const memory = new Map();
  const ended = () => newsOf(worldAt(code), new Set(["session_ended"]), memory);
  expect(ended()).toEqual([]);
  const now = new Date().toISOString();
  const remote = remoteAt(hub);
  remote.write(endedPath(session, 2), formatSession({ id: session, startedBy: "main", startedAt: now, endedBy: "web", endedAt: now }));
  remote.commit();
  await act(code, undefined, "sync");
  expect(ended()).toMatchObject([{ id: session, part: expect.stringContaining("web"), origin: expect.stringContaining("by sync") }]);
});

test("nothing that a push brings is a way to tell, and no agent has a tool for it", async () => {
  const { hub, code } = await shop("web");
  const remote = remoteAt(hub);
  const evil = (name: string): string =>
    JSON.stringify({
      version: 1,
      name,
      on: ["needs_human"],
      addedAt: "2020-01-01T00:00:00.000Z",
      command: { argv: ["touch", path.join(code, "pwned")], cwd: code },
    });
  for (const at of ["notify/evil.json", "local/notify/evil.json", "run/notify/evil.json"]) remote.write(at, evil("evil"));
  remote.commit();
  await act(code, undefined, "sync");
  put(path.join(code, ".relay/local/notify/evil.json"), evil("evil"));
  await act(code, "web", "send", { to: ["human"], subject: "Which?", body: "b", needsHuman: true });
  // It waits until what it found is told.
  expect((await relay(code, ["pager", "--once"])).code).toBe(0);
  expect(fs.existsSync(path.join(code, "pwned"))).toBe(false);
  expect((await act(code, undefined, "notify_list")).notifies).toEqual([]);
  for (const operation of operationList.filter(({ name }) => name.startsWith("notify"))) expect(operation.tool).toBeNull();
});

test("news from syncs says so, does not use up the news of this machine, and does not hide questions asked here", async () => {
  const { hub, code } = await shop("web", "api");
  const other = await cloneOf(hub);
  const { told } = await listener(code);
  const { session_id: session } = await act(other, "main", "start_session");
  for (let count = 0; count < 51; count += 1)
    await act(other, "api", "send", { to: ["human"], subject: `Pushed ${count}`, body: "b", needsHuman: count < 25 });
  await act(other, "human", "end_session", { session_id: session });
  await act(other, undefined, "sync");
  await act(code, undefined, "sync");
  await ask(code, "Asked here");
  const pager = await startPager(code);
  await until("all are told", () => told().length >= 12);
  await pager.end();
  const subjects = told().map(({ env }) => env.RELAY_SUBJECT);
  expect(subjects.filter((subject) => subject.startsWith("Pushed"))).toHaveLength(10);
  expect(subjects).toContain("Asked here");
  for (const { env, line, all } of told()) {
    const [origin, said] = [JSON.parse(all).RELAY_ORIGIN, JSON.parse(line)];
    expect(origin).toMatch(env.RELAY_SUBJECT === "Asked here" ? /^$/ : /^by sync, [0-9a-f]{8}$/);
    expect(said.origin ?? "").toBe(origin);
    if (said.event === "session_ended") expect(said.part).toBe(`human (${origin})`);
  }
  const { needsHuman } = await act(code, undefined, "status");
  expect(needsHuman).toContainEqual(expect.objectContaining({ subject: "Asked here", from: "web" }));
  expect(needsHuman[0].origin).toMatch(/^by sync, /);
  expect((await relay(code, ["status"])).stdout).toMatch(/\? Pushed 0 from api \(by sync, [0-9a-f]{8}\)/);
});

test("words that would act on a terminal, or are not seen, are told as one plain line", () => {
  const news = {
    kind: "task_done",
    id: "x",
    part: "web",
    subject: "$(touch x)\u001b]0;owned\u0007\n\u202etxt \u2028\u200bend\ud800",
    atMs: 0,
    hereMs: 0,
  } as const;
  expect(fieldsOf(news, "shop\r\n::error::").subject).toBe("$(touch x) ]0;owned txt  end");
  expect(fieldsOf(news, "shop\r\n::error::").project).toBe("shop ::error::");
  expect(fieldsOf({ ...news, subject: "x".repeat(1_000) }, "p").subject).toHaveLength(256);
});

test("one telling that fails is named, and the next is told as before", async () => {
  const folder = await homeWith("web");
  const world = worldAt(folder);
  const away = path.join(scratch(), "away");
  // The first that it is told of takes the home away.
  const moves = `const fs = require("node:fs"); if (fs.existsSync(".relay")) fs.renameSync(".relay", ${JSON.stringify(away)});`;
  const { addedAt } = (await perform(world, operations.notify_add, { name: "ear", argv: [process.execPath, "-e", moves] })) as Answer;
  await until("a later moment", () => Date.now() > Date.parse(addedAt ?? new Date().toISOString()) + 1);
  const lines: { type: string; detail?: unknown }[] = [];
  let nowMs = 0;
  const notifier = createNotifier(
    world,
    (type, more) => void lines.push({ type, detail: more["detail"] }),
    () => nowMs,
  );
  const look = async (): Promise<void> => {
    nowMs += 3_600_000;
    notifier.check(worldAt(folder));
    await notifier.idle();
  };
  await ask(folder, "One");
  await ask(folder, "Two");
  await look();
  expect(lines.map(({ type }) => type)).toEqual(["notified", "notify_failed"]);
  expect(lines[1]?.detail).toMatch(/relay\.yml|home/);
  expect(fs.existsSync(path.join(folder, ".relay")), "nothing is made in its place").toBe(false);
  fs.renameSync(away, path.join(folder, ".relay"));
  lines.length = 0;
  await ask(folder, "Three");
  await look();
  expect(lines).toMatchObject([{ type: "notified" }]);
  await notifier.close();
});
