/**
 * The only file that knows @modelcontextprotocol/sdk. The low-level server is used: it takes JSON Schema as it is, and
 * lets refusals keep Relay's own shape.
 */
import { fileURLToPath } from "node:url";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import {
  CallToolRequestSchema,
  ErrorCode,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  RootsListChangedNotificationSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";

/** A tool as `tools/list` shows it. */
export interface ToolListing {
  name: string;
  title: string;
  description: string;
  inputSchema: { type: "object"; [key: string]: unknown };
  outputSchema: { type: "object"; [key: string]: unknown };
  annotations: { readOnlyHint: boolean; idempotentHint: boolean; destructiveHint: boolean; openWorldHint: boolean };
}

/** A resource, or a template of many, as the lists show it. */
export interface ResourceListing {
  uri: string;
  name: string;
  description: string;
}

/** What a server is made of; everything is Relay's, nothing the SDK's. */
export interface ServerParts {
  name: string;
  version: string;
  instructions: string;
  tools(): ToolListing[];
  /** Answers a call flatly; null for a tool that is not there. */
  call(tool: string, args: Record<string, unknown>, signal: AbortSignal): Promise<{ success: boolean } & Record<string, unknown>> | null;
  resources(): Promise<ResourceListing[]>;
  resourceTemplates(): ResourceListing[];
  /** The text of a resource; null when there is none. */
  read(uri: string): Promise<string | null>;
  subscribe(uri: string): Promise<void>;
  unsubscribe(uri: string): Promise<void>;
  /** The client is ready: who it is, and the folders it works in. Called again when its folders change. */
  ready(client: { name: string; version: string }, roots: string[]): Promise<void>;
}

/** A running server. */
export interface RunningServer {
  /** Tells subscribers that a resource changed. */
  updated(uri: string): void;
  close(): Promise<void>;
}

/** How long a client may take to name its roots. */
const ROOTS_MS = 2_000;

/** Starts a server on stdin and stdout. */
export async function serveStdio(parts: ServerParts): Promise<RunningServer> {
  const server = new Server(
    { name: parts.name, version: parts.version },
    { capabilities: { tools: {}, resources: { subscribe: true } }, instructions: parts.instructions },
  );
  let gate: Promise<void> = Promise.resolve();

  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: parts.tools() }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    await gate;
    const answering = parts.call(params.name, params.arguments ?? {}, signal);
    if (answering === null) throw new McpError(ErrorCode.InvalidParams, `no tool ${JSON.stringify(params.name)}`);
    const reply = await answering;
    return { content: [{ type: "text" as const, text: JSON.stringify(reply) }], structuredContent: reply, isError: !reply.success };
  });
  server.setRequestHandler(ListResourcesRequestSchema, async () => {
    await gate;
    return { resources: (await parts.resources()).map((resource) => ({ ...resource, mimeType: "application/json" })) };
  });
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: parts.resourceTemplates().map(({ uri, ...rest }) => ({ uriTemplate: uri, ...rest, mimeType: "application/json" })),
  }));
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params }) => {
    await gate;
    const text = await parts.read(params.uri);
    // -32002 is "resource not found" in the protocol's document.
    if (text === null) throw new McpError(-32002, `no resource ${JSON.stringify(params.uri)}`, { uri: params.uri });
    return { contents: [{ uri: params.uri, mimeType: "application/json", text }] };
  });
  server.setRequestHandler(SubscribeRequestSchema, async ({ params }) => {
    await gate;
    await parts.subscribe(params.uri);
    return {};
  });
  server.setRequestHandler(UnsubscribeRequestSchema, async ({ params }) => {
    await parts.unsubscribe(params.uri);
    return {};
  });

  const ready = async (): Promise<void> => {
    const client = server.getClientVersion();
    const roots = server.getClientCapabilities()?.roots === undefined ? [] : await rootsOf(server);
    await parts.ready({ name: client?.name ?? "agent", version: client?.version ?? "" }, roots);
  };
  server.oninitialized = () => {
    gate = ready().catch(() => {});
  };
  server.setNotificationHandler(RootsListChangedNotificationSchema, () => {
    gate = ready().catch(() => {});
  });
  // A line that is no message is answered or dropped by the SDK; it must not end the server.
  server.onerror = () => {};

  await server.connect(new StdioServerTransport());
  return {
    updated(uri) {
      server.sendResourceUpdated({ uri }).catch(() => {});
    },
    close: () => server.close(),
  };
}

async function rootsOf(server: Server): Promise<string[]> {
  try {
    const { roots } = await server.listRoots(undefined, { timeout: ROOTS_MS });
    return roots.filter(({ uri }) => uri.startsWith("file:")).map(({ uri }) => fileURLToPath(uri));
  } catch {
    return [];
  }
}
