/** Gemini CLI. */

import { GEMINI_CHANNELS, geminiProgram } from "./gemini-program.ts";
import { geminiRecord } from "./gemini-record.ts";
import { CHOICES, claudeAnswers, defineHost, type HostFile, under } from "./host.ts";

const SETTINGS: HostFile = { base: "agent", path: "settings.json", format: "jsonc" };

export const gemini = defineHost({
  name: "gemini",
  title: "Gemini CLI",
  tested: "0.61.0",
  folder: ".gemini",
  folderVariable: { name: "GEMINI_CLI_HOME", isAround: true },
  server: { ...SETTINGS, under: ["mcpServers"], also: {} },
  inProject: ".gemini/settings.json",
  former: { base: "worktree", path: ".gemini/settings.json", format: "jsonc" },
  allowance: { by: "entry", fields: { trust: true } },
  off: [
    [["mcp", "excluded"], "relay"],
    [["hooksConfig", "enabled"], false],
  ],
  instructions: { reads: ["GEMINI.md"], makes: "GEMINI.md" },
  hooks: {
    ...SETTINGS,
    ...claudeAnswers,
    goesOn: (reason) => ({ decision: "deny", reason }),
    shape: "groups",
    events: [
      ["SessionStart", ["session-start"]],
      ["BeforeAgent", ["prompt"]],
      ["AfterTool", ["tool"]],
      ["AfterAgent", ["stop"]],
    ],
    entry: (moment, command, seconds) => ({ name: `relay-${moment}`, type: "command", command, timeout: seconds * 1_000 }),
  },
  trust: {
    files: {
      settings: { path: "settings.json", format: "json" },
      trusted: { path: "trustedFolders.json", format: "json" },
    },
    folder({ settings, trusted }, folder) {
      if (under(under(settings, "security"), "folderTrust")["enabled"] === false) return true;
      const level = trusted?.[folder];
      return typeof level === "string" ? level.startsWith("TRUST_") : null;
    },
  },
  dialogs: "Gemini CLI asks once whether to trust this folder; before that it uses no server (/permissions).",
  trustStep: "run gemini, then type /permissions",
  screen: {
    prompt: /^ ?(?:│ )?[>*!] /,
    closing: /\s*│?$/,
    hint: /^38;5;248$/,
    hintWords: /^Type your message or @path\/to\/file$/,
    busy: [/\(esc to cancel, \d/],
    dialog: [
      CHOICES,
      /\bAllow execution of\b/,
      /\bApply this change\?/,
      /\bUse Enter to select\b/i,
      /\bWaiting for (user )?confirmation\b/i,
    ],
    dialogHidesInput: true,
    showsTold: true,
    processes: /^gemini$/,
  },
  once: {
    words: "gemini -p",
    isOne: (word) => /^(-p|--prompt)(=|$)/.test(word),
    asks: "asks before each tool of Relay's, and has none of them",
  },
  client: /^gemini-cli-mcp-client/,
  callSeconds: 300,
  shows: "text",
  marks: ["GEMINI_CLI"],
  projectVariable: "GEMINI_PROJECT_DIR",
  records: { folder: "tmp", paths: ["*/chats/*ID.jsonl", "*/chats/*ID.json"], idLength: 8, project: "file", reader: geminiRecord },
  program: geminiProgram,
  officeTools: {
    isUsable: (tool) => !GEMINI_CHANNELS.includes(tool),
    expected: "a tool of Gemini CLI that asks neither agents nor people",
  },
  variables: /^(?:GEMINI_|GOOGLE_)/,
  ofSession: /^GEMINI_(?:CLI|CLI_NO_RELAUNCH|CLI_TRUST_WORKSPACE|SESSION[A-Z_]*|PROJECT_DIR)$/,
  hidesGitIdentity: true,
});
