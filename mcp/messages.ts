/**
 * Messages of the protocol as they go over the wire: where clients differ, what is wrong with one, how a long one is written, and
 * how brief the answers of the room are: every word of one costs a model, at every turn. spec/agents.md, "MCP".
 */
import type { AnyOperation } from "../protocol/index.ts";
import { shortNames } from "../protocol/internal.ts";

/** A validator's faults as words; null for a text that is not a validator's. */
export function faultsIn(text: string): string | null {
  try {
    const faults = JSON.parse(text) as { path?: unknown; message?: unknown }[];
    const words = faults.map(({ path, message }) => `${(path as unknown[]).join(".")}: ${String(message).replace(/^Invalid input: /, "")}`);
    return words.length === 0 ? null : words.slice(0, 3).join("; ");
  } catch {
    return null;
  }
}

/**
 * The line of a tool's reply. It holds the same JSON twice, as text and structured, and of a long list most of the time
 * goes into making it; null for any other message.
 */
export function lineOfReply(message: object): string | null {
  const { id, result } = message as {
    id?: unknown;
    result?: { content?: { text?: unknown }[]; structuredContent?: unknown; isError?: unknown };
  };
  const text = result?.content?.[0]?.text;
  if (typeof text !== "string" || result?.structuredContent === undefined) return null;
  const content = `[{"type":"text","text":${JSON.stringify(text)}}]`;
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":${content},"structuredContent":${text},"isError":${result.isError === true}}}\n`;
}

let draining: Promise<void> | null = null;

/** Resolves once stdout takes more, as the SDK's own transport does; all waiting callers share one listener. */
export async function writeLine(line: string): Promise<void> {
  if (process.stdout.write(line)) return;
  draining ??= new Promise<void>((resolve) => process.stdout.once("drain", resolve)).then(() => {
    draining = null;
  });
  await draining;
}

/** Who a client is, as its `initialize` says. */
export interface Greeting {
  name: string;
  version: string;
  /** Whether it can name the folders that it works in. */
  hasRoots: boolean;
}

/** Who a client says it is; null for any message but its first. */
export function greetingIn(message: object): Greeting | null {
  const { method, params } = message as { method?: string; params?: { clientInfo?: Record<string, unknown>; capabilities?: object } };
  if (method !== "initialize") return null;
  const text = (value: unknown, fallback: string): string => (typeof value === "string" && value !== "" ? value : fallback);
  const { name, version } = params?.clientInfo ?? {};
  const hasRoots = (params?.capabilities as { roots?: unknown } | undefined)?.roots !== undefined;
  return { name: text(name, "agent"), version: text(version, ""), hasRoots };
}

/**
 * Clients that write `arguments: null` mean that there are none; arguments that are no object are refused like any others, by
 * the tool; a task that was asked for is no reason to refuse the call.
 */
export function lenient<T>(message: T): T {
  const { method, params } = message as { method?: string; params?: Record<string, unknown> };
  if (method !== "tools/call" || typeof params !== "object" || params === null) return message;
  const { task: _task, arguments: args, ...rest } = params;
  const isObject = typeof args === "object" && !Array.isArray(args);
  return {
    ...message,
    params: { ...rest, ...(args === null || args === undefined ? {} : { arguments: isObject ? args : { arguments: args } }) },
  };
}

/** Whether a tool's answers are made brief. Those of the board have the whole shape that agents of an earlier tool read. */
export const isBrief = ({ tool }: AnyOperation): boolean => tool?.group === "room";

/** Fields that say nothing where they have their usual value. */
const UNSAID: Readonly<Record<string, unknown>> = { success: true, unread: true, urgent: false, needsHuman: false, cursor: null };
/** Fields that hold names of threads or messages. */
const NAMES: ReadonlySet<string> = new Set(["messageId", "threadId", "id", "acked", "alreadyRead"]);

/** An answer without its usual values, and with the shortest names that work. A failure stays as it is. */
export function briefly(answer: Record<string, unknown> & { success: boolean }): Record<string, unknown> & { success?: boolean } {
  if (!answer.success) return answer;
  const names = shortNames(namesIn(answer));
  return shorten(answer, names) as Record<string, unknown>;
}

function namesIn(value: unknown, key = ""): string[] {
  if (typeof value === "string") return NAMES.has(key) ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((item) => namesIn(item, key));
  return typeof value === "object" && value !== null ? Object.entries(value).flatMap(([name, item]) => namesIn(item, name)) : [];
}

function shorten(value: unknown, short: (id: string) => string, key = ""): unknown {
  if (typeof value === "string") return NAMES.has(key) ? short(value) : value;
  if (Array.isArray(value)) return value.map((item) => shorten(item, short, key));
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).filter(([name, item]) => !isUnsaid(name, item, key) && !(name === "preview" && "body" in value));
  return Object.fromEntries(fields.map(([name, item]) => [name, shorten(item, short, name)]));
}

function isUnsaid(name: string, value: unknown, list: string): boolean {
  // What was sent is stored with each recipient.
  return (Object.hasOwn(UNSAID, name) && UNSAID[name] === value) || (list === "recipients" && name === "state" && value === "stored");
}
