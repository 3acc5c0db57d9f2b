/** The first message of a client, and in words what is wrong with one. spec/agents.md, "MCP". */

/** A validator's faults as words; null for a text that is not a validator's. */
function faultsIn(text: string): string | null {
  try {
    const faults = JSON.parse(text) as { path?: unknown; message?: unknown }[];
    const words = faults.map(({ path, message }) => `${(path as unknown[]).join(".")}: ${String(message).replace(/^Invalid input: /, "")}`);
    return words.length === 0 ? null : words.slice(0, 3).join("; ");
  } catch {
    return null;
  }
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

/** Codes of JSON-RPC. */
const [INTERNAL_ERROR, INVALID_PARAMS] = [-32_603, -32_602];

/**
 * The SDK answers a request that is not of its shape with its validator's own JSON, as an internal error. The client made the
 * mistake, so the answer says in words what was wrong. Any other message stays as it is.
 */
export function inWords<T>(message: T): T {
  const { error } = message as { error?: { code?: unknown; message?: unknown } };
  if (error?.code !== INTERNAL_ERROR || typeof error.message !== "string") return message;
  const faults = faultsIn(error.message);
  return faults === null ? message : { ...message, error: { code: INVALID_PARAMS, message: `the request is not whole: ${faults}` } };
}
