/** Does what every agent's program does first: starts the server of tools that its settings name, and asks it for its tools. Argument: the settings. */
import fs from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const { command, args, env } = JSON.parse(fs.readFileSync(process.argv[2] as string, "utf8")).mcpServers.office;
const client = new Client({ name: "tool-lister", version: "1" });
await client.connect(new StdioClientTransport({ command, args, env, stderr: "inherit" }));
await client.listTools();
await client.close();
