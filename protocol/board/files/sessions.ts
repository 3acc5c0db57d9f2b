/** Sessions on disk, and which one a call means. SPEC.md, "Session". */
import { asLine, NAME_CHARACTERS } from "../../core/format/hidden.ts";
import { dayOf } from "../../core/format/id.ts";
import { FILE_BYTES } from "../../core/format/schema.ts";
import { type Faults, noting } from "../../core/home/broken-files.ts";
import { nearest } from "../../core/names.ts";
import { ambiguousId, refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { exists, facts } from "../../store/read/facts.ts";
import { entries, names } from "../../store/read/list-folder.ts";
import { readText } from "../../store/read/read-file.ts";
import { errorCode, type Store } from "../../store/root.ts";
import { publish } from "../../store/write/publish.ts";
import { newestOpen } from "../nouns/newest-open.ts";
import {
  endedPath,
  formatSession,
  isSessionId,
  parseSession,
  parseSessionId,
  type Session,
  sessionFolder,
  sessionId,
  sessionPath,
  sessionTurn,
} from "../nouns/session.ts";
import { hasTeamFile } from "./team-files.ts";

const SESSION_BYTES = FILE_BYTES.session;
const ROUNDS = 100;
const DAY_MS = 86_400_000;

/** Every session there is, by name, in no order. */
export const sessionNames = (store: Store): string[] =>
  entries(store, "sessions").flatMap(({ name, kind }) => (kind === "folder" && isSessionId(name) ? [name] : []));

/**
 * What is known of a session; null when there is none. One whose `session.md` is missing (another program made the
 * folder), or cannot be read, began on the day its name says, or when its folder last changed.
 * @param faults gets what cannot be read
 */
export function readSession(store: Store, id: string, faults: Faults = []): Session | null {
  const folder = facts(store, sessionFolder(id));
  if (folder?.kind !== "folder") return null;
  const written = writtenSession(store, id, faults);
  if (written !== null) return written;
  const day = datedIn(id)?.slice(0, 10);
  const began = day === undefined ? Number.NaN : Date.parse(`${day}T00:00:00.000Z`);
  const startedAt = new Date(Number.isNaN(began) ? folder.modifiedMs : began).toISOString();
  const ended = turnOf(store, id).ended ? { endedBy: "human", endedAt: new Date(folder.modifiedMs).toISOString() } : {};
  return { id, startedBy: "human", startedAt, ...ended };
}

/** Turns that are looked for one by one; of a session that has more its folder is listed, once. */
const FEW_TURNS = 4;

export function turnOf(store: Store, id: string): { ended: boolean; turn: number } {
  let asked = 0;
  let listed: ReadonlySet<string> | null = null;
  return sessionTurn(id, (path) => {
    asked += 1;
    if (asked <= FEW_TURNS) return exists(store, path);
    listed ??= new Set(names(store, sessionFolder(id)));
    return listed.has(path.slice(sessionFolder(id).length + 1));
  });
}

/** Where the end of a session lies that counts; of one that has not ended, where it will. */
export const lastEndPath = (store: Store, id: string): string => endedPath(id, turnOf(store, id).turn);

/** The sessions that have not ended, by name, in no order: of all, or of some. Asks for two names for each that has, and reads none. */
export const openSessionNames = (store: Store, ids: readonly string[] = sessionNames(store)): string[] =>
  ids.filter((id) => !turnOf(store, id).ended);

/** What the files of a session say; null where they say nothing: the session itself is there all the same. */
function writtenSession(store: Store, id: string, faults: Faults): Session | null {
  let path = sessionPath(id);
  try {
    const source = noting(faults, path, () => readText(store, path, SESSION_BYTES));
    const session = source === null ? null : noting(faults, path, () => parseSession(id, source, null));
    if (source === null || session === null) return null;
    path = lastEndPath(store, id);
    return noting(faults, path, () => parseSession(id, source, readText(store, path, SESSION_BYTES)));
  } catch (error) {
    if (errorCode(error) === null) throw error;
    faults.push({ path, problem: `the disk reports an error: ${(error as Error).message}` });
    return null;
  }
}

/** What an id says from its day on, where it has one: `2026-03-14-007` of `shop-2026-03-14-007`. */
const datedIn = (id: string): string | undefined => /(?<!\d)\d{4}-\d\d-\d\d(?!\d).*/.exec(id)?.[0];

/** Every session, newest first by the time it began, then by the number in its name. @param faults gets those that cannot be read */
export const listSessions = (store: Store, faults: Faults = []): Session[] => newestOf(store, sessionNames(store), faults);

const newestOf = (store: Store, ids: readonly string[], faults: Faults): Session[] =>
  ids.flatMap((id) => readSession(store, id, faults) ?? []).sort(newestFirst);

const keyOf = ({ startedAt, id }: Session): string => `${startedAt} ${datedIn(id) ?? id}`;
const newestFirst = (a: Session, b: Session): number => (keyOf(a) < keyOf(b) ? 1 : -1);

/**
 * The session that a call means: the one it names, the one this connection started last, `RELAY_SESSION_ID`, the newest
 * open one; null when there is none of them.
 * @throws Refusal `bad_session`, `ambiguous_id`
 */
export function findSession(world: World, named: string | undefined): string | null {
  const given = named ?? world.connection.session ?? (world.env["RELAY_SESSION_ID"] || undefined);
  if (given !== undefined) return meantBy(world, requireSessionId(given));
  const { store } = world.home();
  const faults: Faults = [];
  const openOf = (ids: readonly string[]): Session[] => newestOf(store, openSessionNames(store, ids), faults);
  // Of one that nobody can read, or that says that it begins in a day or more, nobody knows when it began: it goes before no other.
  const latest = new Date(world.now() + DAY_MS).toISOString();
  const isKnown = ({ id, startedAt }: Session): boolean => startedAt <= latest && !faults.some(({ path }) => path === sessionPath(id));
  const open = newestOpen(sessionNames(store), openOf, isKnown).sort(newestFirst);
  return (open.find(isKnown) ?? open[0])?.id ?? null;
}

/**
 * The session that a reading call means: as `findSession`, and where there is none the latest one, which has ended.
 * @returns null where there is no session at all; `warning` says that it has ended
 */
export function sessionToRead(world: World, named: string | undefined): { session: string | null; warning?: string } {
  const session = findSession(world, named);
  const latest = session === null ? listSessions(world.home().store)[0] : undefined;
  if (latest === undefined) return { session };
  const { id, title, endedAt = "?", endedBy = "?" } = latest;
  const name = title === undefined ? id : `${id}, ${JSON.stringify(asLine(title, NAME_CHARACTERS))},`;
  return { session: id, warning: `no session is open; this is ${name} which ${asLine(endedBy, NAME_CHARACTERS)} ended at ${endedAt}` };
}

/**
 * The session whose id a person cut short: its last four characters, or its beginning with one of them at least; else the id
 * as given. Other programs make ids that are only a day and a number, so these are never cut short.
 * @throws Refusal `ambiguous_id`
 */
function meantBy(world: World, given: string): string {
  const { store } = world.home();
  const piece = given.toUpperCase();
  if (!/^([0-9A-Z]{4}|\d{4}-\d\d-\d\d-\d{3}-[0-9A-Z]{1,3})$/.test(piece)) return given;
  // A session of that very name may have come from another clone, after the piece meant one of Relay's.
  const isName = exists(store, sessionFolder(given)) || hasTeamFile(store, given);
  const cut = sessionNames(store).filter(
    (name) => name !== given && parseSessionId(name) !== null && (name.startsWith(piece) || name.endsWith(`-${piece}`)),
  );
  // A beginning is long enough to be a name of its own, which other programs give.
  const found = !isName ? cut : piece.length === 4 ? [given, ...cut] : [given];
  if (found.length > 1) throw ambiguousId(given, found.sort());
  return found[0] ?? given;
}

/**
 * As `findSession`, and the id of a new one where there is none. Writes nothing, so that a call can still be refused:
 * `openSession` begins it.
 * @throws Refusal `bad_session`
 */
export const currentSession = (world: World, named: string | undefined): string => findSession(world, named) ?? newSession(world);

/** The id of a session that is not there yet: the next number of the day. */
function newSession(world: World): string {
  const day = dayOf(world.now());
  const numbers = sessionNames(world.home().store).flatMap((name) => {
    const made = parseSessionId(name);
    return made?.day === day ? [made.number] : [];
  });
  return sessionId(day, Math.max(0, ...numbers) + 1, world.random(4));
}

/** Begins a session that is not there yet. @throws Refusal `bad_session` for one that differs from another only in case */
export function openSession(world: World, id: string, by: string): void {
  const { store } = world.home();
  if (exists(store, sessionFolder(id))) return;
  const existing = sessionNames(store).find((name) => name.toLowerCase() === id.toLowerCase());
  if (existing !== undefined && existing !== id) throw refuse("bad_session", { given: id, existing });
  if (beginSession(world, id, by)) world.connection.begun = id;
}

/** What to say where a call names a session that was not there: it may have been mistyped. A call that writes may have begun it. */
export function sessionWarning(world: World, id: string): string {
  const { store } = world.home();
  const near = nearest(
    id,
    sessionNames(store).filter((name) => name !== id),
  );
  const hint = near.length === 0 ? "" : `; did you mean ${near.join(" or ")}?`;
  return `${exists(store, sessionFolder(id)) ? `session ${id} did not exist yet, and began with this call` : `there is no session ${id}`}${hint}`;
}

/**
 * Opens a session, also by its id cut short, or begins it where there is none of that name; a new one gets the next number
 * of the day.
 * @param title what a new one is about
 * @throws Refusal `bad_session`, `ambiguous_id`
 */
export function startSession(world: World, named: string | undefined, by: string, title?: string): string {
  if (named !== undefined) {
    const id = meantBy(world, requireSessionId(named));
    openSession(world, id, by);
    return id;
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    const id = newSession(world);
    if (beginSession(world, id, by, title)) return id;
  }
  throw refuse("busy", { path: "sessions" });
}

function beginSession(world: World, id: string, by: string, title?: string): boolean {
  const startedAt = new Date(world.now()).toISOString();
  return publish(world.home().store, sessionPath(id), formatSession({ id, title, startedBy: by, startedAt })) === "created";
}

/** Whether there is a session of that id, or one that is cut short to it, or a team for one. */
export function hasSession(world: World, id: string): boolean {
  const { store } = world.home();
  return isSessionId(id) && (exists(store, sessionFolder(meantBy(world, id))) || hasTeamFile(store, id));
}

function requireSessionId(id: string): string {
  if (!isSessionId(id)) throw refuse("bad_session", { given: id });
  return id;
}
