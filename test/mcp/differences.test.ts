/** Where agents of the relay plugin and of RelayRoom find something else than there, on purpose. spec/commands.md has the same table. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { type Answer, act, project } from "../rig/clones.ts";
import { homeWith } from "../rig/home.ts";
import { connect } from "../rig/processes.ts";

/** Differences from other programs that are meant, as spec/commands.md lists them. */
const DIFFERENCES = (
  /\n### Where agents of other tools find something else\n([\s\S]*?)\n#/.exec(fs.readFileSync("spec/commands.md", "utf8"))?.[1] ?? ""
)
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| what |"))
  .map((line) => line.slice(2, line.indexOf(" | ")));

const SESSION = "s-1";
const TEAM = `agents:
  base: { name: N, emoji: e, tools: [], systemPrompt: "I am {agent_id}", disabled: true }
  clone: { extends: base }
  again: { extends: base, systemPrompt: "{{none}} of {agent_id}" }
`;

/** A team file has these agents, and one problem. */
async function teamOf(folder: string, text: string, ids: string[], problem: RegExp): Promise<void> {
  fs.writeFileSync(path.join(folder, `.relay/session-agents-${SESSION}.yml`), text);
  const { agents, problems } = await act(folder, undefined, "list_agents", { session_id: SESSION });
  expect(agents.map(({ id }: Answer) => id)).toEqual(ids);
  expect(problems).toMatchObject([{ path: `session-agents-${SESSION}.yml`, problem: expect.stringMatching(problem) }]);
}

/** Each row of the table: what is called, and what comes. */
const SHOWN: Record<string, (folder: string) => Promise<void>> = {
  "a message to an unknown name": async (folder) => {
    await expect(act(folder, "web", "send_message", { to: "wbe", content: "c" })).rejects.toMatchObject({ code: "unknown_part" });
    await expect(act(folder, "web", "send", { to: ["api", "wbe"], subject: "s", body: "b" })).rejects.toMatchObject({
      code: "unknown_part",
    });
    expect(await act(folder, "api", "inbox")).toMatchObject({ unread: 0 });
  },
  "the session before any began": async () => {
    expect(await act(await homeWith("web"), "web", "get_server_info")).toMatchObject({ sessionId: null });
  },
  "a caller that is not a part": async (folder) => {
    const letter = { agent_id: "stranger", to: ["api"], subject: "s", body: "b" };
    expect((await act(folder, undefined, "send", letter)).warning).toContain("joins as a guest");
    expect(await act(folder, "web", "send", { ...letter, agent_id: undefined, to: ["stranger"] })).toMatchObject({
      recipients: [{ part: "stranger" }],
    });
  },
  "an unknown argument": async (folder) => {
    await expect(act(folder, "web", "get_messages", { since: 1 })).rejects.toMatchObject({ code: "unknown_argument" });
  },
  "ids with a slash": async (folder) => {
    expect(await act(folder, undefined, "create_task", { agent_id: "team/dev", title: "t" })).toMatchObject({
      task_id: expect.any(String),
    });
  },
  "the prompt of a clone": async (folder) => {
    const { agents } = await act(folder, undefined, "list_agents", { session_id: SESSION });
    expect(agents.map(({ systemPrompt }: Answer) => systemPrompt)).toEqual(["I am clone", "{{none}} of again"]);
  },
  "an artifact of a missing task": async (folder) => {
    const artifact = { name: "n", type: "pr", content: "c", task_id: "task-0000000000" };
    await expect(act(folder, "web", "post_artifact", artifact)).rejects.toMatchObject({ code: "unknown_task" });
  },
  "messages that `get_messages` gave": async (folder) => {
    await act(folder, "web", "send_message", { to: "api", content: "c" });
    await act(folder, "api", "get_messages");
    expect(await act(folder, "api", "inbox")).toMatchObject({ unread: 0 });
  },
  "an answer of more than 25,000 characters": async (folder) => {
    for (const letter of ["a", "b"]) await act(folder, "web", "send_message", { to: "api", content: letter.repeat(15_000) });
    const api = await connect(folder, { args: ["--part", "api", "--tools", "plugin"] });
    const { messages, warning } = await api.call("get_messages");
    expect([messages.length, warning]).toEqual([1, expect.stringContaining(`after_seq ${messages[0].seq}`)]);
    // Who passes on no number is given what is unread.
    for (const after of [{}, { after_seq: messages[0].seq }])
      expect((await api.call("get_messages", after)).messages).toMatchObject([{ content: "b".repeat(15_000) }]);
    await act(folder, "web", "send_message", { to: "api", content: "c".repeat(30_000) });
    expect((await api.call("get_messages")).warning).toMatch(/stays unread: `relay message list --after-seq \d+ --limit 1 --json`/);
    expect(await act(folder, "api", "inbox")).toMatchObject({ unread: 1 });
    await api.close();
  },
  "a thread closed by a part that is not in it": async (folder) => {
    const { threadId } = await act(folder, "web", "send", { to: ["api"], subject: "s", body: "b" });
    await expect(act(folder, "db", "close", { threadId })).rejects.toMatchObject({ code: "not_participant" });
  },
  "a message to many": async (folder) => {
    for (let at = 0; at < 12; at += 1) await act(folder, "main", "part_add", { part: `p${at}` });
    expect((await act(folder, "web", "send", { to: ["*"], subject: "s", body: "b" })).recipients).toHaveLength(15);
  },
  "the address of a dashboard": async (folder) => {
    expect(await act(folder, "web", "get_server_info")).toMatchObject({ dashboardAvailable: false, dashboardUrl: null, port: 0 });
  },
  "a review by the author of the artifact": async (folder) => {
    const { artifact_id } = await act(folder, "web", "post_artifact", { name: "n", type: "pr", content: "c" });
    await expect(act(folder, "web", "request_review", { artifact_id, reviewer: "web" })).rejects.toMatchObject({ code: "self_review" });
  },
  "an empty recipient": async (folder) => {
    await expect(act(folder, "web", "send_message", { to: "", content: "c" })).rejects.toMatchObject({ code: "bad_part" });
  },
  "an agent that is broken": (folder) => teamOf(folder, `${TEAM}  half: { name: N }\n`, ["clone", "again"], /"half".*emoji/),
  "an unknown tool": (folder) =>
    teamOf(folder, `${TEAM}  odd: { extends: base, tools: [fly_away] }\n`, ["clone", "again", "odd"], /fly_away/),
  "braces that name no block": async (folder) => {
    const { agents } = await act(folder, undefined, "list_agents", { session_id: SESSION });
    expect(agents[1].systemPrompt).toContain("{{none}}");
  },
  "a prompt of the pool without certain headings": async (folder) => {
    fs.writeFileSync(path.join(folder, ".relay/agents.pool.yml"), "agents:\n  a: { name: N, emoji: e, tools: [], systemPrompt: Draw. }\n");
    expect((await act(folder, undefined, "list_pool_agents")).agents).toMatchObject([{ id: "a" }]);
  },
  "a hook": async (folder) => {
    const hooked = `${TEAM}  db: { name: N, emoji: e, tools: [], systemPrompt: p, hooks: { before_task: "true" } }\n`;
    fs.writeFileSync(path.join(folder, `.relay/session-agents-${SESSION}.yml`), hooked);
    const { task_id } = await act(folder, "web", "create_task", { title: "t" });
    expect(await act(folder, "db", "claim_task", { task_id })).toMatchObject({
      claimed: true,
      warnings: [expect.stringContaining("relay trust")],
    });
  },
  "the size of a session": async (folder) => {
    const post = () => act(folder, "web", "post_artifact", { name: "n", type: "pr", content: "c" });
    await post();
    const artifacts = path.join(folder, `.relay/sessions/${SESSION}/artifacts`);
    const at = (version: number): string => path.join(artifacts, fs.readdirSync(artifacts)[0] as string, `${version}.artifact.md`);
    for (let version = 2; version <= 500; version += 1) fs.copyFileSync(at(1), at(version));
    expect(await post()).toMatchObject({ version: 501 });
  },
  "an equal `send`": async (folder) => {
    const letter = { to: ["api"], subject: "s", body: "b" };
    const web = await connect(folder, { args: ["--part", "web"] });
    const { messageId } = await web.call("send", letter);
    expect(await web.call("send", letter)).toMatchObject({ duplicateOf: messageId });
    await web.close();
  },
  "tools of the knowledge": async (folder) => {
    const web = await connect(folder, { args: ["--part", "web"] });
    const { threadId } = await web.call("send", { to: ["api"], subject: "s", body: "b" });
    await expect(web.client.callTool({ name: "learn", arguments: {} })).rejects.toThrow("append_memory");
    const lesson = { title: "Undo", kind: "pitfall", body: "Down first." };
    expect(await web.call("close", { threadId, lesson })).toMatchObject({ status: "closed" });
    expect(fs.readFileSync(path.join(folder, ".relay/memory/project.md"), "utf8")).toContain("Undo (pitfall): Down first.");
    await web.close();
  },
  "the cost that an event says": async (folder) => {
    const usage = { model: "gpt-5", input_tokens: 1_000_000, cost_usd: 900 };
    await act(folder, "web", "event", { type: "complete", spawnedAgentLabel: "tests", usage });
    expect((await act(folder, "web", "usage")).total.usd).toBeLessThan(10);
  },
  "a team file that somebody deletes": async () => {
    const code = await project("web");
    const file = path.join(code, `.relay/session-agents-${SESSION}.yml`);
    fs.writeFileSync(file, TEAM);
    await act(code, "web", "record");
    fs.rmSync(file);
    await act(code, "web", "record");
    expect(fs.readFileSync(file, "utf8")).toBe(TEAM);
  },
  "the plugin's own `orchestrator-<session>.json`": async (folder) => {
    fs.writeFileSync(path.join(folder, `.relay/orchestrator-${SESSION}.json`), "{}");
    expect((await act(folder, "web", "check")).findings).toMatchObject([{ code: "unknown_file" }]);
  },
  "a restarted server": async (folder) => {
    const task = { title: "t", priority: "low", agent_id: "web" };
    const first = await connect(folder, { args: ["--tools", "plugin"] });
    const { task_id } = await first.call("create_task", task);
    await first.kill();
    const second = await connect(folder, { args: ["--tools", "plugin"] });
    expect((await second.call("get_all_tasks")).tasks).toMatchObject([{ id: task_id }]);
    await second.close();
  },
};

test.each(Object.entries(SHOWN))("%s", async (_what, holds) => {
  const folder = await homeWith("web", "api", "db");
  fs.writeFileSync(path.join(folder, `.relay/session-agents-${SESSION}.yml`), TEAM);
  await act(folder, "web", "start_session", { session_id: SESSION });
  await holds(folder);
});

test("the table of spec/commands.md has each of them, and no other", () => {
  expect(DIFFERENCES.sort()).toEqual(Object.keys(SHOWN).sort());
});
