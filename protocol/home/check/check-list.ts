/** The files of a snapshot by their names: the kind of each, which belong together, and the faults of the names. */
import { artifactId } from "../../objects/artifact/artifact.ts";
import { checkFile, checkKind, isRead, Names } from "../../objects/check/check-files.ts";
import { newSession, type SessionFiles } from "../../objects/check/check-session.ts";
import { checkNumbers } from "../../objects/check/check-thread.ts";
import { append } from "../../objects/format/append.ts";
import { type Finding, finding } from "../../objects/format/finding.ts";
import { type MessageLocation, messageId, type ThreadLocation, threadId } from "../../objects/format/id.ts";
import type { NounPlace } from "../../objects/index.ts";
import { FORGOTTEN_FOLDER, locateForgotten, refusedPath } from "../../objects/message/forget-request.ts";
import { messagePath } from "../../objects/message/message.ts";
import { type Place, placeOf } from "../../objects/tree/layout.ts";
import type { Snapshot, SnapshotFile } from "../git/home-reader.ts";

/** A file whose text is to be read, and what it is. */
export interface Reading {
  file: SnapshotFile;
  place: NounPlace;
}

/** What the names of a home say. */
export interface Listing {
  files: ReadonlyMap<string, SnapshotFile>;
  /** What is to be read, in the order of the paths; the files of a session are together. */
  readings: Reading[];
  sessions: Map<string, SessionFiles>;
  /** In whose inboxes each message is unread, by its id. */
  unread: Map<string, string[]>;
  names: Names;
}

/** Lists a snapshot, and says what is wrong by names, kinds and sizes. */
export async function list(snapshot: Snapshot, findings: Finding[]): Promise<Listing> {
  const files: SnapshotFile[] = [];
  for await (const file of snapshot.files()) files.push(file);
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  const byPath = new Map(files.map((file) => [file.path, file]));
  const readings: Reading[] = [];
  const sessions = new Map<string, SessionFiles>();
  const threads = new Map<string, { thread: ThreadLocation; keys: MessageLocation[] }>();
  const unread = new Map<string, string[]>();
  const names = new Names();
  for (const file of files) {
    const place = placeOf(file.path);
    append(findings, names.add(file.path));
    if (file.kind !== "file") {
      const leaves = file.kind === "link" && (await snapshot.leaves(file));
      append(findings, checkKind(file, place, leaves));
      continue;
    }
    const wrong = checkFile(file, place);
    append(findings, wrong);
    if (place === null) continue;
    note(place, file.path, sessions, threads);
    if (wrong.length > 0 || !isRead(place)) continue;
    if (place.kind === "unread") {
      const id = messageId(place.key);
      unread.set(id, [...(unread.get(id) ?? []), place.part]);
    }
    const isMail = place.kind === "unread" || place.kind === "acked";
    const original = isMail ? byPath.get(messagePath(place.key)) : undefined;
    if (isMail && original === undefined)
      findings.push(finding("dangling_mail", { path: file.path }, "no such message in its thread", messagePath(place.key)));
    // A second name, or a copy, of a message that is read where it belongs.
    if (original?.same !== file.same) readings.push({ file, place });
  }
  const forgotten = forgottenIn(byPath);
  for (const { thread, keys } of threads.values()) append(findings, checkNumbers(thread, keys, forgotten.get(threadId(thread)) ?? []));
  return { files: byPath, readings, sessions, unread, names };
}

/** The messages that somebody asked to forget, and nobody refused to, by their thread. */
function forgottenIn(files: ReadonlyMap<string, SnapshotFile>): Map<string, MessageLocation[]> {
  const found = new Map<string, MessageLocation[]>();
  for (const path of files.keys()) {
    const located = path.startsWith(`${FORGOTTEN_FOLDER}/`) ? locateForgotten(path) : null;
    if (located?.kind !== "forgotten" || files.has(refusedPath(messageId(located.key)))) continue;
    const id = threadId(located.key);
    found.set(id, [...(found.get(id) ?? []), located.key]);
  }
  return found;
}

/** Notes what a name says of its thread or its session. */
function note(
  place: Place,
  path: string,
  sessions: Map<string, SessionFiles>,
  threads: Map<string, { thread: ThreadLocation; keys: MessageLocation[] }>,
): void {
  if (place.kind === "thread" || place.kind === "message") {
    const id = threadId(place.key);
    const known = threads.get(id) ?? { thread: { day: place.key.day, random: place.key.random }, keys: [] };
    threads.set(id, known);
    if (place.kind === "message") known.keys.push(place.key);
  }
  if (!("session" in place) || place.kind === "team") return;
  const files = sessions.get(place.session) ?? newSession(place.session);
  sessions.set(place.session, files);
  noteInSession(place, path, files);
}

function noteInSession(place: Place, path: string, files: SessionFiles): void {
  switch (place.kind) {
    case "ended":
    case "reopened":
      files.turns.add(path);
      break;
    case "summary":
      files.hasSummary = true;
      break;
    case "task":
      files.taskFiles.add(place.task);
      break;
    case "claim":
      files.fences.set(place.task, Math.max(files.fences.get(place.task) ?? 0, place.fence));
      break;
    case "artifact":
      files.artifactFiles.add(artifactId(place.hash, place.version));
      break;
    case "review":
      files.reviewFiles.add(place.review);
      break;
    case "result":
      files.results.set(place.review, path);
      break;
    default:
      break;
  }
}
