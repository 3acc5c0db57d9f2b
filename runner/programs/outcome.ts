/**
 * How a turn ended. No program's exit code says it alone, and no last event does: a reply needs the last event without an error,
 * the exit code 0, and that nobody stopped the program. spec/office.md, "Ends".
 */
import type { Reading } from "../../protocol/agents/hosts/reading.ts";

/** Why a runner stopped a program. */
export type Stop = "closed" | "too long" | "silent" | "too much" | "too many steps";

/** What is known of a program that has ended. */
export interface Ended {
  reading: Reading;
  /** Its exit code as text, or the name of the signal; null where nobody saw it end. */
  exit: string | null;
  /** Why the runner stopped it; null where it did not. */
  stop: Stop | null;
  /** The session that it had to go on with, or to begin, where that was known before. */
  session: string | undefined;
  /** The last lines that it printed and that are no event of it, then the end of what it wrote to stderr: its own words for a failure. */
  words: string;
}

/** How a turn ended, or that its program is started anew: after a pause for `limited`, else with a new session. */
export type TurnOutcome =
  | { outcome: "ok" | "empty"; problem?: string }
  | { outcome: "failed" | "timeout" | "closed"; problem: string }
  | { outcome: "again"; why: "limited" | "no tools" | "no session"; problem: string };

const STOPS: Readonly<Record<Stop, { outcome: "failed" | "timeout" | "closed"; problem: string }>> = {
  closed: { outcome: "closed", problem: "the conversation was closed" },
  "too long": { outcome: "timeout", problem: "it took longer than a turn may take" },
  silent: { outcome: "timeout", problem: "it printed nothing for longer than it may be silent" },
  "too much": { outcome: "failed", problem: "it printed more than a turn may print (output_mib)" },
  "too many steps": { outcome: "failed", problem: "it took more turns than the agent's file allows" },
};

/** Judges the end of a program. */
export function outcomeOf({ reading, exit, stop, session, words }: Ended): TurnOutcome {
  if (stop !== null) return STOPS[stop];
  if (exit === null) return { outcome: "failed", problem: "its process was killed, or the disk was too full to say how it ended" };
  const hadNoTools = reading.tools === "missing" || (reading.tools === "unsaid" && NO_TOOLS.test(words));
  if (hadNoTools) return { outcome: "again", why: "no tools", problem: "it could not reach Relay's tools" };
  if (reading.last === "error" || exit !== "0") {
    const how = /^\d+$/.test(exit) ? `it ended with exit code ${exit}` : `it was ended by ${exit}`;
    const problem = reading.problem ?? how;
    if (NO_SESSION.test(`${words}\n${reading.problem ?? ""}`)) return { outcome: "again", why: "no session", problem };
    const isOver = reading.isLimited || (reading.last === "none" && reading.problem === undefined && LIMITED.test(words));
    return isOver ? { outcome: "again", why: "limited", problem } : { outcome: "failed", problem };
  }
  if (reading.last === "none") return { outcome: "failed", problem: "it ended without its last event, so its text may not be whole" };
  if (session !== undefined && reading.session !== undefined && reading.session !== session)
    return { outcome: "failed", problem: `it began another session (${reading.session}) in place of ${session}` };
  const denied = [...new Set(reading.denied)].join(", ");
  const problem = denied === "" ? {} : { problem: `it may not use: ${denied}` };
  return { outcome: reading.text.trim() === "" ? "empty" : "ok", ...problem };
}

/** What Codex says where a server that it requires is not there; the others say it in their first event, or not at all. */
const NO_TOOLS = /required MCP servers failed to initialize/;
/** What they say of a session that they do not know, or not in this folder. */
const NO_SESSION =
  /No conversation found|No previous sessions found|Invalid session identifier|no rollout found|No saved session found|No session found|Session not found|No session, task, or name/i;
const LIMITED = /last status: (429|529)\b/;
