/** Before all tests with real agents: install them, and say which are not to be had. */
import type { TestProject } from "vitest/node";
import type { AgentName } from "../models/seen.ts";
import { type Installed, install } from "./install.ts";

declare module "vitest" {
  interface ProvidedContext {
    agents: Record<AgentName, Installed>;
  }
}

export async function setup(project: TestProject): Promise<void> {
  const agents = {
    claude: await install("claude"),
    codex: await install("codex"),
    gemini: await install("gemini"),
    opencode: await install("opencode"),
  };
  for (const [agent, installed] of Object.entries(agents))
    if ("missing" in installed) console.log(`SKIPPED: every test with ${agent}, for ${installed.missing}`);
  project.provide("agents", agents);
}
