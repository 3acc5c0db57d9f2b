/** Claude Code. */

import { claudeProgram } from "./claude-program.ts";
import { claudeRecord } from "./claude-record.ts";
import { CHOICES, claudeAnswers, defineHost, type HostFile, under } from "./host.ts";

const SETTINGS: HostFile = { base: "worktree", path: ".claude/settings.local.json", format: "json" };

/** Its tools that agents of an office may have. */
export const CLAUDE_TOOLS =
  "Read Edit Write Bash Glob Grep MultiEdit NotebookEdit WebFetch WebSearch TodoWrite LS BashOutput KillShell".split(" ");

export const claude = defineHost({
  name: "claude",
  title: "Claude Code",
  tested: "2.1.332",
  folder: ".claude",
  folderVariable: { name: "CLAUDE_CONFIG_DIR" },
  // Without this its tools are hidden behind a search.
  server: { base: "worktree", path: ".mcp.json", format: "json", under: ["mcpServers"], also: { alwaysLoad: true } },
  allowance: { by: "rule", file: SETTINGS, under: ["permissions", "allow"], rule: "mcp__relay" },
  // It reads AGENTS.md only where it has none of its own.
  instructions: { reads: ["CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"], makes: "AGENTS.md" },
  skills: ".claude/skills",
  hooks: {
    ...SETTINGS,
    ...claudeAnswers,
    shape: "groups",
    events: [
      ["SessionStart", ["session-start", "idle"]],
      ["UserPromptSubmit", ["prompt"]],
      ["PostToolUse", ["tool"]],
      ["Stop", ["stop", "idle"]],
    ],
    entry: (moment, command, timeout) => ({
      type: "command",
      command,
      ...(moment === "idle" ? { asyncRewake: true } : {}),
      timeout,
    }),
  },
  alsoHooks: { ...SETTINGS, path: ".claude/settings.json" },
  trust: {
    files: { state: { path: ".claude.json", format: "json", beside: true } },
    folder: ({ state }, folder) => (under(under(state, "projects"), folder)["hasTrustDialogAccepted"] === true ? true : null),
  },
  dialogs:
    "Begin a new session. Claude Code asks whether to trust this folder, with No chosen: choose `Yes, I trust this folder`. Then it asks whether to use the server `relay`: choose that it does.",
  trustStep: "run claude, and choose `Yes, I trust this folder`",
  screen: {
    prompt: /^(?:│ )?[❯>][ \u00a0]/,
    closing: /\s*│?$/,
    hint: /^38;5;24[0-6]$/,
    busy: [/\besc to interrupt\b/],
    dialog: [
      CHOICES,
      /\bEnter to (confirm|select|continue|stay)\b/i,
      /\bSpace to select\b/,
      /^ ?Do you want to /,
      /\bEsc to (cancel|reject all)\b/,
    ],
    dialogHidesInput: true,
    showsTold: true,
    processes: /^claude$/,
  },
  once: {
    words: "claude -p",
    isOne: (word) => word === "-p" || word === "--print",
    asks: "asks before each tool of Relay's, and denies it",
  },
  client: /^claude-code$/,
  shows: "structured",
  marks: ["CLAUDECODE"],
  projectVariable: "CLAUDE_PROJECT_DIR",
  records: { folder: "projects", paths: ["*/ID.jsonl"], project: "folder", subagents: "subagents", reader: claudeRecord },
  program: claudeProgram,
  officeTools: { isUsable: (tool) => CLAUDE_TOOLS.includes(tool), expected: `of Claude Code ${CLAUDE_TOOLS.join(", ")}` },
  variables: /^(?:ANTHROPIC_|CLAUDE_)/,
  ofSession:
    /^CLAUDE_(?:CODE_(?:ENTRYPOINT|EXECPATH|SSE_PORT|CHILD_NOTES_DIR|MESSAGING_[A-Z_]*|[A-Z_]*SESSION[A-Z_]*)|PROJECT_DIR|PLUGIN_[A-Z]+|ENV_FILE|PID|EFFORT)$/,
});
