/** Searching the board: tasks, and summaries of sessions. spec/messages.md, "Search". */
import { encodeTime } from "../../objects/format/id.ts";
import { FILE_BYTES } from "../../objects/format/schema.ts";
import { summaryPath } from "../../objects/session/session.ts";
import { statedMs } from "../../objects/summary/summary.ts";
import { parseTask, type Task, taskPath } from "../../objects/task/task.ts";
import { facts } from "../../store/read/facts.ts";
import { readText } from "../../store/read/read-file.ts";
import type { World } from "../../world.ts";
import { type Faults, faultOf, noting } from "../broken-files.ts";
import { sessionNames } from "../session/sessions.ts";
import { readSummary } from "../session/summaries.ts";
import { taskNames } from "../task/task-files.ts";
import { type Matcher, type Place, pacer, type Wording } from "./search-text.ts";

/** What of the board is searched for. */
interface Query extends Wording {
  match: Matcher;
  /** In milliseconds since the epoch. */
  since: number;
  /** As for messages; a summary is nobody's. */
  isPart: ((name: string) => boolean) | null;
}

/** A task or a summary that fits. `ms` is when it changed last, in milliseconds since the epoch. */
export interface BoardHit {
  session: string;
  /** Null of a summary. */
  task: string | null;
  ms: number;
  /** Title, text, and where the query fits it. Null when it cannot be read any more. */
  read: () => { title: string; text: string; at: Place } | null;
}

type Found = Omit<BoardHit, "ms"> & { path: string; statedMs: number | null };

/** Every task and summary that fits, by a key that sorts among the ids of messages by `compareNewest`. */
export async function searchBoard(world: World, query: Query, faults: Faults): Promise<Map<string, BoardHit>> {
  const found = [...(await fittingTasks(world, query, faults)), ...(query.isPart === null ? fittingSummaries(world, query, faults) : [])];
  const undated = found.flatMap(({ path, statedMs }) => (statedMs === null ? [path] : []));
  const changed = await changedMs(world, undated);
  const hits = new Map<string, BoardHit>();
  for (const { path, statedMs, ...hit } of found) {
    const ms = statedMs ?? changed.get(path) ?? 0;
    if (ms >= query.since) hits.set(keyOf(hit, ms), { ...hit, ms });
  }
  return hits;
}

/** The last instant that the time in an id can say. */
const LAST_MS = 32 ** 9 - 1;

/** Time last, as in the id of a message. */
const keyOf = ({ session, task }: Pick<BoardHit, "session" | "task">, ms: number): string =>
  `${task ?? "summary"}-${session}-${encodeTime(Math.min(ms, LAST_MS))}`;

async function fittingTasks(world: World, query: Query, faults: Faults): Promise<Found[]> {
  const { match, isPart } = query;
  const found: Found[] = [];
  const pace = pacer(world, "tasks");
  for (const { session, id, task } of eachTask(world, faults)) {
    const turn = pace();
    if (turn !== null) await turn;
    if (task === null || !fitsTask(task, query)) continue;
    if (isPart !== null && !isPart(task.createdBy) && !(task.assignee !== undefined && isPart(task.assignee))) continue;
    found.push({
      session,
      task: id,
      path: taskPath(session, id),
      statedMs: Date.parse(task.updatedAt) || null,
      read: () => {
        const now = readWhole(world, session, id, faults);
        return now === null ? null : { title: now.title, text: now.description, at: match(now.description) };
      },
    });
  }
  return found;
}

const fitsTask = (task: Task, query: Query): boolean =>
  query.match(task.title) !== null || query.match(task.description) !== null || fitsId(task.id, query);

/** As long as the shortest piece of an id that people may give. */
const PIECE_LENGTH = 3;

/** Whether a query means an id: by its beginning, with or without `task-`, or, as an expression, all of it. Any task has `task` in it. */
function fitsId(id: string, { query, regex, match }: Query): boolean {
  if (regex) return match(id)?.length === id.length;
  const piece = query.toLowerCase().replace(/^task-/, "");
  return piece.length >= PIECE_LENGTH && id.startsWith(`task-${piece}`);
}

function fittingSummaries(world: World, { match }: Query, faults: Faults): Found[] {
  return sessionNames(world.home().store).flatMap((session) => {
    const path = summaryPath(session);
    const text = noting(faults, path, () => readSummary(world, session));
    if (text === null || match(text) === null) return [];
    const read: BoardHit["read"] = () => {
      const now = noting(faults, path, () => readSummary(world, session));
      return now === null ? null : { title: `Summary of ${session}`, text: now, at: match(now) };
    };
    return [{ session, task: null, path, statedMs: statedMs(text), read }];
  });
}

/** When files that do not say so were changed last: by the disk, or by the records where the home is of the past. */
async function changedMs(world: World, paths: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (world.past !== undefined) return world.past.changedMs(paths);
  const { store } = world.home();
  return new Map(paths.map((path) => [path, facts(store, path)?.modifiedMs ?? 0]));
}

/** Tasks read in this process, by path; without their history. */
const tasksRead = new Map<string, { sign: string; task: Task }>();
/** So many characters of titles and descriptions are kept. */
const KEPT_CHARACTERS = 8_000_000;
let characters = 0;

/** Every task of every session; null in its place where it cannot be read, for which `faults` says why. */
function* eachTask(world: World, faults: Faults): Generator<{ session: string; id: string; task: Task | null }> {
  for (const session of sessionNames(world.home().store)) {
    for (const id of taskNames(world, session)) yield { session, id, task: readWhole(world, session, id, faults) };
  }
}

/** A task as its file says, with its description and without its history; null when it is not there, or cannot be read. */
function readWhole(world: World, session: string, id: string, faults: Faults): Task | null {
  const { store } = world.home();
  const path = taskPath(session, id);
  try {
    const fact = facts(store, path);
    if (fact === null) return null;
    const sign = `${fact.inode} ${fact.size} ${fact.modifiedMs}`;
    const place = `${store.root} ${path}`;
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
  const length = lengthOf(task) - lengthOf(tasksRead.get(place)?.task);
  if (characters + length > KEPT_CHARACTERS) return;
  characters += length;
  tasksRead.set(place, { sign, task });
}

const lengthOf = (task: Task | undefined): number => (task === undefined ? 0 : task.title.length + task.description.length);
