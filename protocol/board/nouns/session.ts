/** Sessions: one run of joint work. SPEC.md, "Session". */
import { FileError } from "../../core/format/file-error.ts";
import { formatFrontmatter, lineOfKey, parseFrontmatter, withoutUndefined } from "../../core/format/frontmatter.ts";
import { asLine } from "../../core/format/hidden.ts";
import { LIMITS } from "../../core/format/schema.ts";
import { placeWords } from "../../core/format/shell-word.ts";
import { isDevice } from "../../core/names.ts";

const MADE = /^(\d{4}-\d{2}-\d{2})-(\d{3})-([0-9A-Z]{4})$/;
const ANY = /^[A-Za-z0-9_-]{1,128}$/;

/** What is stored about a session: who began it, when (ISO 8601), and, once it was ended, the same of its end. */
export interface Session {
  id: string;
  startedBy: string;
  startedAt: string;
  /** What it is about, in one line. */
  title?: string | undefined;
  endedBy?: string | undefined;
  endedAt?: string | undefined;
}

/** `YYYY-MM-DD-NNN-XXXX`: the day, the number of that day, four random characters. */
export const sessionId = (day: string, number: number, random: string): string =>
  `${day}-${String(number).padStart(3, "0")}-${random.toUpperCase()}`;

/** What a session id says; null when the text is not of the form Relay makes. */
export function parseSessionId(text: string): { day: string; number: number; random: string } | null {
  const match = MADE.exec(text);
  return match === null ? null : { day: match[1] as string, number: Number(match[2]), random: match[3] as string };
}

/** Whether a text may name a session: any letters, digits, "_" and "-", 1 to 128 of them, but no device of Windows. */
export const isSessionId = (text: string): boolean => ANY.test(text) && !isDevice(text);

/** Where a session's files lie. */
export const sessionFolder = (id: string): string => `sessions/${id}`;
/** Where the team of a session lies. */
export const teamPath = (session: string): string => `session-agents-${session}.yml`;
/** The inverse of `teamPath`; null for any other path. */
export const sessionOfTeam = (path: string): string | null => /^session-agents-([A-Za-z0-9_-]{1,128})\.yml$/.exec(path)?.[1] ?? null;
/** Where a session's own file lies. */
export const sessionPath = (id: string): string => `${sessionFolder(id)}/session.md`;
/**
 * Where an end is recorded, and where it is recorded that the session was opened again after it; each created once.
 * @param turn counts from 1: the second end comes after the first opening
 */
export const endedPath = (id: string, turn = 1): string => `${sessionFolder(id)}/ended${numbered(turn)}.md`;
/** Where it is written that a session was opened again. @param turn which time, from 1 */
export const reopenedPath = (id: string, turn = 1): string => `${sessionFolder(id)}/reopened${numbered(turn)}.md`;
const numbered = (turn: number): string => (turn === 1 ? "" : `-${turn}`);

/** So often a session may end: more often than anybody ends one, so that no end is the last. */
export const TURNS_MOST = 9_999_999;

/** What the name of an end or an opening says; null for any other name. */
export function turnOf(name: string): { kind: "ended" | "reopened"; turn: number } | null {
  const match = /^(ended|reopened)(?:-([2-9]|[1-9]\d{1,6}))?\.md$/.exec(name);
  return match === null ? null : { kind: match[1] as "ended" | "reopened", turn: Number(match[2] ?? 1) };
}

/** The place of an end or an opening among those of its session, which follow each other: 1 of the first end; 0 of any other name. */
export function stepOf(name: string): number {
  const found = turnOf(name);
  return found === null ? 0 : 2 * found.turn - (found.kind === "ended" ? 1 : 0);
}

/**
 * Whether a session has ended, and by which end: its ends and openings follow each other by number, and one out of turn says
 * nothing. So it does not matter in which order two clones' files come together.
 * @param has whether there is a file by its path
 * @returns `turn`: of the end that counts, or of the one that would come next
 */
export function sessionTurn(id: string, has: (path: string) => boolean): { ended: boolean; turn: number } {
  for (let turn = 1; turn <= TURNS_MOST; turn += 1) {
    if (!has(endedPath(id, turn))) return { ended: false, turn };
    if (!has(reopenedPath(id, turn))) return { ended: true, turn };
  }
  return { ended: false, turn: TURNS_MOST + 1 };
}
/** Where its summary lies. */
export const summaryPath = (id: string): string => `${sessionFolder(id)}/summary.md`;
/** What saves a summary that somebody wrote into a file. */
export const saveSummaryCommand = (id: string): string => `relay session save ${placeWords([id])} - < summary.md`;
/** Where earlier summaries are kept; versions count from 1. */
export const summaryVersions = (id: string): string => `${sessionFolder(id)}/summaries`;
/** Where one of them is. */
export const summaryVersionPath = (id: string, version: number): string => `${summaryVersions(id)}/${version}.md`;
/** The inverse of `summaryVersionPath`, for a name in the folder; null for other names. */
export function summaryVersionOf(name: string): number | null {
  const match = /^([1-9]\d{0,8})\.md$/.exec(name);
  return match === null ? null : Number(match[1]);
}
/** Where the state of whoever leads the session lies. */
export const statePath = (id: string): string => `${sessionFolder(id)}/state.json`;
/** Where the thread lies that a session knows under a name. @param hash the first 24 characters of the name's SHA-256 */
export const labelPath = (id: string, hash: string): string => `${sessionFolder(id)}/labels/${hash}.txt`;

/**
 * What a path in the folder of a session says; null for any other path.
 * @param pattern its first group is the session, and each other group is handed to `read`
 */
export function inSession<T extends object>(
  path: string,
  pattern: RegExp,
  read: (...groups: string[]) => T | null,
): ({ session: string } & T) | null {
  const [, session = "", ...groups] = pattern.exec(path) ?? [];
  if (session === "" || !isSessionId(session)) return null;
  const found = read(...groups);
  return found === null ? null : { session, ...found };
}

/** Writes `session.md`, or `ended.md` when there is an end. */
export function formatSession(session: Session): string {
  return formatFrontmatter(
    session.endedAt === undefined
      ? { id: session.id, title: session.title, started_by: session.startedBy, started_at: session.startedAt }
      : { id: session.id, ended_by: session.endedBy, ended_at: session.endedAt },
    "",
  );
}

/** Writes the file that says that a session was opened again. */
export const formatReopened = (id: string, by: string, at: string): string =>
  formatFrontmatter({ id, reopened_by: by, reopened_at: at }, "");

/** Reads that file. @throws FileError, with the line */
export function parseReopened(source: string): { by: string; at: string } {
  const { header } = parseFrontmatter(source);
  return { by: textOf(source, header, "reopened_by"), at: instantOf(source, header, "reopened_at") };
}

/**
 * Reads `session.md` and, where there is one, `ended.md`.
 * @throws FileError, with the line
 */
export function parseSession(id: string, source: string, ended: string | null): Session {
  const start = parseFrontmatter(source).header;
  const end = ended === null ? {} : parseFrontmatter(ended).header;
  return withoutUndefined({
    id,
    startedBy: textOf(source, start, "started_by"),
    startedAt: instantOf(source, start, "started_at"),
    title: typeof start["title"] === "string" ? asLine(start["title"], LIMITS.taskTitle) : undefined,
    endedBy: ended === null ? undefined : textOf(ended, end, "ended_by"),
    endedAt: ended === null ? undefined : instantOf(ended, end, "ended_at"),
  });
}

function textOf(source: string, header: Record<string, unknown>, key: string): string {
  const value = header[key];
  if (typeof value !== "string") throw new FileError(`expected "${key}" in the header, a text`, lineOfKey(source, key));
  return value;
}

function instantOf(source: string, header: Record<string, unknown>, key: string): string {
  const value = textOf(source, header, key);
  if (Number.isNaN(Date.parse(value))) throw new FileError(`"${key}" is not a time: ${JSON.stringify(value)}`, lineOfKey(source, key));
  return value;
}
