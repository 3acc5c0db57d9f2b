/** OpenCode, and the programs that are made of it: they have other names, and the same shapes. */

import { CHOICES, type Host, moduleAnswers, moduleBody, withProviders } from "./host.ts";
import { OPENCODE_TOOLS, opencodeProgram } from "./opencode-program.ts";
import { opencodeRecord } from "./opencode-record.ts";

/** Its plug-in: told at the beginning and the end of a turn, after a tool, and woken when mail comes. It runs in the program itself. */
const plugin = (name: string, words: readonly string[]): string => `${moduleBody(name, words)}
export const Relay = async ({ client, directory }) => {
  const begun = new Set();
  const waiting = new Set();
  const calls = new Map();
  const isOwn = async (id) => (await client.session.get({ path: { id } }))?.data?.parentID === undefined;
  const say = (id, text) => client.session.promptAsync({ path: { id }, body: { parts: [{ type: "text", text }] } });
  const wait = async (id) => {
    if (waiting.has(id)) return;
    waiting.add(id);
    const { wake } = await ask("idle", id, directory);
    waiting.delete(id);
    if (wake) await say(id, wake);
  };
  return {
    "chat.message": async ({ sessionID }, { message, parts }) => {
      if (!(await isOwn(sessionID))) return;
      const { text } = await ask(begun.has(sessionID) ? "prompt" : "session-start", sessionID, directory);
      begun.add(sessionID);
      const last = parts.at(-1);
      if (text) parts.push({ id: \`\${last?.id ?? "prt_"}z\`, sessionID, messageID: message.id, type: "text", text, synthetic: true });
    },
    "tool.execute.after": async ({ sessionID }, output) => {
      const { text } = (await isOwn(sessionID)) ? await ask("tool", sessionID, directory) : {};
      // A server's tool has its answer in pieces, the program's own tools have it as one text.
      if (text && Array.isArray(output?.content)) output.content.push({ type: "text", text });
      else if (text && typeof output?.output === "string") output.output += \`\\n\\n\${text}\`;
    },
    event: async ({ event }) => {
      const { info } = event.type === "message.updated" ? event.properties : {};
      if (info?.role === "assistant" && info.time?.completed) calls.set(info.id, info);
      const id = event.type === "session.idle" ? event.properties.sessionID : undefined;
      if (id === undefined || !(await isOwn(id))) return;
      const told = [...calls.values()].map(({ id, sessionID, modelID, time, tokens }) => ({ id, sessionID, modelID, time, tokens }));
      calls.clear();
      const { reason } = await ask("stop", id, directory, { calls: told });
      if (reason) await say(id, reason);
      else wait(id).catch(() => {});
    },
  };
};
`;

/** A program of this kind. */
const kind = <const N extends string>(name: N, title: string, more: Pick<Host, "tested" | "marks"> & Partial<Host>): Host & { name: N } =>
  ({
    name,
    title,
    folder: `.config/${name}`,
    server: { base: "agent", path: `${name}.json`, format: "jsonc", under: ["mcp"], isList: true, also: { type: "local", enabled: true } },
    inProject: `${name}.json`,
    allowance: { by: "default" },
    off: [
      [["tools", "relay_*"], false],
      [["permission", "relay_*"], "deny"],
    ],
    instructions: { reads: ["AGENTS.md", "CLAUDE.md"], makes: "AGENTS.md" },
    hooks: {
      base: "agent",
      path: "plugin/relay.js",
      shape: "module",
      events: [
        ["chat.message", ["session-start", "prompt"]],
        ["tool.execute.after", ["tool"]],
        ["session.idle", ["stop", "idle"]],
      ],
      text: (words) => plugin(name, words),
      ...moduleAnswers,
    },
    dialogs: `${title} asks nothing about its server or its plug-in.`,
    trustStep: `run ${name}`,
    screen: {
      prompt: /^ *┃ {2}/,
      closing: /$/,
      box: /^ *┃\s*$/,
      hint: /^38;5;(?:8|24[0-9])$/,
      busy: [/\besc interrupt\b/],
      dialog: [CHOICES, /△ /, /\benter confirm\b/],
      dialogHidesInput: true,
      showsTold: true,
      processes: new RegExp(`^\\.?${name}$`),
    },
    once: { words: `${name} run`, isOne: (word) => word === "run", asks: "" },
    client: new RegExp(`^${name}$`),
    callSeconds: 300,
    shows: "text",
    ofSession: new RegExp(`^${name.toUpperCase()}_(?:PID|RUN_ID|SERVER_[A-Z_]+)$`),
    ...more,
  }) as Host & { name: N };

export const opencode = kind("opencode", "OpenCode", {
  tested: "1.18.33",
  marks: ["OPENCODE"],
  program: opencodeProgram,
  // Its database is read by nobody else: its plug-in says the calls, and in a turn of the office its own lines.
  records: { folder: "", paths: [], reader: opencodeRecord },
  officeTools: { isUsable: (tool) => OPENCODE_TOOLS.includes(tool), expected: `of OpenCode ${OPENCODE_TOOLS.join(", ")}` },
  variables: withProviders("OPENCODE"),
});
export const kilo = kind("kilo", "Kilo", { tested: null, marks: ["KILO"] });
