/** pi. */

import { defineHost, moduleAnswers, moduleBody, withProviders } from "./host.ts";
import { PI_TOOLS, piProgram } from "./pi-program.ts";
import { piRecord } from "./pi-record.ts";

/** Its extension: told at the beginning and the end of a turn, after a tool, and woken when mail comes. */
const extension = (words: readonly string[]): string => `${moduleBody("pi", words)}
export default function relay(pi) {
  let session = String(process.pid);
  let isNew = true;
  let isWaiting = false;
  const say = (text) => pi.sendUserMessage(text, { deliverAs: "followUp" });
  pi.on("session_start", (_event, ctx) => {
    session = ctx.sessionManager?.getSessionId?.() ?? session;
    isNew = true;
  });
  pi.on("before_agent_start", async (_event, ctx) => {
    const { text } = await ask(isNew ? "session-start" : "prompt", session, ctx.cwd);
    isNew = false;
    return text ? { message: { customType: "relay", content: text, display: true } } : undefined;
  });
  pi.on("tool_result", async (event, ctx) => {
    const { text } = ctx.hasUI ? await ask("tool", session, ctx.cwd) : {};
    return text ? { content: [...event.content, { type: "text", text }] } : undefined;
  });
  pi.on("agent_end", async (_event, ctx) => {
    const { reason } = await ask("stop", session, ctx.cwd);
    // With nobody before it the last words are the answer, and pi ends.
    if (!ctx.hasUI) return;
    if (reason) return void say(reason);
    if (isWaiting) return;
    isWaiting = true;
    ask("idle", session, ctx.cwd).then(({ wake }) => {
      isWaiting = false;
      if (wake) say(wake);
    });
  });
}
`;

export const pi = defineHost({
  name: "pi",
  title: "pi",
  tested: "1.6.0",
  folder: ".pi/agent",
  folderVariable: { name: "PI_CODING_AGENT_DIR" },
  // Without this its tools are reached by scripts only.
  server: { base: "agent", path: "mcp.json", format: "json", under: ["mcpServers"], also: { exposure: "direct" } },
  allowance: { by: "default" },
  instructions: { reads: ["AGENTS.md", "CLAUDE.md"], makes: "AGENTS.md" },
  hooks: {
    base: "agent",
    path: "extensions/relay.ts",
    shape: "module",
    events: [
      ["before_agent_start", ["session-start", "prompt"]],
      ["tool_result", ["tool"]],
      ["agent_end", ["stop", "idle"]],
    ],
    text: extension,
    ...moduleAnswers,
  },
  dialogs: "pi asks whether to trust a folder with skills or settings, such as Relay's skill: choose `Trust`.",
  trustStep: "run pi, and choose `Trust`",
  screen: {
    prompt: /^/,
    closing: /$/,
    box: /^──/,
    busy: [/^── \S+ Working ─/],
    dialog: [/^\s*→ \S/, /\benter select\b/],
    dialogHidesInput: true,
    showsTold: true,
    processes: /^pi$/,
  },
  once: { words: "pi -p", isOne: (word) => word === "-p" || word === "--print", asks: "" },
  client: /^pi$/,
  callSeconds: 300,
  shows: "text",
  marks: ["PI_CODING_AGENT", "PI_SESSION_ID"],
  program: piProgram,
  records: { folder: "sessions", paths: ["*/*_ID.jsonl"], project: "folder", reader: piRecord },
  officeTools: { isUsable: (tool) => PI_TOOLS.includes(tool), expected: `of pi ${PI_TOOLS.join(", ")}` },
  variables: withProviders("PI"),
  ofSession: /^PI_(?:CODING_AGENT|SESSION_ID)$/,
});
