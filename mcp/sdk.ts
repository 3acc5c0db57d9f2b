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
  ReadResourceRequestSchema,
  RootsListChangedNotificationSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { escapedJson } from "../protocol/core/format/hidden.ts";
import { askedIn, firstLineOf, type RequestId } from "./greet-first.ts";
import { type Greeting, greetingIn, inWords } from "./messages.ts";
import { NO_VALIDATOR } from "./no-validator.ts";

/** A tool as `tools/list` shows it. */
export interface ToolListing {
  name: string;
  title: string;
  description: string;
  inputSchema: { type: "object"; [key: string]: unknown };
  outputSchema?: { type: "object"; [key: string]: unknown };
  annotations: { readOnlyHint: boolean; idempotentHint: boolean; destructiveHint: boolean };
}

/** An answer that is text alone. */
export class Words {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
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
  /** Capabilities beyond the protocol's own. */
  experimental?: Record<string, object> | undefined;
  tools(): ToolListing[];
  /** Answers a call flatly, or in `words` alone; the words of a protocol error for an unknown tool. */
  call(
    tool: string,
    args: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<({ success?: boolean } & Record<string, unknown>) | Words> | string;
  /** Whether the client's model is shown the text of an answer: then it gets that alone, and no schema of answers. */
  isTextOnly(): boolean;
  resources(): Promise<ResourceListing[]>;
  resourceTemplates(): ResourceListing[];
  /** The text of a resource; throws in words when there is none. */
  read(uri: string): Promise<string>;
  /** Throws in words when there is no such resource. */
  subscribe(uri: string): Promise<void>;
  unsubscribe(uri: string): Promise<void>;
  /** The client is ready: who it is, and the folders it works in. Called again when its folders change. */
  ready(client: { name: string; version: string }, roots: string[]): Promise<void>;
  /** The connection is over: the client ended it, or sent something that cannot be read. */
  closed(): void;
}

/** A running server. */
export interface RunningServer {
  /** Tells subscribers that a resource changed. */
  updated(uri: string): void;
  /** Sends a notification that is not the protocol's own; rejects when it cannot be written. */
  notify(method: string, params: Record<string, unknown>): Promise<void>;
  close(): Promise<void>;
}

/** A call that goes on says so this often: clients that give calls a minute let it go on. */
const PROGRESS_MS = 5_000;

/** How long a client may take to name its roots. */
const ROOTS_MS = 2_000;

/**
 * Starts a server on stdin and stdout, once the first message is here.
 * @param over when no server is wanted any more
 */
export async function serveStdio(parts: ServerParts, over: AbortSignal): Promise<RunningServer> {
  const { instructions, experimental } = parts;
  const serverInfo = { name: parts.name, version: parts.version };
  const capabilities = { tools: {}, resources: { subscribe: true }, ...(experimental === undefined ? {} : { experimental }) };
  const line = await firstLineOf(process.stdin, over);
  if (line === null && process.stdin.readableEnded) parts.closed();
  const asked = line === null ? null : askedIn(line);
  let answered: RequestId | null = null;
  if (asked !== null) {
    answered = asked.id;
    const result = { protocolVersion: asked.protocolVersion, capabilities, serverInfo, instructions };
    await writeLine(`${JSON.stringify({ jsonrpc: "2.0", id: asked.id, result })}\n`);
    // The client has its answer before this process is busy with what comes.
    await new Promise((resolve) => setImmediate(resolve));
  }
  const server = new Server(serverInfo, { capabilities, instructions, jsonSchemaValidator: NO_VALIDATOR });
  let gate: Promise<void> = Promise.resolve();

  server.setRequestHandler(ListToolsRequestSchema, async () => {
    // Who the connection is goes by the client's folders.
    await gate;
    return { tools: parts.tools() };
  });
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, sendNotification }) => {
    await gate;
    signal.throwIfAborted();
    const answering = parts.call(params.name, params.arguments ?? {}, signal);
    if (typeof answering === "string") throw protocolError(ErrorCode.InvalidParams, answering);
    const progressToken = params._meta?.progressToken;
    let progress = 0;
    const tell = (token: string | number): void => {
      progress += 1;
      sendNotification({ method: "notifications/progress", params: { progressToken: token, progress } }).catch(() => {});
    };
    const telling = progressToken === undefined ? undefined : setInterval(tell, PROGRESS_MS, progressToken);
    const reply = await answering.finally(() => clearInterval(telling));
    if (reply instanceof Words) return { content: [{ type: "text" as const, text: escapedJson(reply.text) }] };
    return {
      content: [{ type: "text" as const, text: escapedJson(JSON.stringify(reply)) }],
      ...(parts.isTextOnly() ? {} : { structuredContent: reply }),
      isError: reply.success === false,
    };
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
    const text = await orNotFound(params.uri, () => parts.read(params.uri));
    return { contents: [{ uri: params.uri, mimeType: "application/json", text }] };
  });
  server.setRequestHandler(SubscribeRequestSchema, async ({ params }) => {
    await gate;
    await orNotFound(params.uri, () => parts.subscribe(params.uri));
    return {};
  });
  server.setRequestHandler(UnsubscribeRequestSchema, async ({ params }) => {
    await parts.unsubscribe(params.uri);
    return {};
  });

  // The SDK learns this a moment later; a client that says at once that it is ready would have no name.
  let greeting: Greeting | null = null;
  let rounds = 0;
  const ready = async (): Promise<void> => {
    rounds += 1;
    const round = rounds;
    const roots = greeting?.hasRoots === true ? await rootsOf(server) : [];
    // A later change of the roots has overtaken this one.
    if (round === rounds) await parts.ready({ name: greeting?.name ?? "agent", version: greeting?.version ?? "" }, roots);
  };
  const open = (): void => {
    gate = ready().catch(() => {});
  };
  server.oninitialized = open;
  server.setNotificationHandler(RootsListChangedNotificationSchema, open);
  // The SDK answers or drops a line that is not a message; such a line must not end the server.
  server.onerror = () => {};
  server.onclose = () => parts.closed();

  const transport = new StdioServerTransport();
  const send = transport.send.bind(transport);
  transport.send = async (message) => {
    if (answered !== null && isAnswerTo(message, answered)) {
      answered = null;
      return;
    }
    return send(inWords(message));
  };
  await server.connect(transport);
  const receive = transport.onmessage;
  transport.onmessage = (message) => {
    greeting ??= greetingIn(message);
    receive?.(lenient(message));
  };
  process.stdin.resume();
  return {
    updated(uri) {
      server.sendResourceUpdated({ uri }).catch(() => {});
    },
    notify: (method, params) => server.notification({ method, params }),
    close: () => server.close(),
  };
}

const isAnswerTo = (message: object, request: RequestId): boolean => !("method" in message) && "id" in message && message.id === request;

/**
 * Clients that write `arguments: null` mean that there are none; arguments that are no object are refused like any others, by
 * the tool; a task that was asked for is no reason to refuse the call.
 */
function lenient<T>(message: T): T {
  const { method, params } = message as { method?: string; params?: Record<string, unknown> };
  if (method !== "tools/call" || typeof params !== "object" || params === null) return message;
  const { task: _task, arguments: args, ...rest } = params;
  const isObject = typeof args === "object" && !Array.isArray(args);
  return {
    ...message,
    params: { ...rest, ...(args === null || args === undefined ? {} : { arguments: isObject ? args : { arguments: args } }) },
  };
}

/** An error of the protocol; the SDK's own class would put its code into the words as well. */
function protocolError(code: number, message: string, data?: unknown): Error {
  return Object.assign(new Error(message), data === undefined ? { code } : { code, data });
}

/** What a resource step gives; what it throws becomes "resource not found", -32002 in the protocol's document. */
async function orNotFound<T>(uri: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    throw protocolError(-32_002, (error as Error).message, { uri });
  }
}

/** The folders that a client works in; roots that are not files are left out. */
async function rootsOf(server: Server): Promise<string[]> {
  try {
    const { roots } = await server.listRoots(undefined, { timeout: ROOTS_MS });
    return roots.flatMap(({ uri }) => folderOf(uri) ?? []);
  } catch {
    return [];
  }
}

function folderOf(uri: string): string | null {
  try {
    return fileURLToPath(uri);
  } catch {
    return null;
  }
}

let draining: Promise<void> | null = null;

/** Resolves once stdout takes more, as the SDK's own transport does; all waiting callers share one listener. */
async function writeLine(line: string): Promise<void> {
  if (process.stdout.write(line)) return;
  draining ??= new Promise<void>((resolve) => process.stdout.once("drain", resolve)).then(() => {
    draining = null;
  });
  await draining;
}
