/** Merges the stored facts about a thread. spec/git.md, "Merge". */

import { orElse } from "../../core/format/file-error.ts";
import { withoutUndefined } from "../../core/format/frontmatter.ts";
import type { ThreadLocation } from "../../core/format/id.ts";
import { further, greater, type JoinedField, joined, joinedOther, joinedSet, longer, smaller } from "../../core/noun/merge-fields.ts";
import { formatThread, isEnded, parseThread, THREAD_STATUSES, type Thread } from "./thread.ts";

const HISTORY = "## History";

/**
 * Merges two `thread.md`.
 * @param base null where there was none, or none that could be read
 * @throws FileError where a side cannot be read
 */
export function mergeThread(location: ThreadLocation, base: string | null, ours: string, theirs: string): string {
  const [one, other] = [parseThread(ours, location), parseThread(theirs, location)];
  const before = base === null ? null : readThread(location, base);
  const gaveWay: string[] = [];
  const take = <T>(name: string, { value, lost }: JoinedField<T>): T => {
    if (lost?.value !== undefined) gaveWay.push(`${name} ${JSON.stringify(lost.value)} gave way`);
    return value;
  };
  const unknown = joinedOther(before?.other ?? {}, one.other, other.other);
  for (const [name, value] of Object.entries(unknown.lost)) gaveWay.push(`${name} ${JSON.stringify(value)} gave way`);
  const set = (of: (thread: Thread) => string[] | undefined): string[] | undefined => {
    const items = joinedSet(before === null ? [] : (of(before) ?? []), of(one) ?? [], of(other) ?? []);
    return items.length === 0 && of(one) === undefined && of(other) === undefined ? undefined : items;
  };
  const [oneBody, otherBody, beforeBody] = [bodyOf(one.body), bodyOf(other.body), bodyOf(before?.body ?? "")];
  const status = take("status", joined(before?.status, one.status, other.status, further(THREAD_STATUSES)));
  const settings = [one, other].flatMap((side) => (side.status === status && side.statusAfter !== undefined ? [side.statusAfter] : []));
  const merged: Thread = withoutUndefined({
    id: one.id,
    subject: take("subject", joined(before?.subject, one.subject, other.subject, greater)) as string,
    createdBy: take("created_by", joined(before?.createdBy, one.createdBy, other.createdBy, smaller)) as string,
    createdAt: take("created_at", joined(before?.createdAt, one.createdAt, other.createdAt, smaller)) as string,
    tags: set(({ tags }) => tags),
    status,
    statusAfter: settings.length === 0 ? undefined : Math.max(...settings),
    closedUnread: set(({ closedUnread }) => closedUnread),
    other: unknown.value,
    body: "",
  });
  const notes = take("notes", joined(beforeBody.notes, oneBody.notes, otherBody.notes, longer));
  const history = joinedSet(beforeBody.history, oneBody.history, otherBody.history);
  const all = [...new Set([...history, ...gaveWay])];
  return formatThread({ ...merged, body: withHistory(notes, all) });
}

/**
 * A `thread.md` with what it lost of the lists that are only added to: what a close cleared, and what merges noted.
 * @returns null where it lost nothing
 * @throws FileError where one cannot be read
 */
export function joinedThread(location: ThreadLocation, before: string, now: string): string | null {
  const [was, is] = [parseThread(before, location), parseThread(now, location)];
  const body = bodyOf(is.body);
  const lacks = (all: readonly string[] = [], some: readonly string[] = []): string[] => {
    const there = new Set(all);
    return some.filter((item) => !there.has(item));
  };
  const cleared = lacks(is.closedUnread, was.closedUnread);
  const noted = lacks(body.history, bodyOf(was.body).history);
  if (cleared.length === 0 && noted.length === 0) return null;
  return formatThread({
    ...is,
    ...(cleared.length === 0 ? {} : { closedUnread: [...cleared, ...(is.closedUnread ?? [])] }),
    ...(noted.length === 0 ? {} : { body: withHistory(body.notes, [...noted, ...body.history]) }),
  });
}

const HEAD = `\n\n${HISTORY}\n`;
const withHistory = (notes: string, lines: readonly string[]): string =>
  lines.length === 0 ? notes : `${notes}${HEAD}${lines.map((line) => `\n- ${line}`).join("")}`;

/** A body's notes, and the list that merges wrote below them. */
function bodyOf(body: string): { notes: string; history: string[] } {
  const at = body.lastIndexOf(HEAD);
  const lines = at === -1 ? [] : body.slice(at + HEAD.length + 1).split("\n");
  if (at === -1 || !lines.every((line) => line.startsWith("- "))) return { notes: body, history: [] };
  return { notes: body.slice(0, at), history: lines.map((line) => line.slice(2)) };
}

/** What a `thread.md` says; null where it cannot be read. */
export const readThread = (location: ThreadLocation, source: string): Thread | null => orElse(null, () => parseThread(source, location));

/** Whether a thread's file says that it is closed or canceled. */
export function isClosedText(location: ThreadLocation, text: string | null): boolean {
  const status = text === null ? undefined : readThread(location, text)?.status;
  return status !== undefined && isEnded(status);
}
