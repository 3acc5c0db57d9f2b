/** Searching the board: tasks, and summaries of sessions. spec/messages.md, "Search". */
import { encodeTime, LAST_MS } from "../../objects/format/id.ts";
import { summaryPath } from "../../objects/session/session.ts";
import { statedMs } from "../../objects/summary/summary.ts";
import { type Task, taskPath } from "../../objects/task/task.ts";
import { facts } from "../../store/read/facts.ts";
import type { World } from "../../world.ts";
import { type Faults, noting } from "../broken-files.ts";
import { readSummary } from "../session/summaries.ts";
import { readBoard, readTask } from "./read-board.ts";
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
  const found = await fitting(world, query, faults);
  const undated = found.flatMap(({ path, statedMs }) => (statedMs === null ? [path] : []));
  const changed = await changedMs(world, undated);
  const hits = new Map<string, BoardHit>();
  for (const { path, statedMs, ...hit } of found) {
    const ms = statedMs ?? changed.get(path) ?? 0;
    if (ms >= query.since) hits.set(keyOf(hit, ms), { ...hit, ms });
  }
  return hits;
}

/** Time last, as in the id of a message. */
const keyOf = ({ session, task }: Pick<BoardHit, "session" | "task">, ms: number): string =>
  `${task ?? "summary"}-${session}-${encodeTime(Math.min(ms, LAST_MS))}`;

async function fitting(world: World, query: Query, faults: Faults): Promise<Found[]> {
  const { match, isPart } = query;
  const found: Found[] = [];
  const pace = pacer(world, "tasks");
  for (const file of readBoard(world, isPart === null, faults)) {
    const turn = pace();
    if (turn !== null) await turn;
    const { session, id } = file;
    if (id === null) {
      if (isPart === null && file.summary !== null && match(file.summary) !== null)
        found.push(ofSummary(world, session, file.summary, match, faults));
      continue;
    }
    const { task } = file;
    if (task === null || !fitsTask(task, query)) continue;
    if (isPart !== null && !isPart(task.createdBy) && !(task.assignee !== undefined && isPart(task.assignee))) continue;
    found.push({
      session,
      task: id,
      path: taskPath(session, id),
      statedMs: Date.parse(task.updatedAt) || null,
      read: () => {
        const now = readTask(world, session, id, faults);
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

function ofSummary(world: World, session: string, summary: string, match: Matcher, faults: Faults): Found {
  const path = summaryPath(session);
  const read: BoardHit["read"] = () => {
    const now = noting(faults, path, () => readSummary(world, session));
    return now === null ? null : { title: `Summary of ${session}`, text: now, at: match(now) };
  };
  return { session, task: null, path, statedMs: statedMs(summary), read };
}

/** When files that do not say so were changed last: by the disk, or by the records where the home is of the past. */
async function changedMs(world: World, paths: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (world.past !== undefined) return world.past.changedMs(paths);
  const { store } = world.home();
  return new Map(paths.map((path) => [path, facts(store, path)?.modifiedMs ?? 0]));
}
