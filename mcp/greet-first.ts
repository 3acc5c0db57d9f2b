/**
 * Answers a client's first message before the SDK is loaded: loading it takes as long as all else that the start of a server does, and
 * the client waits for this answer. The SDK gets the message as well, and its own answer is dropped.
 */
import type { Readable } from "node:stream";

/** The versions of the protocol that the SDK speaks; to a client that asks for another the SDK itself answers. */
export const PROTOCOL_VERSIONS: readonly string[] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"];

/** A first message that is longer is left to the SDK. */
const LONGEST = 65_536;

/** The id of a request, as JSON-RPC has it. */
export type RequestId = string | number;

/**
 * Waits for the first line, and puts back all that was read.
 * @param over when nobody waits for it any more
 * @returns the line; null where there is none, or a very long one
 */
export function firstLineOf(input: Readable, over: AbortSignal): Promise<string | null> {
  return new Promise((resolve) => {
    const read: Buffer[] = [];
    const done = (line: string | null): void => {
      input.pause();
      input.off("data", take).off("end", none).off("close", none).off("error", none);
      over.removeEventListener("abort", none);
      if (read.length > 0 && !input.readableEnded) input.unshift(Buffer.concat(read));
      resolve(line);
    };
    const none = (): void => done(null);
    const take = (piece: Buffer): void => {
      read.push(piece);
      const bytes = Buffer.concat(read);
      const end = bytes.indexOf(0x0a);
      if (end !== -1) done(bytes.toString("utf8", 0, end));
      else if (bytes.length > LONGEST) done(null);
    };
    if (over.aborted) return none();
    over.addEventListener("abort", none, { once: true });
    input.on("data", take).on("end", none).on("close", none).on("error", none);
  });
}

/** The id and the version of a whole `initialize` that asks for a version of the list; null for any other line. */
export function askedIn(line: string): { id: RequestId; protocolVersion: string } | null {
  const message = parsed(line);
  const { jsonrpc, id, method, params } = message;
  if (jsonrpc !== "2.0" || method !== "initialize" || (typeof id !== "string" && !Number.isInteger(id))) return null;
  const { protocolVersion, capabilities, clientInfo } = recordOf(params);
  const { name, version } = recordOf(clientInfo);
  const isWhole = isRecord(capabilities) && Object.values(capabilities).every(isRecord);
  if (!isWhole || typeof name !== "string" || typeof version !== "string") return null;
  if (typeof protocolVersion !== "string" || !PROTOCOL_VERSIONS.includes(protocolVersion)) return null;
  return { id: id as RequestId, protocolVersion };
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);
const recordOf = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {});

function parsed(line: string): Record<string, unknown> {
  try {
    return recordOf(JSON.parse(line));
  } catch {
    return {};
  }
}
