/** The files of a snapshot by their names: the kind of each, which belong together, and the faults of the names. */

import { addTo, append } from "../../core/format/append.ts";
import type { Finding } from "../../core/format/finding.ts";
import { type MessageLocation, messageId, type ThreadLocation, threadId } from "../../core/format/id.ts";
import { placeOf } from "../../core/tree/layout.ts";
import type { Snapshot, SnapshotFile } from "../../git/home/home-reader.ts";
import { messagePath } from "../../mail/nouns/message.ts";
import type { NounPlace } from "../../nouns.ts";
import { refusedPath } from "../../removal/nouns/forget-request.ts";
import { checkFile, checkKind, isRead, Names } from "../nouns/check-files.ts";
import { References } from "../nouns/check-references.ts";
import { newSession, noteInSession, type SessionFiles } from "../nouns/check-session.ts";
import { checkDispatches, checkNumbers } from "../nouns/check-thread.ts";

/** A file of a noun, and what its path says. */
export interface Reading {
  file: SnapshotFile;
  place: NounPlace;
}

/** What the names of a home say. */
export interface Listing {
  files: ReadonlyMap<string, SnapshotFile>;
  /** What is to be read, in the order of the paths; the files of a session are together. */
  readings: Reading[];
  /** What is too large to be read. */
  tooLarge: Reading[];
  sessions: Map<string, SessionFiles>;
  /** In whose inboxes each message is unread, by its id. */
  inboxes: Map<string, string[]>;
  /** Who acked each message, by its id. */
  acks: Map<string, string[]>;
  names: Names;
  references: References;
  /** Every thread with its messages, by its id. */
  threads: ReadonlyMap<string, ThreadFiles>;
}

/** A thread: the messages that are there, those that somebody asked to forget, and of these those that nobody refused to. */
export interface ThreadFiles {
  thread: ThreadLocation;
  keys: MessageLocation[];
  forgotten: MessageLocation[];
  unanswered: MessageLocation[];
}

/** Lists a snapshot. @param findings gets what is wrong by names, kinds and sizes */
export async function list(snapshot: Snapshot, findings: Finding[]): Promise<Listing> {
  const all: SnapshotFile[] = [];
  for await (const files of snapshot.files()) append(all, files);
  all.sort((a, b) => (a.path < b.path ? -1 : 1));
  const files = new Map(all.map((file) => [file.path, file]));
  const threads = new Map<string, ThreadFiles>();
  const listing: Listing = {
    files,
    readings: [],
    tooLarge: [],
    sessions: new Map(),
    inboxes: new Map(),
    acks: new Map(),
    names: new Names(),
    references: new References(),
    threads,
  };
  const dispatches: ThreadLocation[] = [];
  const archived = new Set<string>();
  for (const file of all) {
    const place = placeOf(file.path);
    append(findings, listing.names.add(file.path));
    if (file.kind !== "file") {
      const leaves = file.kind === "link" && (await snapshot.leaves(file));
      append(findings, checkKind(file, place, leaves));
      continue;
    }
    const wrong = checkFile(file, place);
    append(findings, wrong);
    if (place === null || place.kind === "ignored" || place.kind === "machine") continue;
    note(place, file.path, listing, threads);
    if (place.kind === "dispatch") dispatches.push(place.key);
    if (place.kind === "archive") archived.add(threadId(place.key));
    if (!isRead(place)) continue;
    if (wrong.length > 0) listing.tooLarge.push({ file, place });
    // A second name, or a copy, of a message that is read where it belongs.
    else if (place.kind !== "unread" && place.kind !== "acked") listing.readings.push({ file, place });
    else if (files.get(messagePath(place.key))?.same !== file.same) listing.readings.push({ file, place });
  }
  for (const { thread, keys, forgotten } of threads.values()) append(findings, checkNumbers(thread, keys, forgotten));
  append(
    findings,
    checkDispatches(dispatches, (id) => threads.has(id) || archived.has(id)),
  );
  return listing;
}

/** Notes what a name says: what the file is called, and which thread, inbox or session it belongs to. */
function note(
  place: NounPlace,
  path: string,
  { files, sessions, inboxes, acks, references }: Listing,
  threads: Map<string, ThreadFiles>,
): void {
  references.add(place);
  if (place.kind === "thread" || place.kind === "message" || place.kind === "forgotten") {
    const id = threadId(place.key);
    const known = threads.get(id) ?? { thread: { day: place.key.day, random: place.key.random }, keys: [], forgotten: [], unanswered: [] };
    threads.set(id, known);
    if (place.kind === "message") known.keys.push(place.key);
    if (place.kind !== "forgotten") return;
    known.forgotten.push(place.key);
    if (!files.has(refusedPath(messageId(place.key)))) known.unanswered.push(place.key);
  } else if (place.kind === "unread" || place.kind === "acked") {
    addTo(place.kind === "unread" ? inboxes : acks, messageId(place.key), place.part);
  } else if ("session" in place && place.kind !== "team") {
    const session = sessions.get(place.session) ?? newSession(place.session);
    sessions.set(place.session, session);
    noteInSession(session, place, path);
  }
}
