/**
 * Programs that Relay knows by their documentation alone: it writes their files, and knows no screen of theirs. One that was run by the
 * tests gets a file of its own.
 */
import type { Host, HostServer } from "./host.ts";

/** Such a program. Its user allows Relay's tools when it asks for them. */
const documented = <const N extends string>(
  name: N,
  title: string,
  {
    folder,
    server,
    ...more
  }: Pick<Host, "folder"> & Partial<Omit<Host, "name" | "server">> & { server: Pick<HostServer, "base" | "path"> & Partial<HostServer> },
): Host & { name: N } => ({
  name,
  title,
  tested: null,
  folder,
  // What a program reads leniently is nothing that Relay should refuse.
  server: { format: "jsonc", under: ["mcpServers"], also: {}, ...server },
  allowance: { by: "person" },
  instructions: { reads: ["AGENTS.md"], makes: "AGENTS.md" },
  ...more,
});

export const cursor = documented("cursor", "Cursor", {
  folder: ".cursor",
  server: { base: "worktree", path: ".cursor/mcp.json" },
  hooks: {
    base: "agent",
    path: "hooks.json",
    format: "jsonc",
    shape: "entries",
    head: { version: 1 },
    events: [
      ["sessionStart", ["session-start"]],
      ["postToolUse", ["tool"]],
      ["stop", ["stop"]],
    ],
    entry: (_, command, timeout) => ({ command, timeout }),
    says: (_, text) => ({ additional_context: text }),
    goesOn: (reason) => ({ followup_message: reason }),
  },
  marks: ["CURSOR_AGENT"],
  projectVariable: "CURSOR_PROJECT_DIR",
});

export const vscode = documented("vscode", "VS Code", {
  folder: ".vscode",
  server: { base: "worktree", path: ".vscode/mcp.json", under: ["servers"], also: { type: "stdio" } },
});

export const windsurf = documented("windsurf", "Windsurf", {
  folder: ".codeium/windsurf",
  server: { base: "agent", path: "mcp_config.json" },
});

export const kiro = documented("kiro", "Kiro", {
  folder: ".kiro",
  server: { base: "agent", path: "settings/mcp.json" },
  inProject: ".kiro/settings/mcp.json",
  allowance: { by: "entry", fields: { autoApprove: ["*"] } },
  skills: ".kiro/skills",
});

export const zed = documented("zed", "Zed", {
  folder: ".config/zed",
  server: { base: "agent", path: "settings.json", under: ["context_servers"] },
  // It reads the first of them alone.
  instructions: {
    reads: [
      ".rules",
      ".cursorrules",
      ".windsurfrules",
      ".github/copilot-instructions.md",
      "AGENT.md",
      "AGENTS.md",
      "CLAUDE.md",
      "GEMINI.md",
    ],
    makes: "AGENTS.md",
  },
});

export const amp = documented("amp", "Amp", {
  folder: ".config/amp",
  server: { base: "agent", path: "settings.json", under: ["amp.mcpServers"] },
  instructions: { reads: ["AGENTS.md", "AGENT.md", "CLAUDE.md"], makes: "AGENTS.md" },
});

export const cline = documented("cline", "Cline", {
  folder: ".cline",
  server: { base: "agent", path: "data/settings/cline_mcp_settings.json" },
  client: /^@cline\/core$/,
  shows: "both",
  marks: ["CLINE_ACTIVE"],
});
