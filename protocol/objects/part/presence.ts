/**
 * Presence of parts, their signs of life, and the consequences of their absence. Kept under `run/`, so it is never shared and
 * always disposable. spec/messages.md, "Presence"; spec/waking.md, "Stuck agents".
 */
import { orElse } from "../format/file-error.ts";

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
  return orElse(null, () => {
    const value = JSON.parse(source) as Partial<Presence>;
    const whole =
      typeof value.part === "string" &&
      typeof value.process === "string" &&
      typeof value.connectedAt === "string" &&
      typeof value.agent?.name === "string";
    return whole ? (value as Presence) : null;
  });
}

/** Where the marks of life lie: a file for each part, whose time is that of the last sign. */
export const LIFE = "run/life";
/** Where it is kept that somebody was told of a quiet period. */
export const STUCK = "run/stuck";

/** The name of the mark of a part. Its segments are folders elsewhere, and one part's name may be the beginning of another's. */
export const markName = (part: string): string => part.replaceAll("/", "+");

/** Where the mark of a part lies. */
export const lifePath = (part: string): string => `${LIFE}/${markName(part)}`;
/** The inverse, for a name in the folder of marks. */
export const partOfMark = (name: string): string => name.replaceAll("+", "/");
/** Where the quiet periods of a part lie that were told. */
export const stuckFolder = (part: string): string => `${STUCK}/${markName(part)}`;
/** The name of a quiet period: when it began, in milliseconds since the epoch. Who creates it is who tells. */
export const stuckPath = (part: string, sinceMs: number): string => `${stuckFolder(part)}/${sinceMs}`;

/** A task that a part holds a claim of, and since when, in milliseconds since the epoch. */
export interface HeldTask {
  session: string;
  task: string;
  title: string;
  /** Where the title came from, in words, where not from here. */
  origin?: string;
  sinceMs: number;
}

/** A part that holds a claim and showed no sign of life for longer than the home's policy lets it. */
export interface Quiet {
  part: string;
  /** Its last sign of life, or when it got something to do, whichever is later; milliseconds since the epoch. */
  sinceMs: number;
  /** What it holds, the longest held first; at least one. */
  tasks: readonly HeldTask[];
}

/** A part as `Quiet`, where it is quiet for `limitMs`; null where it is not, or holds nothing. */
export function quietOf(part: string, lifeMs: number, held: readonly HeldTask[], nowMs: number, limitMs: number): Quiet | null {
  const tasks = [...held].sort((a, b) => a.sinceMs - b.sinceMs || (a.task < b.task ? -1 : 1));
  const [first] = tasks;
  if (first === undefined) return null;
  const sinceMs = Math.max(lifeMs, first.sinceMs);
  return nowMs - sinceMs >= limitMs ? { part, sinceMs, tasks } : null;
}

/** A part is not woken before this, at most a day ahead. */
export const LIMITED_AT_MOST_MS = 24 * 60 * 60 * 1000;

/** Where the mark of a limited part lies; it holds the instant (ISO 8601) at which it may be woken again. */
export const limitedPath = (part: string): string => `run/limited/${part}/until.txt`;
