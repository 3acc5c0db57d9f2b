/** Before all tests with real agents: install them, and say which are not to be had. */
import type { TestProject } from "vitest/node";
import type { AgentName } from "../models/seen.ts";
import { type Installed, install } from "./install.ts";
import versions from "./versions.json" with { type: "json" };

declare module "vitest" {
  interface ProvidedContext {
    agents: Record<AgentName, Installed>;
  }
}

export async function setup(project: TestProject): Promise<void> {
  const names = Object.keys(versions) as AgentName[];
  const found = await Promise.all(names.map(async (agent) => [agent, await install(agent)] as const));
  const agents = Object.fromEntries(found) as Record<AgentName, Installed>;
  for (const [agent, installed] of Object.entries(agents))
    if ("missing" in installed) console.log(`SKIPPED: every test with ${agent}, for ${installed.missing}`);
  project.provide("agents", agents);
}
