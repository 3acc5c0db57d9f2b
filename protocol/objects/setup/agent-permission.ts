/** The entry that lets an agent use the tools of Relay's server without asking each time. spec/agents.md, "Setting up agents". */
import { startsRelay } from "./agent-entries.ts";
import type { AgentName, FileEdit } from "./agent-setup.ts";
import { entriesAt, LENIENT, putIn, STRICT, takeOut } from "./json-text.ts";
import { parseToml } from "./toml-text.ts";

/** The tools of Relay's server, as Claude Code names them all. */
const CLAUDE_RULE = "mcp__relay";

/** Claude Code's permission to use the server's tools, in a file of its settings; without `allow` one that is there stays. */
export function permissionEdit({ base, path }: FileEdit, allow: boolean): FileEdit {
  const rules = ["permissions", "allow"];
  return {
    base,
    path,
    add(text) {
      const isThere = entriesAt(text, rules, STRICT).some(({ value }) => value === CLAUDE_RULE);
      return !allow || isThere ? text : putIn(text, rules, { value: CLAUDE_RULE }, STRICT);
    },
    remove: (text) => takeOut(text, rules, ({ value }) => value === CLAUDE_RULE, STRICT),
  };
}

/** The names of the files in which the permission stands. */
const PLACES: Record<AgentName, RegExp> = { claude: /settings(\.local)?\.json$/, codex: /config\.toml$/, gemini: /settings\.json$/ };

/** Whether a file lets an agent use the tools without asking. @throws FileError where it is malformed */
export function allowsTools(agent: AgentName, path: string, text: string | null): boolean {
  if (text === null || !PLACES[agent].test(path)) return false;
  if (agent === "claude") return entriesAt(text, ["permissions", "allow"], STRICT).some(({ value }) => value === CLAUDE_RULE);
  const servers =
    agent === "codex"
      ? ((parseToml(text)["mcp_servers"] ?? {}) as Record<string, unknown>)
      : Object.fromEntries(entriesAt(text, ["mcpServers"], LENIENT).map(({ key, value }) => [key ?? "", value]));
  const relay = servers["relay"] as { default_tools_approval_mode?: unknown; trust?: unknown } | undefined;
  return startsRelay(relay, "mcp") && (agent === "codex" ? relay?.default_tools_approval_mode === "approve" : relay?.trust === true);
}
