/**
 * The tasks and summaries of all sessions, for a search. A process that goes on keeps what it read of a session that has ended: that is
 * taken for a minute while no name in the session's folders changes. All else is looked at each time. spec/messages.md, "Search".
 */
import { FILE_BYTES } from "../../objects/format/schema.ts";
import { sessionFolder, summaryPath } from "../../objects/session/session.ts";
import { parseTask, type Task, taskFolder, taskPath } from "../../objects/task/task.ts";
import { changedMs, facts } from "../../store/read/facts.ts";
import { readText } from "../../store/read/read-file.ts";
import type { World } from "../../world.ts";
import { type Faults, faultOf, noting } from "../broken-files.ts";
import { sessionNames, turnOf } from "../session/sessions.ts";
import { readSummary } from "../session/summaries.ts";
import { taskNames } from "../task/task-files.ts";

/** A task without its history, or the summary of a session; null of what is not there, or cannot be read. */
export type BoardFile = { session: string } & ({ id: string; task: Task | null } | { id: null; summary: string | null });

/** Every task of every session, and after them its summary. @param summaries whether these are read @param faults says what cannot be read */
export function* readBoard(world: World, summaries: boolean, faults: Faults): Generator<BoardFile> {
  for (const session of sessionNames(world.home().store)) {
    const kept = keptSession(world, session);
    if (kept !== null) yield* kept;
    else yield* readSession(world, session, summaries, faults);
  }
}

/** A session that was read to its end. */
interface KeptSession {
  sign: string;
  readMs: number;
  files: readonly BoardFile[];
}

/** Sessions that had ended when they were read, by the root of the home and their name. */
const sessionsKept = new Map<string, KeptSession>();
/** For so long a session that has ended is taken as it was read: a file of it may be edited where it lies, which no folder shows. */
const TAKEN_MS = 60_000;
/** A folder that changed within this time may change again without a new time of change; what is in it is not kept. */
const SETTLED_MS = 2_000;

const placeOf = (world: World, session: string): string => `${world.home().store.root} ${session}`;

function keptSession(world: World, session: string): readonly BoardFile[] | null {
  const kept = sessionsKept.get(placeOf(world, session));
  if (kept === undefined || world.past !== undefined) return null;
  const age = performance.now() - kept.readMs;
  return age < TAKEN_MS && signOf(world, session) === kept.sign ? kept.files : null;
}

/** What the folders of a session show when a name in them changes; null where they changed just now. */
function signOf(world: World, session: string): string | null {
  const { store } = world.home();
  const changed = [sessionFolder(session), taskFolder(session)].map((folder) => changedMs(store, folder));
  return Math.max(...changed) < Date.now() - SETTLED_MS ? changed.join(" ") : null;
}

function* readSession(world: World, session: string, summaries: boolean, faults: Faults): Generator<BoardFile> {
  const readMs = performance.now();
  const sign = world.past === undefined && turnOf(world.home().store, session).ended ? signOf(world, session) : null;
  const before = faults.length;
  const files: BoardFile[] = [];
  let isKept = sign !== null;
  for (const id of taskNames(world, session)) {
    const file: BoardFile = { session, id, task: readTask(world, session, id, faults) };
    isKept &&= tasksRead.get(pathOf(world, session, id))?.task === file.task;
    if (isKept) files.push(file);
    yield file;
  }
  if (!summaries) return;
  const summary: BoardFile = { session, id: null, summary: noting(faults, summaryPath(session), () => readSummary(world, session)) };
  files.push(summary);
  const place = placeOf(world, session);
  const length = (summary.summary?.length ?? 0) - lengthOf(sessionsKept.get(place));
  if (sign !== null && isKept && faults.length === before && characters + length <= KEPT_CHARACTERS) {
    characters += length;
    sessionsKept.set(place, { sign, readMs, files });
  }
  yield summary;
}

/** Tasks read in this process, by path; without their history. */
const tasksRead = new Map<string, { sign: string; task: Task }>();
/** So many characters of titles, descriptions and summaries are kept. */
const KEPT_CHARACTERS = 8_000_000;
let characters = 0;

const pathOf = (world: World, session: string, id: string): string => `${world.home().store.root} ${taskPath(session, id)}`;

/** A task as its file says, with its description and without its history; null when it is not there, or cannot be read. */
export function readTask(world: World, session: string, id: string, faults: Faults): Task | null {
  const { store } = world.home();
  const path = taskPath(session, id);
  try {
    const fact = facts(store, path);
    if (fact === null) return null;
    const sign = `${fact.inode} ${fact.size} ${fact.modifiedMs}`;
    const place = pathOf(world, session, id);
    const known = tasksRead.get(place);
    if (known?.sign === sign) return known.task;
    const source = readText(store, path, FILE_BYTES.task);
    if (source === null) return null;
    const task = { ...parseTask(source, id), history: [] };
    keep(place, sign, task);
    return task;
  } catch (error) {
    faults.push(faultOf(error, path));
    return null;
  }
}

function keep(place: string, sign: string, task: Task): void {
  const length = charactersOf(task) - charactersOf(tasksRead.get(place)?.task);
  if (characters + length > KEPT_CHARACTERS) return;
  characters += length;
  tasksRead.set(place, { sign, task });
}

const charactersOf = (task: Task | undefined): number => (task === undefined ? 0 : task.title.length + task.description.length);

/** Of what a session holds beside its tasks. */
function lengthOf(kept: KeptSession | undefined): number {
  const last = kept?.files.at(-1);
  return last?.id === null ? (last.summary?.length ?? 0) : 0;
}
