/** The SDK's client, for the demonstration, which talks to a Relay server itself. Beside `sdk.ts`, the only file that knows the SDK. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { NO_VALIDATOR } from "./no-validator.ts";

/** A connection to a server process. */
export interface StdioClient {
  /** Calls a tool; gives its structured answer. */
  call(tool: string, args: Record<string, unknown>): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

/**
 * Starts a server as an MCP host does, and connects to it.
 * @param name what the client calls itself
 * @param command the program and its arguments
 * @param cwd the folder to start it in
 * @param env its whole environment; of its own accord the SDK hands over a few names only
 */
export async function connectStdio(
  name: string,
  command: readonly [string, ...string[]],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<StdioClient> {
  const [program, ...args] = command;
  const client = new Client({ name, version: "1.0.0" }, { jsonSchemaValidator: NO_VALIDATOR });
  await client.connect(new StdioClientTransport({ command: program, args, cwd, env: { ...env }, stderr: "inherit" }));
  return {
    async call(tool, given) {
      const { content, structuredContent } = await client.callTool({ name: tool, arguments: given });
      // Some tools answer in words alone.
      return (structuredContent ?? { text: (content as { text?: unknown }[])[0]?.text }) as Record<string, unknown>;
    },
    close: () => client.close(),
  };
}
