/** Claude Code. */

import { claudeProgram } from "./claude-program.ts";
import { claudeRecord } from "./claude-record.ts";
import { CHOICES, claudeAnswers, defineHost, type HostFile, type Read, under } from "./host.ts";

const SETTINGS: HostFile = { base: "worktree", path: ".claude/settings.local.json", format: "json" };
/** Settings that came with the code. */
const SHARED: HostFile = { ...SETTINGS, path: ".claude/settings.json" };
/** Where a person is before it, by the way in which it was started. */
const ATTENDED = ["cli", "claude-vscode", "claude-desktop"];

/** Whether a list of settings has Relay's server. */
const hasRelay = (place: Read, key: string): boolean => Array.isArray(place[key]) && (place[key] as unknown[]).includes("relay");

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
  alsoHooks: SHARED,
  settings: [{ ...SETTINGS, base: "agent", path: "settings.json" }, SETTINGS, SHARED],
  off: [
    [["disableAllHooks"], true],
    [["permissions", "deny"], "mcp__relay"],
  ],
  trust: {
    files: { state: { path: ".claude.json", format: "json", beside: true } },
    folder: ({ state }, folder) => (under(under(state, "projects"), folder)["hasTrustDialogAccepted"] === true ? true : null),
    server: {
      isApproved({ state }, folders, { own, shared }) {
        const places = [...folders.map((folder) => under(under(state, "projects"), folder)), ...own];
        if ([...places, ...shared].some((place) => hasRelay(place, "disabledMcpjsonServers"))) return false;
        const isApproved = (place: Read): boolean =>
          place["enableAllProjectMcpServers"] === true || hasRelay(place, "enabledMcpjsonServers");
        return places.some(isApproved) ? true : null;
      },
      step: "run claude, and choose to use the server when it asks",
    },
  },
  dialogs:
    "Claude Code asks whether to trust this folder, with No chosen: choose `Yes, I trust this folder`. Then it asks whether to use the server `relay`: choose that it does.",
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
    isAlone: ({ CLAUDE_CODE_ENTRYPOINT: entry }) => (entry === undefined || ATTENDED.includes(entry) ? null : true),
  },
  plugin: {
    variable: "CLAUDE_PLUGIN_ROOT",
    isOn: (own) =>
      own.some((settings) =>
        Object.entries(under(settings, "enabledPlugins")).some(([name, isOn]) => /^relay@/.test(name) && isOn === true),
      ),
    off: "claude plugin disable relay",
  },
  channel: "claude --dangerously-load-development-channels server:relay",
  client: /^claude-code$/,
  callSeconds: 120,
  shows: "structured",
  marks: ["CLAUDECODE"],
  sessionVariable: "CLAUDE_CODE_SESSION_ID",
  projectVariable: "CLAUDE_PROJECT_DIR",
  records: { folder: "projects", paths: ["*/ID.jsonl"], project: "folder", subagents: "subagents", reader: claudeRecord },
  program: claudeProgram,
  officeTools: { isUsable: (tool) => CLAUDE_TOOLS.includes(tool), expected: `of Claude Code ${CLAUDE_TOOLS.join(", ")}` },
  variables: /^(?:ANTHROPIC_|CLAUDE_)/,
  ofSession:
    /^CLAUDE_(?:CODE_(?:ENTRYPOINT|EXECPATH|SSE_PORT|CHILD_NOTES_DIR|MESSAGING_[A-Z_]*|[A-Z_]*SESSION[A-Z_]*)|PROJECT_DIR|PLUGIN_[A-Z]+|ENV_FILE|PID|EFFORT)$/,
});
