/** The server against a client that sends anything: calls by chance, frames that are no requests, too many at once. */
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { REFUSALS } from "../../../protocol/refusals.ts";
import type { Answer } from "../../rig/clones.ts";
import { count } from "../../rig/counts.ts";
import { chatty, homeWith } from "../../rig/home.ts";
import { connect, startRelay } from "../../rig/processes.ts";
import { tree } from "../../rig/scratch.ts";

type Schema = { type?: string; properties?: Record<string, Schema>; items?: Schema; enum?: unknown[]; anyOf?: Schema[] };

const raw = (...lines: unknown[]): string =>
  lines.map((line) => (typeof line === "string" ? line : `${JSON.stringify({ jsonrpc: "2.0", ...(line as object) })}\n`)).join("");
const hello = raw(
  { id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } } },
  { method: "notifications/initialized" },
);

/** Sends lines to a server of its own; gives its answers by their ids. */
async function answersTo(folder: string, lines: string): Promise<Map<unknown, Answer>> {
  const child = startRelay(folder, ["mcp", "--part", "web"]);
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (text) => (printed += text));
  child.stdin?.end(hello + lines);
  expect((await once(child, "close"))[0]).toBe(0);
  const answers = printed.split("\n").filter((line) => line !== "");
  return new Map(answers.map((line) => [JSON.parse(line).id, JSON.parse(line)]));
}

test("an incomplete request is answered in words, as the client's mistake", async () => {
  const folder = await homeWith("web");
  const broken: object[] = [
    { method: "tools/call" },
    { method: "tools/call", params: { name: 7 } },
    { method: "tools/call", params: { name: { a: 1 }, arguments: [] } },
    { method: "resources/read", params: {} },
    { method: "resources/read", params: { uri: ["x"] } },
    { method: "resources/subscribe" },
  ];
  const answers = await answersTo(folder, raw(...broken.map((each, at) => ({ id: at + 2, ...each })), { id: 99, method: "ping" }));
  for (const [at, each] of broken.entries()) {
    const { error } = answers.get(at + 2) ?? {};
    expect(error, JSON.stringify(each)).toMatchObject({ code: -32_602, message: expect.stringContaining("the request is not whole") });
    expect(error.message).not.toMatch(/[{}[\]]/);
  }
  expect(answers.get(99)).toMatchObject({ result: {} });
});

test("lines that are no requests, and a frame of a megabyte, are survived", async () => {
  const folder = await homeWith("web");
  const noise = [
    ...["\n", "{}\n", "[]\n", "null\n", "{\n", "\u0000\n"],
    ...['"x"\n', `${"[".repeat(50_000)}\n`, '{"jsonrpc":"1.0","id":3}\n', "\ufeff{}\n"],
  ];
  const large = { id: 50, method: "tools/call", params: { name: "whoami", arguments: { agent_id: "x".repeat(1_000_000) } } };
  const answers = await answersTo(folder, raw(...noise, large, { id: 99, method: "ping" }));
  expect(answers.get(50)).toMatchObject({ result: { isError: true } });
  expect(answers.get(99)).toMatchObject({ result: {} });
});

test("a client watches so many resources, and not one more", async () => {
  const folder = await homeWith(...Array.from({ length: 104 }, (_, at) => `p${at}`));
  const agent = await connect(folder, { env: { RELAY_PART: "p0" } });
  const uri = (at: number): string => `relay://inbox/p${at}`;
  for (let at = 0; at < 100; at += 1) await agent.client.subscribeResource({ uri: uri(at) });
  await expect(agent.client.subscribeResource({ uri: uri(100) })).rejects.toThrow("100 resources");
  await agent.client.subscribeResource({ uri: uri(7) });
  await agent.client.unsubscribeResource({ uri: uri(3) });
  await agent.client.subscribeResource({ uri: uri(100) });
  await agent.close();
});

/** What anybody might put where a text, a number or a list is expected. */
const ODD = [
  ...[null, true, -1, 0, 1e308, 2 ** 53, "", " ", "../..", "\u0000", "\ud800", "a".repeat(70_000), "web", "main", "human", [], {}, [[]]],
];
const odd = (): unknown => ODD[Math.floor(Math.random() * ODD.length)];
const often = (odds: number): boolean => Math.random() < odds;

/** A value by a schema, mostly; at times another. */
function anyOf(schema: Schema, depth: number): unknown {
  if (often(0.2) || depth > 4) return odd();
  if (schema.enum !== undefined) return schema.enum[Math.floor(Math.random() * schema.enum.length)];
  if (schema.anyOf !== undefined) return anyOf(schema.anyOf[Math.floor(Math.random() * schema.anyOf.length)] as Schema, depth);
  switch (schema.type) {
    case "object":
      return argumentsOf(schema, depth + 1);
    case "array":
      return Array.from({ length: Math.floor(Math.random() * 4) }, () => anyOf(schema.items ?? {}, depth + 1));
    case "integer":
    case "number":
      return Math.floor(Math.random() * 100) - 10;
    case "boolean":
      return often(0.5);
    default:
      return ["web", "api", "text", "x y", "2026-01-31", "done"][Math.floor(Math.random() * 6)];
  }
}

function argumentsOf(schema: Schema, depth = 0): Record<string, unknown> {
  const given = Object.entries(schema.properties ?? {}).filter(() => often(0.6));
  return Object.fromEntries(given.map(([name, each]) => [name, anyOf(each, depth)]));
}

test("every tool, called with anything: a flat answer, a refusal of the catalogue, nothing written by one that refuses", async () => {
  const folder = await homeWith("web", "api");
  const agent = await connect(folder);
  const { tools } = await agent.client.listTools();
  const shared = (): string => JSON.stringify(tree(path.join(folder, ".relay"), /^(\.git|run|local|outbox|events)(\/|$)/));
  const wanted = count(600, 20_000);
  // Waiting is what these do.
  const quick = tools.filter(({ name }) => name !== "wait");
  for (let calls = 0; calls < wanted; calls += 1) {
    const tool = quick[calls % quick.length] as (typeof tools)[number];
    const given = argumentsOf(tool.inputSchema as Schema);
    const before = calls % 10 === 0 ? shared() : null;
    const told = await agent.call(tool.name, given);
    const about = `${tool.name} ${JSON.stringify(given).slice(0, 300)}: ${JSON.stringify(told).slice(0, 300)}`;
    if ((told as Answer).success === true) continue;
    const { code, error } = told as Answer;
    expect(Object.keys(REFUSALS), about).toContain(code);
    expect(code, about).not.toBe("internal");
    expect(error, about).not.toMatch(/\n\s+at /);
    if (before !== null) expect(shared(), about).toBe(before);
  }
  const memory = /VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${agent.pid}/status`, "utf8"))?.[1];
  expect(Number(memory)).toBeLessThan(300_000);
  await agent.close();
});

test("a thousand calls at once are all answered, and a client that reads nothing holds up no other", async () => {
  const folder = chatty(await homeWith("web", "api"));
  const agent = await connect(folder, { env: { RELAY_PART: "web" } });
  const sends = Array.from({ length: count(200, 1_000) }, (_, at) => agent.call("send", { to: ["api"], subject: `${at}`, body: "b" }));
  const told = (await Promise.all(sends)) as Answer[];
  expect(told.filter(({ success }) => success !== true)).toEqual([]);
  expect(fs.readdirSync(path.join(folder, ".relay/inbox/api/new"))).toHaveLength(told.length);
  await agent.close();
  const deaf = startRelay(folder, ["mcp", "--part", "api"]);
  const inbox = { method: "tools/call", params: { name: "inbox", arguments: { limit: 200 } } };
  deaf.stdin?.write(hello + raw(...Array.from({ length: 200 }, (_, at) => ({ id: at + 2, ...inbox }))));
  const other = await connect(folder, { env: { RELAY_PART: "api" } });
  expect(await other.call("whoami")).toMatchObject({ success: true });
  await other.close();
  deaf.kill("SIGTERM");
  await once(deaf, "exit");
});
