/** Qwen Code. */

import { CHOICES, claudeHooks, defineHost, type HostFile, withProviders } from "./host.ts";
import { QWEN_TOOLS, qwenProgram } from "./qwen-program.ts";
import { qwenRecord } from "./qwen-record.ts";

const SETTINGS: HostFile = { base: "agent", path: "settings.json", format: "jsonc" };

export const qwen = defineHost({
  name: "qwen",
  title: "Qwen Code",
  tested: "0.24.4",
  folder: ".qwen",
  // Without this its tools are hidden behind a search.
  server: { ...SETTINGS, under: ["mcpServers"], also: { alwaysLoadTools: true } },
  inProject: ".qwen/settings.json",
  allowance: { by: "entry", fields: { trust: true } },
  off: [
    [["mcp", "excluded"], "relay"],
    [["disableAllHooks"], true],
  ],
  instructions: { reads: ["AGENTS.md", "QWEN.md"], makes: "AGENTS.md" },
  hooks: {
    ...SETTINGS,
    // Qwen Code calls the prompt's hook before each request; what was told already keeps it to once a turn.
    ...claudeHooks,
    entry: (_, command, seconds) => ({ type: "command", command, timeout: seconds * 1_000 }),
  },
  dialogs: "Qwen Code asks nothing about a server of your own settings.",
  trustStep: "run qwen",
  screen: {
    prompt: /^> /,
    closing: /[\s\u200b]*[│█]?$/,
    hint: /^38;5;103$/,
    hintWords: /^Type your message or @path\/to\/file$/,
    busy: [/\(\d+s · esc to cancel\)/],
    dialog: [CHOICES, /\bAllow execution of\b/, /\bWaiting for user confirmation\b/, /\bUntrusted MCP server\b/],
    dialogHidesInput: true,
    showsTold: true,
    processes: /^qwen$/,
  },
  once: {
    words: "qwen -p",
    isOne: (word) => /^(-p|--prompt)(=|$)/.test(word),
    asks: "asks before each tool of Relay's, and may refuse it",
  },
  client: /^qwen-cli-mcp-client/,
  callSeconds: 300,
  shows: "both",
  marks: ["QWEN_CODE", "QWEN_CODE_SESSION_ID"],
  sessionVariable: "QWEN_CODE_SESSION_ID",
  projectVariable: "QWEN_PROJECT_DIR",
  program: qwenProgram,
  records: { folder: "projects", paths: ["*/chats/ID.jsonl"], project: "folder", reader: qwenRecord },
  officeTools: { isUsable: (tool) => QWEN_TOOLS.includes(tool), expected: `of Qwen Code ${QWEN_TOOLS.join(", ")}` },
  variables: withProviders("QWEN", "DASHSCOPE"),
  ofSession: /^QWEN_(?:CODE|CODE_SESSION_ID|CODE_PROJECT_DIR|PROJECT_DIR)$/,
});
