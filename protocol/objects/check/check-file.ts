/** Reading one file of a home for what it tells the checks that look across files. spec/check.md, "Check". */

import { type Artifact, artifactId, NAME_HASH, parseArtifact } from "../artifact/artifact.ts";
import { parseResult, parseReview, type Review } from "../artifact/review.ts";
import { readEvent } from "../event/event.ts";
import { FileError } from "../format/file-error.ts";
import { parseFrontmatter } from "../format/frontmatter.ts";
import { lineOfKey, withoutNul } from "../format/header.ts";
import { type Digest, messageId } from "../format/id.ts";
import { parseArchive } from "../message/archive.ts";
import { parseForgotten } from "../message/forget-request.ts";
import { type Message, parseMessage } from "../message/message.ts";
import { parseThread } from "../message/thread.ts";
import { type Guest, parseGuest } from "../part/guest.ts";
import { parseReopened, parseSession } from "../session/session.ts";
import { parseSummary, type Summary } from "../summary/summary.ts";
import { type ClaimRecord, parseClaim } from "../task/claim.ts";
import { parseTask, type Task } from "../task/task.ts";
import type { Place, PlaceKind } from "../tree/layout.ts";

/** What a file said, by its kind. */
export type Told =
  | { kind: "message"; message: Message }
  | { kind: "guest"; guest: Guest }
  /** The ids of the events of a file, and its broken lines. */
  | { kind: "events"; ids: { line: number; id: string }[]; broken: { line: number; problem: string }[] }
  | { kind: "task"; task: Task }
  | { kind: "claim"; record: ClaimRecord }
  | { kind: "artifact"; artifact: Artifact }
  | { kind: "review"; review: Review }
  | { kind: "summary"; summary: Summary }
  | { kind: "nothing" };

/** What each kind of file was expected to be; the section of SPEC.md says how it looks. Kinds without an entry are not read. */
export const READ: Partial<Record<PlaceKind, string>> = {
  text: "a text",
  memory: "a memory as spec/board.md, Memory, says",
  config: "a configuration as SPEC.md, relay.yml, says",
  pool: "agents as spec/agents.md, Team files, says",
  team: "agents as spec/agents.md, Team files, says",
  thread: "a thread as SPEC.md, Thread, says",
  archive: "an archive as spec/removal.md, Archive, says",
  message: "a message as SPEC.md, Message, says",
  unread: "the message of its name",
  acked: "the message of its name",
  guest: "a guest as spec/messages.md, Guest, says",
  events: "an event a line as spec/messages.md, Events, says",
  session: "a session as SPEC.md, Session, says",
  ended: "the end of a session as SPEC.md, Session, says",
  summary: "a summary as spec/board.md, Session summary, says",
  version: "a summary as it was before",
  state: "a text",
  label: "the thread of a name",
  task: "a task as SPEC.md, Task, says",
  claim: "a claim as SPEC.md, Claim, says",
  decision: "a claim as SPEC.md, Claim, says",
  content: "a text",
  artifact: "the record of an artifact as spec/board.md, Artifact, says",
  review: "a review as spec/board.md, Review, says",
  result: "the result of a review as spec/board.md, Review, says",
};

/**
 * Reads a file by its place.
 * @throws FileError, with the line, when it is not as it must be, or disagrees with its path
 */
export function readPlace(place: Place, source: string, digest: Digest): Told {
  switch (place.kind) {
    case "thread":
      parseThread(source, place.key);
      return { kind: "nothing" };
    case "message":
    case "unread":
    case "acked":
      return { kind: "message", message: parseMessage(source, place.key, digest) };
    case "guest": {
      const guest = parseGuest(source);
      agree(source, "part", guest.part, place.part);
      return { kind: "guest", guest };
    }
    case "events":
      return eventsOf(source);
    case "session":
    case "ended": {
      const [start, end] = place.kind === "session" ? [source, null] : [NO_START, source];
      parseSession(place.session, start, end);
      agree(source, "id", parseFrontmatter(source).header["id"] ?? place.session, place.session);
      return { kind: "nothing" };
    }
    case "archive":
      parseArchive(source, place.key, digest);
      return { kind: "nothing" };
    case "forgotten":
    case "refused":
      agree(source, "id", parseForgotten(source).id, messageId(place.key));
      return { kind: "nothing" };
    case "reopened":
      parseReopened(source);
      agree(source, "id", parseFrontmatter(source).header["id"] ?? place.session, place.session);
      return { kind: "nothing" };
    case "summary": {
      const summary = parseSummary(source);
      agree(source, "session", summary.session ?? place.session, place.session);
      return { kind: "summary", summary };
    }
    case "task":
      return { kind: "task", task: parseTask(source, place.task) };
    case "claim":
      return { kind: "claim", record: parseClaim(source, place.task, place.fence) };
    case "artifact": {
      const artifact = parseArtifact(source);
      agree(source, "id", artifact.id, artifactId(place.hash, place.version));
      agree(source, "version", artifact.version, place.version);
      // The rest of the folder's name is for people.
      agree(source, "name", digest(artifact.name).slice(0, NAME_HASH), place.hash);
      return { kind: "artifact", artifact };
    }
    case "review": {
      const review = parseReview(source);
      agree(source, "id", review.id, place.review);
      return { kind: "review", review };
    }
    case "result":
      parseResult(source);
      return { kind: "nothing" };
    case "decision":
      parseFrontmatter(source);
      return { kind: "nothing" };
    case "text":
    case "memory":
    case "version":
    case "label":
      withoutNul(source);
      return { kind: "nothing" };
    default:
      return { kind: "nothing" };
  }
}

/** A beginning that is as it must be, so that an end can be read by itself. */
const NO_START = '---\nstarted_by: "human"\nstarted_at: "1970-01-01T00:00:00.000Z"\n---\n';

/** @throws FileError when what a header says and what its path says are not the same */
function agree(source: string, key: string, said: unknown, expected: string | number): void {
  if (said === expected) return;
  throw new FileError(
    `${key} and path disagree: expected ${JSON.stringify(expected)}, it says ${JSON.stringify(said)}`,
    lineOfKey(source, key),
  );
}

/** What a file of events says. A last line without its end may still be being written. */
function eventsOf(source: string): Extract<Told, { kind: "events" }> {
  const told: Extract<Told, { kind: "events" }> = { kind: "events", ids: [], broken: [] };
  for (const [at, row] of source.split("\n").slice(0, -1).entries()) {
    if (row === "") continue;
    const event = readEvent(row);
    if (typeof event === "string") told.broken.push({ line: at + 1, problem: event });
    else told.ids.push({ line: at + 1, id: event.id });
  }
  return told;
}
