/**
 * A program like Claude Code without a model: it prints the same events, and of the calls that one answer asks for it makes one after the
 * other. Its input says what it does in a line `sends: [...]`, of the arguments of each Send; without one it says what it was told.
 *
 * Arguments: a file for what the calls answered, then those of Claude Code.
 */
import fs from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [notes = "", ...argv] = process.argv.slice(2);
const after = (flag: string): string => argv[argv.indexOf(flag) + 1] ?? "";
const session = argv.includes("--resume") ? after("--resume") : after("--session-id");
const say = (event: Record<string, unknown>): void => void process.stdout.write(`${JSON.stringify({ session_id: session, ...event })}\n`);
const envelope = fs.readFileSync(0, "utf8");

const { office } = (
  JSON.parse(fs.readFileSync(after("--mcp-config"), "utf8")) as {
    mcpServers: { office: { command: string; args: string[]; env: Record<string, string> } };
  }
).mcpServers;
const client = new Client({ name: "serial-client", version: "1" });
await client.connect(new StdioClientTransport({ ...office, stderr: "inherit" }));
await client.listTools();
say({ type: "system", subtype: "init", mcp_servers: [{ name: "office", status: "connected" }] });

const line = envelope.split("\n").findLast((each) => each.startsWith("> sends: "));
const sends = line === undefined ? [] : (JSON.parse(line.slice("> sends: ".length)) as Record<string, unknown>[]);
// All that one answer of a model asks for is printed before the first of it is done.
for (const [n, input] of sends.entries())
  say({ type: "assistant", message: { content: [{ type: "tool_use", id: `call-${n}`, name: "mcp__office__Send", input }] } });
for (const [n, args] of sends.entries()) {
  const { structuredContent } = await client.callTool({ name: "Send", arguments: args }, undefined, { timeout: 600_000 });
  fs.appendFileSync(notes, `${JSON.stringify(structuredContent)}\n`);
  say({ type: "user", message: { content: [{ type: "tool_result", tool_use_id: `call-${n}` }] } });
}
await client.close();
const result = sends.length === 0 ? `told: ${envelope}` : "I wait.";
say({ type: "result", subtype: "success", is_error: false, result });
