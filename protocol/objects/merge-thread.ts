/** Merging what is stored about a thread. SPEC.md, "Merge". */
import type { ThreadKey } from "./id.ts";
import { further, greater, type Joined, joined, joinedOther, joinedSet, longer, smaller } from "./merge-fields.ts";
import { withoutUndefined } from "./message.ts";
import { formatThread, parseThread, THREAD_STATUSES, type Thread } from "./thread.ts";

const HISTORY = "## History";

/**
 * Merges two `thread.md`.
 * @param base null where there was none, or none that could be read
 * @throws MessageError, FrontmatterError where a side cannot be read
 */
export function mergeThread(key: ThreadKey, base: string | null, ours: string, theirs: string): string {
  const [one, other] = [parseThread(ours, key), parseThread(theirs, key)];
  const before = base === null ? null : readable(key, base);
  const gaveWay: string[] = [];
  const take = <T>(name: string, { value, lost }: Joined<T>): T => {
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
  const all = [...history, ...gaveWay.filter((line) => !history.includes(line))];
  return formatThread({ ...merged, body: all.length === 0 ? notes : `${notes}${HEAD}${all.map((line) => `\n- ${line}`).join("")}` });
}

const HEAD = `\n\n${HISTORY}\n`;

/** A body's notes, and the list that merges wrote below them. */
function bodyOf(body: string): { notes: string; history: string[] } {
  const at = body.lastIndexOf(HEAD);
  const lines = at === -1 ? [] : body.slice(at + HEAD.length + 1).split("\n");
  if (at === -1 || !lines.every((line) => line.startsWith("- "))) return { notes: body, history: [] };
  return { notes: body.slice(0, at), history: lines.map((line) => line.slice(2)) };
}

function readable(key: ThreadKey, source: string): Thread | null {
  try {
    return parseThread(source, key);
  } catch {
    return null;
  }
}
