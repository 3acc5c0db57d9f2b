/** Presence: the parts that are connected now. Kept under `run/`, so it is never shared and always disposable. spec/messages.md, "Presence". */

/** A connection that lives: which part, which agent, which process, since when (ISO 8601). */
export interface Presence {
  part: string;
  /** What the agent calls itself (MCP `clientInfo.name`), and its version. */
  agent: { name: string; version?: string | undefined };
  /** Who owns the connection, as `store/process` writes a process. */
  process: string;
  connectedAt: string;
  /** Set where the part is not the connection's own, but one that a call named. */
  named?: boolean | undefined;
}

/** A heartbeat is renewed this often. */
export const HEARTBEAT_MS = 30_000;
/** A heartbeat older than this is over, where the process itself cannot be seen. */
export const HEARTBEAT_STALE_MS = 90_000;

/** Where the heartbeats of a part lie; of all parts for the empty one. */
export const presenceFolder = (part: string): string => (part === "" ? "run/presence" : `run/presence/${part}`);

/** Reads a heartbeat; null when it is none (it may be half written by a version to come). */
export function parsePresence(source: string): Presence | null {
  try {
    const value = JSON.parse(source) as Partial<Presence>;
    const whole =
      typeof value.part === "string" &&
      typeof value.process === "string" &&
      typeof value.connectedAt === "string" &&
      typeof value.agent?.name === "string";
    return whole ? (value as Presence) : null;
  } catch {
    return null;
  }
}
