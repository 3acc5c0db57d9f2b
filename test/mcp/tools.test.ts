/** What a model is shown of the tools: little, plain, and true of the connection that it has. */
import fs from "node:fs";
import path from "node:path";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { expect, test } from "vitest";
import { homeWith } from "../rig/home.ts";
import { connect, relay } from "../rig/processes.ts";
import { git, repository } from "../rig/scratch.ts";

/** Tokens of the tools as Claude Code and Codex pass them on, in the count of OpenAI's newer models. */
const tokensOf = (tools: readonly { name: string; description?: string | undefined; inputSchema: object }[]): number =>
  tools.reduce((sum, { name, description, inputSchema }) => sum + encode(JSON.stringify({ name, description, inputSchema })).length, 0);

/** A server's tools and instructions. */
async function shown(folder: string, ...args: string[]) {
  const agent = await connect(folder, { args });
  const { tools } = await agent.client.listTools();
  const instructions = agent.client.getInstructions() as string;
  await agent.close();
  return { tools, instructions, names: tools.map(({ name }) => name) };
}

/** A linked worktree of a repository with a home. */
async function worktree(): Promise<string> {
  const main = repository();
  git(main, "worktree", "add", "--quiet", "../linked");
  await relay(main, ["init", "web", "api"]);
  return path.join(main, "../linked");
}

/** Every key of a schema, at any depth, without the names of arguments. */
function wordsOf(schema: object): string[] {
  return Object.entries(schema).flatMap(([word, value]) => {
    if (word === "properties") return [word, ...Object.values(value as object).flatMap(wordsOf)];
    return [word, ...(word === "items" ? wordsOf(value as object) : [])];
  });
}

test("the list is small for a model, whoever the connection is, and so are the instructions", async () => {
  const folder = await homeWith("web", "api");
  for (const [most, ...who] of [[2_100], [1_800, "--part", "web"]] as [number, ...string[]][]) {
    const room = await shown(folder, ...who, "--tools", "room");
    expect(tokensOf(room.tools)).toBeLessThanOrEqual(1_000);
    const both = await shown(folder, ...who);
    expect(tokensOf(both.tools)).toBeLessThanOrEqual(most);
    for (const { instructions } of [room, both, await shown(folder, ...who, "--channel")])
      expect(encode(instructions).length).toBeLessThanOrEqual(200);
  }
});

test("the docs say how many tokens each set of tools takes", async () => {
  const folder = await homeWith("web", "api");
  const text = fs.readFileSync("docs/usage.md", "utf8");
  const rows = [...text.matchAll(/^\| `([a-z,]+)` \|.*\| (\d+) \| (\d+) \| (\d+) \|$/gm)].map(([, groups = "", ...numbers]) => [
    groups,
    ...numbers.map(Number),
  ]);
  expect(rows).toHaveLength(5);
  for (const [groups, ...said] of rows) {
    const { tools, instructions } = await shown(folder, "--part", "web", "--tools", groups as string);
    expect([groups, ...said]).toEqual([groups, tools.length, tokensOf(tools), encode(instructions).length]);
  }
  expect(text).toContain(`take ${encode(fs.readFileSync("templates/agent-block.md", "utf8")).length}.`);
});

test("schemas have plain words alone; a limit is refused by name and number all the same", async () => {
  const folder = await homeWith("web", "api");
  const { tools } = await shown(folder, "--tools", "room,plugin");
  const words = new Set(tools.flatMap(({ inputSchema }) => wordsOf(inputSchema)));
  expect([...words].sort()).toEqual(["description", "enum", "items", "properties", "required", "type"]);
  const agent = await connect(folder, { args: ["--part", "web", "--tools", "room"] });
  const long = await agent.call("send", { to: ["api"], subject: "x".repeat(257), body: "b" });
  expect(long).toMatchObject({ success: false, code: "invalid_argument", error: expect.stringContaining("256") });
  // What the list leaves out is taken.
  const sent = { to: ["api"], subject: "s", body: "b", idempotency_key: "once", tags: ["t"] };
  expect((await agent.call("send", sent)).messageId).toBe((await agent.call("send", sent)).messageId);
  await agent.close();
});

test("a part known by binding or worktree is not asked for; agents that share a connection name themselves", async () => {
  const folder = await worktree();
  const asksIn = async (...args: string[]): Promise<string[]> =>
    (await shown(folder, ...args)).tools.flatMap(({ name, inputSchema }) => ("agent_id" in (inputSchema.properties ?? {}) ? [name] : []));
  expect(await asksIn("--tools", "room")).toEqual(["send", "reply", "next", "inbox", "ack", "wait", "close", "event"]);
  expect(await asksIn()).toEqual(expect.arrayContaining(["send", "claim_task", "get_all_tasks"]));
  expect(await asksIn("--part", "web")).toEqual([]);
  // Whose memory is meant is another question.
  expect(await asksIn("--part", "web", "--tools", "room,plugin")).toEqual(["read_memory", "write_memory"]);
  await relay(folder, ["part", "here", "web"]);
  expect(await asksIn()).toEqual([]);
  expect(await asksIn("--tools", "plugin")).toHaveLength(29);
});

test("the instructions speak of what is served and of who the connection is, and of nothing else", async () => {
  const folder = await worktree();
  const room = await shown(folder, "--tools", "room");
  expect(room.instructions).toContain("pass `agent_id`");
  expect((await shown(folder, "--tools", "room", "--part", "web")).instructions).toContain("You are part `web`.");
  await relay(folder, ["part", "here", "web"]);
  expect((await shown(folder)).instructions).toContain("You are part `web`, as this worktree says.");
  const every = (await shown(folder, "--tools", "room,plugin")).names;
  for (const groups of ["room", "board", "plugin", "room,board"]) {
    const { instructions, names } = await shown(folder, "--tools", groups);
    const spoken = [...instructions.matchAll(/`(\w+)`/g)].map((match) => match[1] as string);
    expect(spoken.filter((word) => every.includes(word) && !names.includes(word))).toEqual([]);
  }
});

test("tools of the plugin's agents are in the group plugin alone, and a call to one says where", async () => {
  const folder = await homeWith("web", "api");
  const theirs = ["get_server_info", "send_message", "get_messages"];
  const [both, plugin] = [await shown(folder), await shown(folder, "--tools", "plugin")];
  expect(both.names.filter((name) => theirs.includes(name))).toEqual([]);
  expect(both.names).toHaveLength(33);
  expect(plugin.names).toEqual(expect.arrayContaining([...theirs, "create_task"]));
  const agent = await connect(folder, { args: ["--tools", "room,board"] });
  const refused = agent.client.callTool({ name: "get_messages", arguments: {} });
  await expect(refused).rejects.toMatchObject({ code: -32602, message: expect.stringContaining("--tools plugin") });
  await agent.close();
});
