/** Which file of a home a path is: the tree of SPEC.md as a function. SPEC.md, "The tree". */

import { POOL_PATH } from "../agent/team.ts";
import { parseArtifactId, versionOf } from "../artifact/artifact.ts";
import { isReviewId } from "../artifact/review.ts";
import { CONFIG_PATH } from "../config/config.ts";
import { type MessageKey, parseMessageId, parseThreadId, type ThreadKey } from "../format/id.ts";
import { agentMemoryPath, MEMORY_PATH } from "../memory/memory.ts";
import { ARCHIVE_FOLDER, locateArchive } from "../message/archive.ts";
import { FORGOTTEN_FOLDER, locateForgotten } from "../message/forget-request.ts";
import { locateMessage } from "../message/message.ts";
import { threadPath } from "../message/thread.ts";
import { isKept } from "../noun/merge-tree.ts";
import { guestPath } from "../part/guest.ts";
import { partProblem, readPath, unreadPath } from "../part/part.ts";
import { isSessionId, sessionOfTeam, summaryVersionOf, turnOf } from "../session/session.ts";
import { type Decision, decisionPath, fenceOf } from "../task/claim.ts";
import { isTaskId } from "../task/task.ts";

/** What a file is, by its path alone. */
export type Place =
  | { kind: "config" | "text" | "memory" | "pool" | "events" | "usage" }
  /** Of another version, a signature, what a merge kept, or dotted: never read. */
  | { kind: "ignored" }
  /** Under `outbox/`, `local/` or `run/`: of one machine, and never recorded. */
  | { kind: "machine" }
  | { kind: "thread"; key: ThreadKey }
  | { kind: "archive"; key: ThreadKey; number: number }
  | { kind: "message"; key: MessageKey }
  | { kind: "unread" | "acked"; part: string; key: MessageKey }
  | { kind: "guest"; part: string }
  | { kind: "session" | "ended" | "reopened" | "summary" | "version" | "state" | "label" | "team"; session: string }
  | { kind: "task"; session: string; task: string }
  | { kind: "decision"; session: string; task: string }
  | { kind: "claim"; session: string; task: string; fence: number }
  | { kind: "artifact" | "content"; session: string; folder: string; hash: string; version: number }
  | { kind: "forgotten" | "refused"; key: MessageKey }
  | { kind: "review" | "result"; session: string; review: string };

/** The kinds of file there are. */
export type PlaceKind = Place["kind"];

/** Whether a name in a folder of messages is one that nobody takes for a message: dotted, a signature, or kept beside by a merge. */
export const isIgnored = (name: string): boolean => name.startsWith(".") || name.endsWith(".sig") || isKept(name);

/** What the file at a path is; null when it is outside of the layout. */
export function placeOf(path: string): Place | null {
  const segments = path.split("/");
  const [top = "", ...below] = segments;
  if (["outbox", "local", "run"].includes(top)) return { kind: "machine" };
  // What leads out of the home, or into git, is never one of its files, whoever recorded it.
  if (segments.some((segment) => /^(\.\.?|\.git)$/i.test(segment))) return null;
  if (isKept(path) || top === "org" || segments.some((segment) => segment.startsWith("."))) return { kind: "ignored" };
  if (path.endsWith(".md.sig")) return placeOf(path.slice(0, -4)) === null ? null : { kind: "ignored" };
  switch (top) {
    case CONFIG_PATH:
      return below.length === 0 ? { kind: "config" } : null;
    case "RELAY.md":
      return below.length === 0 ? { kind: "text" } : null;
    case POOL_PATH:
      return below.length === 0 ? { kind: "pool" } : null;
    case "threads":
      return threadPlace(path);
    case "inbox":
      return inboxPlace(path);
    case "sessions":
      return sessionPlace(below);
    case "memory":
      return memoryPlace(path);
    case ARCHIVE_FOLDER: {
      const archive = locateArchive(path);
      return archive === null ? null : { kind: "archive", ...archive };
    }
    case FORGOTTEN_FOLDER:
      return locateForgotten(path);
    case "events":
      return /^events\/\d{4}-\d\d-\d\d\/[0-9a-z]{8}\.jsonl$/.test(path) ? { kind: "events" } : null;
    case "usage":
      return /^usage\/\d{4}-\d\d\/[0-9a-z]{8}\.jsonl$/.test(path) ? { kind: "usage" } : null;
    default: {
      const session = sessionOfTeam(path);
      return session === null ? null : { kind: "team", session };
    }
  }
}

function threadPlace(path: string): Place | null {
  const message = locateMessage(path);
  if (message !== null) return { kind: "message", key: message };
  const key = parseThreadId(path.split("/")[2] ?? "");
  return key !== null && threadPath(key) === path ? { kind: "thread", key } : null;
}

function inboxPlace(path: string): Place | null {
  const match = /^inbox\/(.+?)\/(?:(new|read\/\d{4}-\d\d-\d\d)\/(m-[^/]+)\.md|guest\.md)$/.exec(path);
  const part = match?.[1] ?? "";
  if (match === null || partProblem(part) !== null) return null;
  if (match[2] === undefined) return guestPath(part) === path ? { kind: "guest", part } : null;
  const id = match[3] as string;
  const key = parseMessageId(id);
  if (key === null) return null;
  if (unreadPath(part, id) === path) return { kind: "unread", part, key };
  return readPath(part, id, key.day) === path ? { kind: "acked", part, key } : null;
}

function memoryPlace(path: string): Place | null {
  if (path === MEMORY_PATH) return { kind: "memory" };
  const part = /^memory\/agents\/(.+)\.md$/.exec(path)?.[1] ?? "";
  return partProblem(part) === null && agentMemoryPath(part) === path ? { kind: "memory" } : null;
}

/** Files of a session that have one name each. */
const SINGLE = {
  "session.md": "session",
  "summary.md": "summary",
  "state.json": "state",
} as const;

function sessionPlace([session = "", folder = "", ...names]: string[]): Place | null {
  if (!isSessionId(session)) return null;
  const [name = "", inner] = names;
  if (names.length === 0) {
    const turn = turnOf(folder);
    if (turn !== null) return { kind: turn.kind, session };
    return Object.hasOwn(SINGLE, folder) ? { kind: SINGLE[folder as keyof typeof SINGLE], session } : null;
  }
  if (names.length > 2) return null;
  const id = name.endsWith(".md") ? name.slice(0, -3) : "";
  switch (inner === undefined ? folder : `${folder}/`) {
    case "tasks":
      return isTaskId(id) ? { kind: "task", session, task: id } : null;
    case "reviews": {
      const review = id.replace(/\.result$/, "");
      return isReviewId(review) ? { kind: review === id ? "review" : "result", session, review } : null;
    }
    case "summaries":
      return summaryVersionOf(name) === null ? null : { kind: "version", session };
    case "labels":
      return /^[0-9a-f]{24}\.txt$/.test(name) ? { kind: "label", session } : null;
    case "claims/": {
      if (!isTaskId(name)) return null;
      const fence = fenceOf(inner as string);
      return fence === null ? decisionPlace(session, name, inner as string) : { kind: "claim", session, task: name, fence };
    }
    case "artifacts/":
      return artifactPlace(session, name, inner as string);
    default:
      return null;
  }
}

/** What the remote made of a provisional claim. */
function decisionPlace(session: string, task: string, name: string): Place | null {
  const [, fence, nonce = "", as] = /^([1-9]\d{0,7})\.([^.]*)\.(confirmed|lost)\.md$/.exec(name) ?? [];
  const path = decisionPath(session, { task, fence: Number(fence), nonce }, as as Decision);
  return path.endsWith(`/${name}`) ? { kind: "decision", session, task } : null;
}

function artifactPlace(session: string, folder: string, name: string): Place | null {
  const hash = parseArtifactId(`artifact-${folder.slice(folder.lastIndexOf("-") + 1)}-1`)?.hash;
  if (hash === undefined || !/^[a-z0-9][a-z0-9-]{0,53}$/.test(folder)) return null;
  const record = versionOf(name);
  if (record !== null) return { kind: "artifact", session, folder, hash, version: record };
  const content = /^([1-9]\d{0,6})\.[a-z0-9]{1,8}$/.exec(name);
  return content === null ? null : { kind: "content", session, folder, hash, version: Number(content[1]) };
}
