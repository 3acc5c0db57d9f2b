import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { ResourceUpdatedNotificationSchema, SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/sdk/types.js";
import { beforeEach, describe, expect, test } from "vitest";
import { PROTOCOL_VERSIONS } from "../../mcp/greet-first.ts";
import { homeWith } from "../rig/home.ts";
import { hasEnded } from "../rig/hurt.ts";
import { connect, relay, relayFile, startRelay } from "../rig/processes.ts";
import { cleanEnv, repository, scratch, tree, until } from "../rig/scratch.ts";

let folder: string;
beforeEach(async () => {
  folder = await homeWith("web", "api");
});
const presence = (): string[] =>
  Object.keys(fs.existsSync(path.join(folder, ".relay/run/presence")) ? tree(path.join(folder, ".relay/run/presence"), /^$/) : {});

test("a client whose model is shown the text of an answer gets that alone, once", async () => {
  for (const [name, isTwice] of [
    ["gemini-cli-mcp-client", false],
    ["claude-code", true],
  ] as const) {
    const agent = await connect(folder, { name, args: ["--part", "web", "--tools", "room,plugin"] });
    const { tools } = await agent.client.listTools();
    expect(tools.some(({ outputSchema }) => outputSchema !== undefined)).toBe(isTwice);
    const answer = await agent.client.callTool({ name: "roster", arguments: {} });
    expect(answer.structuredContent !== undefined).toBe(isTwice);
    expect(JSON.parse((answer.content as { text: string }[])[0]?.text as string)).toHaveProperty("parts");
    await agent.close();
  }
});

test("the list of tools is whole, annotated, and small", async () => {
  const room = await connect(folder, { args: ["--tools", "room"] });
  const { tools: few } = await room.client.listTools();
  await room.close();
  // Only agents of an earlier tool look for the shape of answers.
  expect(few.filter(({ outputSchema }) => outputSchema !== undefined)).toEqual([]);
  expect(few.map(({ name }) => name)).toEqual("send reply next inbox ack show threads search roster whoami wait close event".split(" "));
  const agent = await connect(folder, { args: ["--tools", "room,plugin"] });
  const { tools } = await agent.client.listTools();
  expect(tools.slice(0, few.length).map(({ name }) => name)).toEqual(few.map(({ name }) => name));
  for (const tool of tools) {
    expect(tool.title, tool.name).toBeTruthy();
    expect(tool.description?.length, tool.name).toBeGreaterThan(20);
    expect(tool.outputSchema?.required, tool.name).toEqual(few.some(({ name }) => name === tool.name) ? undefined : ["success"]);
    expect(Object.keys(tool.annotations ?? {}).sort(), tool.name).toEqual(["destructiveHint", "idempotentHint", "readOnlyHint"]);
  }
  const hints = Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]));
  expect(hints["inbox"]).toMatchObject({ readOnlyHint: true, idempotentHint: true });
  for (const tool of ["send", "get_messages"])
    expect(hints[tool]).toMatchObject({ readOnlyHint: false, idempotentHint: false, destructiveHint: false });
  expect(tools.filter(({ annotations }) => annotations?.destructiveHint === true)).toEqual([]);
  await agent.close();
});

test("two agents talk; answers are flat, as text and structured", async () => {
  const web = await connect(folder, { args: ["--part", "web"] });
  const api = await connect(folder, { env: { RELAY_PART: "api" } });
  expect(await api.call("whoami")).toMatchObject({ part: "api", bound: true });
  const sent = await web.call("send", { to: ["api"], subject: "Price?", body: "Which field?" });
  expect(sent).toMatchObject({ success: true, recipients: [{ part: "api", online: true }] });
  expect(await api.call("wait", { timeoutSeconds: 60 })).toMatchObject({ success: true });
  expect(await api.call("show", { thread_id: sent.threadId })).toMatchObject({ messages: [{ body: "Which field?" }] });
  await api.call("reply", { threadId: sent.threadId, body: "amount" });
  await api.call("ack", { messageId: sent.messageId });
  expect(await web.call("inbox")).toMatchObject({ unread: 1, messages: [{ from: "api", body: "amount" }] });
  expect(await web.call("whoami")).toMatchObject({ part: "web", bound: true, unread: 1 });
  expect(await web.call("threads", {})).toMatchObject({ threads: [{ status: "answered", unread: 1 }] });
  expect(await web.call("search", { query: "AMOUNT" })).toMatchObject({ total: 1 });
  expect(await web.call("event", { type: "composing" })).toMatchObject({ success: true });
  expect(await web.call("close", { threadId: sent.threadId })).toMatchObject({ status: "closed", cleared: [{ part: "web" }] });
  await web.close();
  await api.close();
});

test("while urgent mail is unread, each answer of each tool counts it, and says no more of it", async () => {
  const agent = await connect(folder, { args: ["--part", "web"] });
  const api = await connect(folder, { args: ["--part", "api"] });
  await api.call("send", { to: ["web"], subject: "Later", body: "b" });
  expect(await agent.call("get_all_tasks")).not.toHaveProperty("urgent");
  const { messageId } = await api.call("send", { to: ["web"], subject: "STOP", body: "b", urgent: true });
  for (const [tool, args] of [["get_all_tasks"], ["whoami"], ["append_memory", { content: "x" }], ["show", { threadId: "t" }]] as const)
    expect(await agent.call(tool, args), tool).toMatchObject({ urgent: 1 });
  expect(JSON.stringify(await agent.client.callTool({ name: "next", arguments: {} }))).toContain("urgent: 1");
  await expect(agent.client.callTool({ name: "nxt", arguments: {} })).rejects.toThrow('no tool "nxt"; instead: next; urgent: 1');
  await agent.call("ack", { messageId });
  expect(await agent.call("whoami")).not.toHaveProperty("urgent");
  expect(await api.call("whoami")).not.toHaveProperty("urgent");
  for (const each of [agent, api]) await each.close();
});

test("the server ends when its parent is gone, though another process holds its stdin open", async () => {
  // The shell that starts it is killed; this process keeps the pipe.
  const shell = spawn("sh", ["-c", `exec 3<&0; '${process.execPath}' '${relayFile()}' mcp --part web <&3 & echo $!; wait`], {
    cwd: folder,
    env: cleanEnv(),
    stdio: ["pipe", "pipe", "ignore"],
  });
  const pid = Number((await once(shell.stdout, "data"))[0]);
  shell.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: HELLO })}\n`);
  await once(shell.stdout, "data");
  shell.kill("SIGKILL");
  await until("its end", () => hasEnded(pid));
  shell.stdin.destroy();
});
const HELLO = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } };

/** Calls that are refused, and with which code. */
const REFUSED: [what: string, tool: string, args: Record<string, unknown>, code: string][] = [
  ["an unknown part", "send", { to: ["aip"], subject: "s", body: "b" }, "unknown_part"],
  ["a missing argument", "send", { to: ["api"], subject: "s" }, "invalid_argument"],
  ["an argument of another type", "inbox", { limit: "many" }, "invalid_argument"],
  ["an unknown argument", "inbox", { limt: 3 }, "unknown_argument"],
  ["somebody else", "inbox", { agent_id: "api" }, "bound_elsewhere"],
  ["somebody else, asked who it is", "whoami", { agent_id: "api" }, "bound_elsewhere"],
  ["a thread that is not there", "show", { threadId: "t-20260131-zzzzzzzz" }, "unknown_thread"],
];

test("every refusal has the same flat shape; an unknown tool is the protocol's own error", async () => {
  const agent = await connect(folder, { args: ["--part", "web"] });
  await agent.client.listTools();
  for (const [what, tool, args, code] of REFUSED) {
    const answer = await agent.client.callTool({ name: tool, arguments: args });
    expect(answer.isError, what).toBe(true);
    expect(answer.structuredContent, what).toMatchObject({ success: false, code, error: expect.any(String) });
    expect(JSON.parse((answer.content as { text: string }[])[0]?.text as string)).toEqual(answer.structuredContent);
  }
  await expect(agent.client.callTool({ name: "sned", arguments: {} })).rejects.toMatchObject({ code: -32602 });
  await agent.close();
});

test("arguments that are no object are refused flatly, and null means that there are none", async () => {
  const child = startRelay(folder, ["mcp", "--part", "web"]);
  const lines: { id?: number; result?: { structuredContent?: object } }[] = [];
  createInterface(child.stdout).on("line", (line) => lines.push(JSON.parse(line)));
  const say = (message: object): void => void child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  say({
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
  });
  say({ method: "notifications/initialized" });
  for (const [at, given] of [[1], "x", 7, true].entries())
    say({ id: 10 + at, method: "tools/call", params: { name: "inbox", arguments: given } });
  say({ id: 2, method: "tools/call", params: { name: "inbox", arguments: null } });
  await until("all answers", () => lines.filter(({ id }) => id !== 1).length === 5);
  for (const { id, result } of lines.filter(({ id = 0 }) => id >= 10))
    expect(result?.structuredContent, String(id)).toMatchObject({ success: false, code: "unknown_argument" });
  expect(lines.find(({ id }) => id === 2)?.result).toMatchObject({ isError: false });
  // Who greets and is ready in one breath is known by name all the same.
  expect((await relay(folder, ["roster", "--json"])).json.parts).toContainEqual(
    expect.objectContaining({ part: "web", agent: expect.objectContaining({ name: "raw" }) }),
  );
  child.stdin?.end();
  await once(child, "exit");
});

test("a connected agent stays online when its part is renamed, under the new name alone", async () => {
  const agent = await connect(folder, { args: ["--part", "web"] });
  const online = async (): Promise<string[]> =>
    (await relay(folder, ["roster", "--json"])).json.parts.flatMap(({ part, agent }: { part: string; agent: object | null }) =>
      agent !== null ? [part] : [],
    );
  await agent.call("whoami");
  expect(await online()).toEqual(["web"]);
  await relay(folder, ["part", "rename", "web", "shop/web"]);
  expect(await online()).toEqual(["shop/web"]);
  expect((await agent.call("roster")).parts).toContainEqual(expect.objectContaining({ part: "shop/web", online: true, you: true }));
  await agent.close();
  expect(await online()).toEqual([]);
});

test("an agent that names a part in a call does not replace the agent that is that part", async () => {
  const own = await connect(folder, { args: ["--part", "api"], name: "codex" });
  await own.call("whoami");
  const passing = await connect(folder, { name: "script" });
  await passing.call("inbox", { agent_id: "api" });
  expect((await passing.call("roster")).parts).toContainEqual(
    expect.objectContaining({ part: "api", agent: expect.objectContaining({ name: "codex" }) }),
  );
  await passing.close();
  await own.close();
});

describe("starting and ending", () => {
  test("starting has no side effect, presence begins with initialized, and nothing is left at the end", async () => {
    const before = tree(folder, /^$/);
    const child = startRelay(folder, ["mcp", "--part", "web"]);
    child.stdin?.write(
      `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } } })}\n`,
    );
    await once(child.stdout, "data");
    expect(tree(folder, /^$/)).toEqual(before);
    child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
    await until("the heartbeat", () => presence().length === 1);
    child.stdin?.end();
    expect((await once(child, "exit"))[0]).toBe(0);
    expect(presence()).toEqual([]);
  });

  test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("%s ends it cleanly, also in the middle of a wait", async (signal) => {
    const agent = await connect(folder, { args: ["--part", "web"] });
    await until("the heartbeat", () => presence().length === 1);
    const waiting = agent.call("wait", { timeoutSeconds: 1_000 }).catch(() => null);
    process.kill(agent.pid, signal);
    await until("the end", () => presence().length === 0);
    await waiting;
    await agent.close();
  });

  const raw = (...lines: unknown[]): string => lines.map((line) => `${JSON.stringify({ jsonrpc: "2.0", ...(line as object) })}\n`).join("");
  const initialize = (capabilities: object): string =>
    raw({
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities, clientInfo: { name: "raw", version: "1" } },
    });
  const hello = (): string => initialize({}) + raw({ method: "notifications/initialized" });

  test("the first message is answered once, before the SDK is loaded, as the SDK answers it", async () => {
    expect(PROTOCOL_VERSIONS).toEqual(SUPPORTED_PROTOCOL_VERSIONS);
    const answers = async (...pieces: string[]): Promise<Record<string, unknown>[]> => {
      const child = startRelay(folder, ["mcp", "--part", "web"]);
      let printed = "";
      child.stdout.on("data", (text) => (printed += String(text)));
      for (const piece of pieces) await new Promise((resolve) => child.stdin?.write(piece, resolve));
      await until("both answers", () => printed.split("\n").length > 2);
      child.stdin?.end();
      await once(child, "exit");
      return printed
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
    };
    const ping = raw({ id: 2, method: "ping" });
    const whole = initialize({ roots: {} });
    const early = await answers(whole.slice(0, 40), whole.slice(40) + ping);
    const bySdk = await answers(whole.replace("2025-06-18", "1999-01-01"), ping);
    expect(early).toHaveLength(2);
    expect(early[0]).toMatchObject({ id: 1, result: { protocolVersion: "2025-06-18" } });
    expect(early[1]).toEqual({ jsonrpc: "2.0", id: 2, result: {} });
    const result = bySdk[0]?.["result"] as object;
    expect(early[0]).toEqual({ ...bySdk[0], result: { ...result, protocolVersion: "2025-06-18" } });
  });

  test("it ends with the client, though subscriptions are being made", async () => {
    const child = startRelay(folder, ["mcp", "--part", "web"]);
    const subscribe = (id: number, uri: string) => ({ id, method: "resources/subscribe", params: { uri } });
    child.stdin?.end(hello() + raw(subscribe(2, "relay://roster"), subscribe(3, "relay://inbox/web"), subscribe(4, "relay://inbox/api")));
    child.stdout.resume();
    expect((await once(child, "exit"))[0]).toBe(0);
    expect(presence()).toEqual([]);
  });

  test("it ends with the client, though the client never names its roots, and leaves no part online", async () => {
    const child = startRelay(folder, ["mcp", "--part", "web"]);
    let printed = "";
    child.stdout.on("data", (text) => (printed += String(text)));
    child.stdin?.write(initialize({ roots: {} }));
    await until("the answer", () => printed.includes("serverInfo"));
    child.stdin?.write(raw({ method: "notifications/initialized" }));
    await until("the question for roots", () => printed.includes("roots/list"));
    child.stdin?.end();
    expect((await once(child, "exit"))[0]).toBe(0);
    expect(presence()).toEqual([]);
  });

  test("a line beyond reason ends it cleanly; one signal after the other too", async () => {
    const child = startRelay(folder, ["mcp", "--part", "web"]);
    child.stdout.resume();
    child.stdin?.write(hello());
    await until("the heartbeat", () => presence().length === 1);
    // The server hangs up before it has read all of it.
    child.stdin?.on("error", () => {});
    child.stdin?.write("x".repeat(11 * 1_048_576));
    expect((await once(child, "exit"))[0]).toBe(0);
    expect(presence()).toEqual([]);
    const other = startRelay(folder, ["mcp", "--part", "web"]);
    other.stdout.resume();
    other.stdin?.write(hello());
    await until("the heartbeat", () => presence().length === 1);
    for (const signal of ["SIGTERM", "SIGTERM", "SIGINT"] as const) other.kill(signal);
    expect((await once(other, "exit"))[0]).toBe(0);
    expect(presence()).toEqual([]);
  });

  test("it starts where there is no home, and says so when asked", async () => {
    const nowhere = scratch();
    const agent = await connect(nowhere, { args: ["--part", "web"] });
    expect(await agent.call("inbox")).toMatchObject({ success: false, code: "no_home" });
    await relay(nowhere, ["init", "web"]);
    expect(await agent.call("inbox")).toMatchObject({ success: true, unread: 0 });
    await agent.close();
  });
});

test("the home of the client's roots goes before the working directory, with its worktree's part", async () => {
  const code = repository();
  await relay(code, ["init", "store"]);
  await relay(code, ["part", "here", "store"]);
  const agent = await connect(folder, { roots: [scratch(), code] });
  expect(await agent.call("whoami")).toMatchObject({ part: "store", home: path.join(code, ".relay") });
  await agent.close();
});

describe("resources", () => {
  test("are listed, read, and unknown ones are refused", async () => {
    const agent = await connect(folder, { args: ["--part", "web"] });
    expect((await agent.client.listResources()).resources.map(({ uri }) => uri)).toEqual(["relay://roster", "relay://inbox/web"]);
    expect((await agent.client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      "relay://inbox/{+part}",
      "relay://thread/{id}",
    ]);
    const { threadId } = await agent.call("send", { to: ["api"], subject: "s", body: "b" });
    const read = async (uri: string) => JSON.parse(((await agent.client.readResource({ uri })).contents[0] as { text: string }).text);
    expect(await read("relay://roster")).toMatchObject({ parts: expect.any(Array) });
    expect(await read(`relay://thread/${threadId}`)).toMatchObject({ messages: [{ body: "b" }] });
    expect(await read("relay://inbox/api")).toMatchObject({ unread: 1 });
    const long = await agent.call("send", { to: ["api"], subject: "s", body: "\u001b".repeat(20_000) });
    expect(JSON.stringify(await read(`relay://thread/${long.threadId}`)).length).toBeLessThan(25_000);
    await agent.client.subscribeResource({ uri: `relay://thread/${threadId}` });
    expect((await agent.call("show", { threadId })).messages[0].receipts).toEqual([{ part: "api", state: "stored" }]);
    await expect(agent.client.readResource({ uri: "relay://thread/t-20260131-zzzzzzzz" })).rejects.toMatchObject({ code: -32002 });
    for (const uri of ["relay://inbox/../../etc", "relay://inbox/%2e%2e", "relay://inbox/nobody", "relay://nosuch", "file:///etc/passwd"]) {
      await expect(agent.client.readResource({ uri }), uri).rejects.toMatchObject({ code: -32002 });
      await expect(agent.client.subscribeResource({ uri }), uri).rejects.toMatchObject({ code: -32002 });
    }
    await agent.close();
  });

  test("subscriptions fire when the files change, whoever changed them, and stop when asked", async () => {
    const agent = await connect(folder, { args: ["--part", "web"] });
    const updated: string[] = [];
    agent.client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
      updated.push(params.uri);
    });
    await agent.client.subscribeResource({ uri: "relay://inbox/web" });
    await agent.client.subscribeResource({ uri: "relay://roster" });
    await relay(folder, ["send", "web", "s", "b", "--part", "api"]);
    await until("both updates", () => updated.includes("relay://inbox/web") && updated.includes("relay://roster"));
    const [name] = fs.readdirSync(path.join(folder, ".relay/inbox/web/new"));
    updated.length = 0;
    fs.unlinkSync(path.join(folder, ".relay/inbox/web/new", name as string));
    await until("an update for what a shell did", () => updated.includes("relay://inbox/web"));
    await agent.client.unsubscribeResource({ uri: "relay://inbox/web" });
    await agent.client.unsubscribeResource({ uri: "relay://roster" });
    updated.length = 0;
    const sent = await relay(folder, ["send", "web", "s", "b", "--part", "api", "--json"]);
    await agent.client.subscribeResource({ uri: `relay://thread/${sent.json.threadId}` });
    await relay(folder, ["reply", sent.json.threadId, "r", "--part", "web"]);
    await until("the thread's update", () => updated.length > 0);
    expect(new Set(updated)).toEqual(new Set([`relay://thread/${sent.json.threadId}`]));
    await agent.close();
  });
});
