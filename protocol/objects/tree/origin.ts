/**
 * Where a file of the home came from, as this machine saw it: Relay wrote it here, a commit brought it, or nobody knows.
 * spec/trust.md, "Origin".
 */
import { HUMAN } from "../part/part.ts";
import { nounAt } from "./layout.ts";

/** Where a file came from. `commit` is a whole commit id. */
export type Origin = { from: "here" } | { from: "sync"; commit: string } | { from: "unknown" };

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

/** Who a message says it is from. What was not written here in the name of a person never looks like a person's own words. */
export function senderShown(from: string, origin: Origin): string {
  const words = originWords(origin);
  return from !== HUMAN || words === undefined ? from : `${from} (${words === "unknown" ? "origin unknown" : words})`;
}

/** The list that knows of a path: one for each day of threads, one for each session, and one for all else. */
export function originList(path: string): string {
  const day = /^(?:threads|inbox\/.+\/read)\/(\d{4}-\d\d-\d\d)\//.exec(path)?.[1];
  if (day !== undefined) return day;
  const session = /^sessions\/([A-Za-z0-9_-]{1,128})\//.exec(path)?.[1];
  return session === undefined ? "other" : `session-${session}`;
}

/** One line of a list. @param commit null for what was written here */
export const originLine = (path: string, commit: string | null): string => `${path} ${commit ?? "here"}`;

/** Whether a file is edited: then what counts is who wrote it last. Of all others, who wrote them first. */
const isEdited = (path: string): boolean => nounAt(path)?.noun.isEdited === true;

/** What a list says of each path that it names. @param list its whole text; a torn line says nothing */
export function originsIn(list: string): Map<string, Origin> {
  const origins = new Map<string, Origin>();
  for (const line of list.split("\n")) {
    const space = line.lastIndexOf(" ");
    const [path, mark] = [line.slice(0, space), line.slice(space + 1)];
    const isBrought = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(mark);
    if (space <= 0 || (mark !== "here" && !isBrought) || (origins.has(path) && !isEdited(path))) continue;
    origins.set(path, isBrought ? { from: "sync", commit: mark } : { from: "here" });
  }
  return origins;
}
