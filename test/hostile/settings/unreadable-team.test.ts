/** A push of agents that nobody can read, where there were none: it stops no bound agent, widens what none may do, and is told. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { act, cloneOf, shop } from "../../rig/clones.ts";
import { connect } from "../../rig/processes.ts";
import { remoteAt } from "../rig/remote.ts";

const POOL = "agents.pool.yml";
const agent = (tools: string): string => `agents:\n  web: { name: web, emoji: x, systemPrompt: x${tools} }\n`;
const BROKEN = { pool: "agents: [\n", "agent in a pool": agent(", tools: 7"), team: "[\n" };

test.each(Object.entries(BROKEN))("an unreadable %s stops no agent, here and in a new clone, and is reported", async (what, text) => {
  const { hub, code } = await shop("web", "api");
  const { session_id: session } = await act(code, "main", "start_session");
  const { task_id: task } = await act(code, "main", "create_task", { title: "Parser" });
  await act(code, undefined, "sync");
  const file = what === "team" ? `session-agents-${session}.yml` : POOL;
  const evil = remoteAt(hub);
  evil.write(file, text);
  evil.commit();
  const isWhole = what === "agent in a pool";
  const synced = await act(code, undefined, "sync");
  if (!isWhole) expect(synced.arrived.did).toEqual([expect.stringContaining(`brought ${file}, which cannot be read`)]);
  expect(JSON.stringify((await act(code, undefined, "doctor")).findings)).toContain(file);
  for (const folder of [code, await cloneOf(hub)]) {
    const web = await connect(folder, { args: ["--part", "web", "--tools", "room,board"] });
    const sent = await web.call("send", { to: ["api"], subject: `from ${folder}`, body: "b" });
    expect(sent).toMatchObject({ success: true });
    expect(await web.call("get_all_tasks")).toMatchObject({ success: true });
    await web.close();
  }
  expect(await act(code, "web", "claim_task", { task_id: task })).toMatchObject({ claimed: true });
  expect(await act(code, "web", "send_message", { content: "x" })).toMatchObject({ message_id: expect.any(String) });
});

test("a pool in the home that cannot be read leaves the project's own pool in force, and what a person accepted", async () => {
  const { hub, code } = await shop("web", "api");
  fs.writeFileSync(path.join(code, POOL), agent(", tools: [claim_task]"));
  await act(code, undefined, "trust", { all: true });
  const evil = remoteAt(hub);
  evil.write(POOL, "agents: [\n");
  evil.commit();
  await act(code, undefined, "sync");
  expect(await act(code, undefined, "list_pool_agents")).toMatchObject({
    agents: [{ id: "web" }],
    warnings: [expect.stringContaining(POOL)],
  });
  const web = await connect(code, { args: ["--part", "web", "--tools", "board"] });
  expect(await web.call("create_task", { title: "T" })).toMatchObject({ code: "tool_not_allowed", allowed: ["claim_task"] });
  await web.close();
});
