/** Sessions of a host that runs all of them in one process, which outlives their terminals. Pure. spec/messages.md, "Presence". */
import type { Host } from "./host.ts";

/**
 * Whether nobody sits before a session.
 * @param starter the words of the process that started this one
 * @param working those of each process that works in the session's folder; null where the system does not say it
 * @returns false for a session in a process of its own, which ends with it
 */
export function isTerminalGone(host: Host, starter: readonly string[], working: readonly (readonly string[])[] | null): boolean {
  const { sharedProcess, screen } = host;
  if (sharedProcess === undefined || !starter.includes(sharedProcess) || working === null) return false;
  const isTerminal = (words: readonly string[]): boolean =>
    !words.includes(sharedProcess) && words.slice(0, 2).some((word) => screen.processes.test(word.slice(word.lastIndexOf("/") + 1)));
  return !working.some(isTerminal);
}
