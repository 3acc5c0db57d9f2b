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
  const agents = {} as Record<AgentName, Installed>;
  for (const agent of Object.keys(versions) as AgentName[]) agents[agent] = await install(agent);
  for (const [agent, installed] of Object.entries(agents))
    if ("missing" in installed) console.log(`SKIPPED: every test with ${agent}, for ${installed.missing}`);
  project.provide("agents", agents);
}
