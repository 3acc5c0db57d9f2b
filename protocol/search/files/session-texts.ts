/**
 * What sessions hold: tasks, summaries, artifacts as they are now, reviews. A process that goes on keeps what it read of a session that
 * has ended: that is taken for a minute while no name in the session's folders changes. All else is looked at each time.
 * spec/messages.md, "Search".
 */

import { latestVersions } from "../../board/files/artifacts.ts";
import { sessionNames, turnOf } from "../../board/files/sessions.ts";
import { taskNames } from "../../board/files/task-files.ts";
import { artifactsFolder, parseArtifact, recordName } from "../../board/nouns/artifact.ts";
import { isReviewId, parseResult, parseReview, resultPath, reviewFolder, reviewPath } from "../../board/nouns/review.ts";
import { sessionFolder, summaryPath } from "../../board/nouns/session.ts";
import { statedMs } from "../../board/nouns/summary.ts";
import { parseTask, taskFolder, taskPath } from "../../board/nouns/task.ts";
import { withoutNul } from "../../core/format/hidden.ts";
import { FILE_BYTES } from "../../core/format/schema.ts";
import type { Faults } from "../../core/home/broken-files.ts";
import type { World } from "../../core/world.ts";
import { changedMs, exists } from "../../store/read/facts.ts";
import { names } from "../../store/read/list-folder.ts";
import { finishReplacing } from "../../store/write/replace.ts";
import { type FoundText, instantOf, lengthOf, readKept } from "./found-text.ts";
import { Kept } from "./kept.ts";

/** Every task, summary, artifact and review of every session. */
export function* sessionTexts(world: World, faults: Faults): Generator<FoundText> {
  for (const session of sessionNames(world.home().store)) yield* keptSession(world, session) ?? readSession(world, session, faults);
}

/** A session that was read to its end when it had ended. */
interface KeptSession {
  /** Those of its folders that were there, and when a name in one of them changed. */
  folders: readonly string[];
  sign: string;
  readMs: number;
  texts: readonly FoundText[];
}

const sessionsKept = new Kept<KeptSession>(16_000_000);
/** For so long a session that has ended is taken as it was read: a file of it may be edited where it lies, which no folder shows. */
const TAKEN_MS = 60_000;
/** A folder that changed within this time may change again without a new time of change; what is in it is not kept. */
const SETTLED_MS = 2_000;

const nameOf = (world: World, session: string): string => `${world.home().store.root} ${session}`;

function keptSession(world: World, session: string): readonly FoundText[] | null {
  const kept = world.past === undefined ? sessionsKept.get(nameOf(world, session)) : undefined;
  if (kept === undefined || performance.now() - kept.readMs >= TAKEN_MS) return null;
  return signOf(world, kept.folders) === kept.sign ? kept.texts : null;
}

/** The folders that show what came to a session, and what went. One that is not there yet changes the session's own. */
function foldersOf(world: World, session: string): string[] {
  const { store } = world.home();
  const inside = [taskFolder(session), artifactsFolder(session), reviewFolder(session)].filter((folder) => exists(store, folder));
  const artifacts = names(store, artifactsFolder(session)).map((name) => `${artifactsFolder(session)}/${name}`);
  return [sessionFolder(session), ...inside, ...artifacts];
}

/** What folders show when a name in them changes; null where they changed just now. */
function signOf(world: World, folders: readonly string[]): string | null {
  const { store } = world.home();
  const changed = folders.map((folder) => changedMs(store, folder));
  const settledMs = Date.now() - SETTLED_MS;
  return changed.every((ms) => ms < settledMs) ? changed.join(" ") : null;
}

function* readSession(world: World, session: string, faults: Faults): Generator<FoundText> {
  const readMs = performance.now();
  const folders = world.past === undefined && turnOf(world.home().store, session).ended ? foldersOf(world, session) : [];
  const sign = folders.length > 0 ? signOf(world, folders) : null;
  const before = faults.length;
  const texts: FoundText[] = [];
  for (const read of [tasks, summary, artifacts, reviews])
    for (const text of read(world, session, faults)) {
      if (sign !== null) texts.push(text);
      yield text;
    }
  if (sign === null || faults.length > before) return;
  const characters = texts.reduce((sum, text) => sum + lengthOf(text), 0);
  sessionsKept.set(nameOf(world, session), { folders, sign, readMs, texts }, characters, texts.length + folders.length);
}

function* tasks(world: World, session: string, faults: Faults): Generator<FoundText> {
  for (const id of taskNames(world, session)) {
    const path = taskPath(session, id);
    const read = (source: string): FoundText => {
      const { title, description, createdBy, assignee, updatedAt } = parseTask(source, id);
      const of = assignee === undefined ? [createdBy] : [createdBy, assignee];
      const said = { subject: title, text: description, also: [title], id, of, statedMs: instantOf(updatedAt) };
      return { kind: "task", ids: { task_id: id, session_id: session }, ...said, path };
    };
    const text = readKept(world, { path, limit: FILE_BYTES.task }, read, lengthOf, faults);
    if (text !== null) yield text;
  }
}

function* summary(world: World, session: string, faults: Faults): Generator<FoundText> {
  const path = summaryPath(session);
  finishReplacing(world.home().store, path);
  const read = (source: string): FoundText => {
    const said = { subject: `Summary of ${session}`, text: withoutNul(source), also: [], of: [], statedMs: statedMs(source) };
    return { kind: "summary", ids: { session_id: session }, ...said, path };
  };
  const text = readKept(world, { path, limit: FILE_BYTES.summary }, read, lengthOf, faults);
  if (text !== null) yield text;
}

/** The latest version of each artifact. */
function* artifacts(world: World, session: string, faults: Faults): Generator<FoundText> {
  const { store } = world.home();
  for (const { at, version } of latestVersions(world, session)) {
    const path = `${at}/${recordName(version)}`;
    const record = readKept(world, { path, limit: FILE_BYTES.artifact }, parseArtifact, ({ name }) => name.length, faults);
    if (record === null) continue;
    const { id, name, createdBy, createdAt, extension, staged } = record;
    // Of one whose writer was killed the content still waits for its name.
    const content = [`${at}/${version}.${extension}`, `${at}/${staged}`].find((each) => exists(store, each));
    const text = content === undefined ? null : readKept(world, { path: content, limit: FILE_BYTES.content }, String, lengthOfText, faults);
    const said = { subject: name, text: text ?? "", also: [name], id, of: [createdBy], statedMs: instantOf(createdAt) };
    yield { kind: "artifact", ids: { artifact_id: id, session_id: session }, ...said, path };
  }
}

const lengthOfText = (text: string): number => text.length;

function* reviews(world: World, session: string, faults: Faults): Generator<FoundText> {
  for (const file of names(world.home().store, reviewFolder(session))) {
    const id = file.slice(0, -".md".length);
    if (!isReviewId(id)) continue;
    const [path, result] = [reviewPath(session, id), resultPath(session, id)];
    const limit = FILE_BYTES.review;
    const review = readKept(world, { path, limit }, parseReview, ({ name }) => name.length, faults);
    if (review === null) continue;
    const given = readKept(world, { path: result, limit }, parseResult, ({ comments }) => comments.length, faults);
    const { name, reviewer, requester, at } = review;
    const also = given === null ? [name] : [name, given.status];
    const said = { subject: name, text: given?.comments ?? "", also, id, of: [reviewer, requester], statedMs: instantOf(given?.at ?? at) };
    yield { kind: "review", ids: { review_id: id, session_id: session }, ...said, path };
  }
}
