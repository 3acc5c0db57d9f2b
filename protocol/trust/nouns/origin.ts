/**
 * Where a file of the home came from, as this machine saw it: Relay wrote it here, a commit brought it, or nobody knows.
 * spec/trust.md, "Origin".
 */
import { HUMAN } from "../../core/names.ts";

/** Where a file came from. `commit` is a whole commit id, or `UNKNOWN_COMMIT`. */
export type Origin = { from: "here" } | { from: "sync"; commit: string } | { from: "unknown" };

/** In place of a commit: so much came that what this machine noted does not say which commit has it. */
export const UNKNOWN_COMMIT = "unknown";

/** Characters of a commit id that people and agents are shown. */
const COMMIT_SHOWN = 8;

/** A commit id as it is shown. */
export const shortCommit = (commit: string): string => commit.slice(0, COMMIT_SHOWN);

/** An origin in words; undefined for what was written here, which is the usual case and costs nobody a word. */
export function originWords(origin: Origin): string | undefined {
  if (origin.from === "here") return undefined;
  return origin.from === "sync" ? `by sync, ${shortCommit(origin.commit)}` : "unknown";
}

/** The origin as a field of an answer; nothing for what was written here. */
export function originField(origin: Origin): { origin?: string } {
  const words = originWords(origin);
  return words === undefined ? {} : { origin: words };
}

/** The field of what may also be written with a shell: only what a sync brought says so. */
export const broughtField = (origin: Origin): { origin?: string } => (origin.from === "sync" ? originField(origin) : {});

/** What a command that an agent called writes into the metadata of a message from `human`. */
export const BY_AGENT = { by: "agent" } as const;

/**
 * Who a message says it is from. What was not written here in the name of a person, or was typed by an agent, never looks like a person's own
 * words.
 * @param metadata of the message
 */
export function senderShown(from: string, origin: Origin, metadata?: Readonly<Record<string, string>>): string {
  const words = originWords(origin);
  if (from !== HUMAN) return from;
  if (words !== undefined) return `${from} (${words === "unknown" ? "origin unknown" : words})`;
  return metadata?.["by"] === BY_AGENT.by ? `${from} (by agent)` : from;
}
