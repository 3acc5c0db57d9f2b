/** GitHub Copilot CLI. */

import { COPILOT_CHANNELS, copilotProgram } from "./copilot-program.ts";
import { copilotRecord } from "./copilot-record.ts";
import { CHOICES, defineHost } from "./host.ts";

export const copilot = defineHost({
  name: "copilot",
  title: "Copilot CLI",
  tested: "1.0.102",
  folder: ".copilot",
  folderVariable: { name: "COPILOT_HOME" },
  server: {
    base: "agent",
    path: "mcp-config.json",
    format: "json",
    under: ["mcpServers"],
    also: { type: "local", tools: ["*"] },
  },
  allowance: { by: "words", words: "`copilot --allow-tool=relay`" },
  instructions: { reads: ["AGENTS.md", "CLAUDE.md"], makes: "AGENTS.md" },
  hooks: {
    base: "agent",
    path: "hooks/relay.json",
    format: "json",
    shape: "entries",
    head: { version: 1 },
    events: [
      ["sessionStart", ["session-start"]],
      ["userPromptSubmitted", ["prompt"]],
      ["postToolUse", ["tool"]],
      ["agentStop", ["stop"]],
    ],
    entry: (_, bash, timeoutSec) => ({ type: "command", bash, timeoutSec }),
    says: (_, text) => ({ additionalContext: text }),
    goesOn: (reason) => ({ decision: "block", reason }),
  },
  dialogs: "Copilot CLI asks once whether to trust this folder: choose `Yes`.",
  trustStep: "run copilot, and choose `Yes`",
  screen: {
    prompt: /^[❯>][ \u00a0]/,
    closing: /\s*┃?$/,
    busy: [/^\s*[○◌◎●] Working\b.*\besc\b/],
    dialog: [CHOICES, /\benter to (select|confirm|continue)\b/i],
    dialogHidesInput: true,
    showsTold: true,
    processes: /^copilot$/,
  },
  once: { words: "copilot -p", isOne: (word) => word === "-p" || word === "--prompt", asks: "" },
  client: /^copilot-cli$/,
  callSeconds: 300,
  shows: "both",
  marks: ["COPILOT_CLI", "COPILOT_AGENT_SESSION_ID"],
  sessionVariable: "COPILOT_AGENT_SESSION_ID",
  projectVariable: "COPILOT_PROJECT_DIR",
  program: copilotProgram,
  records: { folder: "session-state", paths: ["ID/events.jsonl"], reader: copilotRecord },
  officeTools: {
    isUsable: (tool) => !COPILOT_CHANNELS.includes(tool),
    expected: "a tool of Copilot CLI that asks neither agents nor people",
  },
  variables: /^(?:COPILOT_|GH_TOKEN$|GITHUB_TOKEN$)/,
  ofSession: /^COPILOT_(?:CLI|AGENT_SESSION_ID|PROJECT_DIR)$/,
});
