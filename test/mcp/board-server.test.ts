import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { connect, relay } from "../rig/processes.ts";
import { putAll, repository, tree } from "../rig/scratch.ts";

test("a home that the plugin made: read as it is, and unchanged until it is written", async () => {
  const code = repository();
  const home = path.join(code, ".relay");
  const theirs: Record<string, string> = {
    "memory/project.md": "## stack\r\n\r\nTypeScript\r\n\r\n---\r\n_2025-11-02_\r\n\r\nWe chose it.\r\n",
    "memory/agents/dev.md": "\n---\n_2025-11-02_\n\nRun the tests first.\n",
    "sessions/2025-11-02-001-ABCD/summary.md": "# What we did\n\nAll of it.  \n\n",
    "sessions/release_1/summary.md": "# r\n",
    "agents.pool.yml":
      'agents:\n  dev:\n    name: Developer\n    emoji: "*"\n    description: Writes code\n    tools: [Read, Bash]\n    systemPrompt: |\n      You are {agent_id}.\n',
    "session-agents-2025-11-02-001-ABCD.yml": "agents:\n  dev-2:\n    extends: dev\n",
  };
  putAll(home, theirs);
  await relay(code, ["init", "web"]);
  const agent = await connect(code, { args: ["--tools", "plugin"] });
  const sessions = (await agent.call("list_sessions")).sessions;
  expect(sessions).toEqual(["release_1", "2025-11-02-001-ABCD"]);
  expect((await agent.call("get_session_summary", { session_id: sessions[1] })).summary).toBe(
    theirs["sessions/2025-11-02-001-ABCD/summary.md"],
  );
  expect((await agent.call("read_memory")).content).toBe(theirs["memory/project.md"]);
  expect((await agent.call("read_memory", { agent_id: "dev" })).content).toBe(theirs["memory/agents/dev.md"]);
  expect((await agent.call("list_pool_agents")).agents).toMatchObject([{ id: "dev", name: "Developer" }]);
  expect((await agent.call("list_agents", { session_id: sessions[1] })).agents).toMatchObject([{ id: "dev-2", name: "Developer" }]);
  expect(await agent.call("get_all_tasks", { session_id: sessions[1] })).toMatchObject({ success: true, tasks: [] });
  expect(JSON.parse((await relay(code, ["doctor", "--json"])).stdout)).toMatchObject({ ok: true });
  expect(tree(home)).toMatchObject(theirs);

  await agent.call("write_memory", { key: "stack", content: "TypeScript and Node" });
  expect(fs.readFileSync(path.join(home, "memory/project.md"), "utf8")).toBe(
    (theirs["memory/project.md"] as string).replace("TypeScript\r\n", "TypeScript and Node\r\n"),
  );
  await agent.call("start_session", { agent_id: "dev", session_id: sessions[1] });
  expect(await agent.call("create_task", { agent_id: "dev", title: "t", priority: "low" })).toMatchObject({ success: true });
  const { "memory/project.md": _written, ...others } = theirs;
  expect(tree(home)).toMatchObject(others);
  await agent.close();
});
