/** What to put where, for a program that Relay does not know. spec/agents.md, "Setting up agents". */
import type { Starter } from "../../core/names.ts";

/**
 * Text that names the entries of a set-up, for a person who puts them into the program's files.
 * @param tools the groups of tools that its server serves
 * @param block the lines for the agent
 */
export function unknownHost({ program, args }: Starter, tools: string, block: string): string {
  const entry = { mcpServers: { relay: { command: program, args: [...args, "mcp", "--tools", tools] } } };
  const hook = [program, ...args, "hook"].join(" ");
  return `1. Its file of MCP servers (stdio). Many have them under \`mcpServers\`:

${JSON.stringify(entry, null, 2)}

   If it hides tools behind a search, or asks before each, exempt this server.

2. Its file of instructions, often AGENTS.md:

${block.trim()}

3. Hooks, if it runs a command with JSON on stdin ({"session_id", "cwd"}) and understands Claude Code's answers:

   when a session begins    ${hook} session-start --agent claude
   at each prompt           ${hook} prompt --agent claude
   after a tool             ${hook} tool --agent claude
   when a turn ends         ${hook} stop --agent claude

4. Without hooks, what wakes it: \`relay up --part PART -- PROGRAM\` starts it in tmux, and the pager types there where that is safe;
   \`relay part deliver PART exec -- PROGRAM ARGUMENTS\` has the pager run a command of yours.

Then type \`relay part here PART\` in its folder. It has all it needs when it calls the tool \`whoami\`, or types \`relay whoami\`.
`;
}
