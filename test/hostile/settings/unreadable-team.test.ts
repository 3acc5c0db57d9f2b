/** A push of a pool that nobody can read: what a person accepted stays in force, and the pool is named. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { act, shop } from "../../rig/clones.ts";
import { connect } from "../../rig/processes.ts";
import { remoteAt } from "../rig/remote.ts";

const POOL = "agents.pool.yml";
const agent = (tools: string): string => `agents:\n  web: { name: web, emoji: x, systemPrompt: x${tools} }\n`;

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
