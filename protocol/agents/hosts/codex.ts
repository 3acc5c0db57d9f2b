/** Codex. */

import { codexProgram } from "./codex-program.ts";
import { codexRecord } from "./codex-record.ts";
import { CHOICES, claudeHooks, defineHost, under } from "./host.ts";

export const codex = defineHost({
  name: "codex",
  title: "Codex",
  tested: "0.171.0",
  folder: ".codex",
  folderVariable: { name: "CODEX_HOME" },
  // Its server gets a few variables and no others: where this machine's state of Relay lies is one that it needs.
  server: {
    base: "agent",
    path: "config.toml",
    format: "toml",
    under: ["mcp_servers"],
    also: { env_vars: ["XDG_STATE_HOME"] },
  },
  inProject: ".codex/config.toml",
  allowance: { by: "entry", fields: { default_tools_approval_mode: "approve" } },
  off: [[["features", "hooks"], false]],
  instructions: { reads: ["AGENTS.md"], makes: "AGENTS.md" },
  hooks: {
    base: "agent",
    path: "hooks.json",
    format: "json",
    ...claudeHooks,
    entry: (_, command, timeout) => ({ type: "command", command, timeout }),
  },
  trust: {
    files: { config: { path: "config.toml", format: "toml" } },
    folder({ config }, folder) {
      const level = under(under(config, "projects"), folder)["trust_level"];
      return typeof level === "string" ? level === "trusted" : null;
    },
    hooks: {
      isTrusted: ({ config }, file) =>
        Object.entries(under(under(config, "hooks"), "state")).some(
          ([key, value]) => key.startsWith(file) && under({ value }, "value")["trusted_hash"] !== undefined,
        ),
      step: "run codex, then type /hooks",
    },
  },
  dialogs: "Codex asks once whether to trust this folder, then whether to trust the hooks; before that it runs none (/hooks shows them).",
  trustStep: "run codex, and choose `Trust and continue`",
  screen: {
    prompt: /^› /,
    closing: /$/,
    busy: [/\besc to interrupt\b/, /^\s*Waiting for startup\b/],
    dialog: [CHOICES, /\b(press )?enter to (confirm|select|continue)\b/i, /\benter continue\b/, /^\s*Would you like to /],
    dialogHidesInput: true,
    showsTold: true,
    processes: /^codex$/,
  },
  once: {
    words: "codex exec",
    isOne: (word) => word === "exec" || word === "e" || word === "review",
    asks: "asks before each tool of Relay's that writes, and refuses it",
    isAlone(_, begin) {
      const source = /"source"\s*:\s*"(\w+)"/.exec(begin() ?? "")?.[1];
      return source === undefined ? null : source === "exec";
    },
  },
  sandbox: (folders) => `in config.toml: [sandbox_workspace_write] writable_roots = ${JSON.stringify(folders)}`,
  client: /^codex-mcp-client$/,
  callSeconds: 300,
  shows: "structured",
  marks: ["CODEX_THREAD_ID", "CODEX_SESSION_ID", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_CI"],
  records: { folder: "sessions", paths: ["*/*/*/rollout-*-ID.jsonl"], reader: codexRecord },
  // It does all by its shell, which is all that can be taken from it.
  program: codexProgram,
  officeTools: {
    isUsable: (tool) => ["shell", "bash"].includes(tool.toLowerCase()),
    expected: "of Codex `shell`, or an empty list for an agent without one",
  },
  variables: /^(?:OPENAI_|CODEX_)/,
  ofSession: /^CODEX_(?:SANDBOX[A-Z_]*|THREAD_ID|SESSION[A-Z_]*)$/,
  sharedProcess: "app-server",
});
