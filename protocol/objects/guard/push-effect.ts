/**
 * The effects of a push beside new messages: acks, closed threads, claims, ends of sessions, results, parts, texts. A pure
 * function of what changed, so that a sync can list it, parts can be told of it, and it can be undone. spec/trust.md, "What a push did".
 */
import { parseTeam } from "../agent/team.ts";
import { parseResult, type ReviewResult } from "../artifact/review.ts";
import { parseConfig } from "../config/config.ts";
import { type SettingChange, settingChanges } from "../config/setting-changes.ts";
import { parseFrontmatter } from "../format/frontmatter.ts";
import { asLine, NAME_CHARACTERS } from "../format/hidden.ts";
import { messageId, threadId } from "../format/id.ts";
import { type NounKind, nouns } from "../index.ts";
import { isEnded, parseThread, type Thread, type ThreadStatus } from "../message/thread.ts";
import type { AnyNoun } from "../noun/noun.ts";
import { type ClaimKind, parseClaim } from "../task/claim.ts";
import { parseTask } from "../task/task.ts";
import { type PlaceKind, placeOf } from "../tree/layout.ts";

/** A file that a push changed; null where it was not, or is no more. */
export interface Changed {
  path: string;
  before: string | null;
  after: string | null;
  /** Whether one of the texts is too long to be read, and empty here. */
  isUnread?: boolean;
}

/** One thing that a push did. `path` is the file by which it did it. */
export type Effect = { path: string } & (
  | { kind: "acked"; part: string; message: string }
  | { kind: "moved"; part: string; to: string; message: string }
  | { kind: "closed" | "opened"; thread: string; status: ThreadStatus; was: ThreadStatus }
  | { kind: "claim"; session: string; task: string; fence: number; did: ClaimKind; agent: string }
  | { kind: "ended" | "resumed"; session: string; by: string }
  | { kind: "result"; session: string; review: string; status: ReviewResult["status"]; by: string }
  | { kind: "task"; session: string; task: string }
  | { kind: "forgotten"; message: string; thread: string; by: string }
  | { kind: "memory" }
  | { kind: "edited"; settings?: readonly SettingChange[] }
  | { kind: "unreadable" }
  | { kind: "added" | "removed"; part: string }
  | { kind: "renamed"; part: string; to: string }
  | { kind: "main"; part: string; to: string }
);

/** What people's own git does not show in the home. It is no file of a noun, and says nothing to Relay. */
const IGNORED_PATH = ".gitignore";

/** Whether what a file says has to be read to know what its change did. */
export function saysMore(path: string): boolean {
  if (path === IGNORED_PATH) return true;
  const kind = placeOf(path)?.kind;
  return kind !== undefined && (SAYING.has(kind) || EDITED.has(kind));
}

const SAYING = new Set<PlaceKind>(["claim", "ended", "reopened", "result", "memory", "forgotten"]);
/** Nouns that are edited, and of which a change that is no more special is told as one. `RELAY.md` of a branch is not checked out. */
const EDITED = new Set<PlaceKind>(
  (nouns as readonly AnyNoun[]).flatMap(({ kind, isEdited }) =>
    isEdited === true && kind !== "memory" && kind !== "text" ? [kind as NounKind] : [],
  ),
);

/** Files of agents: what nobody can read of them concerns whoever is bound to one, also where there was none. */
const TEAMS = new Set<PlaceKind>(["team", "pool"]);

/** Whether a file is one that a push begins, so that it did nothing to what was here. */
export const isBegun = ({ path, before }: { path: string; before: string | null }): boolean => {
  const kind = placeOf(path)?.kind as PlaceKind;
  return before === null && EDITED.has(kind) && !TEAMS.has(kind);
};

/** What changes did, in the order of their paths. Of a file that cannot be read only that it was changed is known. */
export function effectsOf(changes: readonly Changed[]): Effect[] {
  // Mail that a rename moved was acked before, under the other name.
  const moved = new Set(changes.flatMap(({ path, after }) => (after === null && placeOf(path)?.kind === "acked" ? [baseName(path)] : [])));
  const own = changes
    .filter(({ path }) => !(placeOf(path)?.kind === "acked" && moved.has(baseName(path))))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  return [...mailMoved(own), ...own.flatMap(effectsOfOne)];
}

/** Unread mail that is in another inbox now, and not acked in its own. */
function mailMoved(changes: readonly Changed[]): Effect[] {
  const gone = new Map<string, string>();
  for (const { path, after } of changes) {
    const place = placeOf(path);
    if (place?.kind === "unread" && after === null) gone.set(messageId(place.key), place.part);
  }
  if (gone.size === 0) return [];
  const come = changes.flatMap(({ path, before, after }) => {
    const place = before === null && after !== null ? placeOf(path) : null;
    return place?.kind === "unread" || place?.kind === "acked" ? [{ path, to: place.part, message: messageId(place.key) }] : [];
  });
  const acked = new Set(come.flatMap(({ to, message }) => (gone.get(message) === to ? [message] : [])));
  return come.flatMap(({ path, to, message }): Effect[] => {
    const part = gone.get(message);
    return part === undefined || acked.has(message) ? [] : [{ kind: "moved", path, part, to, message }];
  });
}

/** What one change did. */
function effectsOfOne(change: Changed): Effect[] {
  const at = (effects: readonly Unplaced<Effect>[]): Effect[] => effects.map((effect) => ({ path: change.path, ...effect }) as Effect);
  try {
    return at(effectOf(change));
  } catch {
    return at(unreadable(change));
  }
}

const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

type Unplaced<E> = E extends { path: string } ? Omit<E, "path"> : never;

function effectOf({ path, before, after }: Changed): Unplaced<Effect>[] {
  if (path === IGNORED_PATH) return before === null ? [] : [{ kind: "edited" }];
  const place = placeOf(path);
  if (place === null || (after === null && place.kind !== "ended")) return [];
  const text = after ?? "";
  switch (place.kind) {
    case "acked":
      return before === null ? [{ kind: "acked", part: place.part, message: messageId(place.key) }] : [];
    case "thread": {
      const now = parseThread(text, place.key);
      const earlier = before === null ? null : parseThread(before, place.key);
      const [status, was] = [now.status ?? "open", earlier?.status ?? "open"];
      const edited: Unplaced<Effect>[] = earlier !== null && isRetold(earlier, now) ? [{ kind: "edited" }] : [];
      if (isEnded(status) === isEnded(was)) return edited;
      return [...edited, { kind: isEnded(status) ? "closed" : "opened", thread: messageThread(path), status, was }];
    }
    case "claim": {
      if (before !== null) return [];
      const { kind, agent } = parseClaim(text, place.task, place.fence);
      return [
        { kind: "claim", session: place.session, task: place.task, fence: place.fence, did: kind, agent: asLine(agent, NAME_CHARACTERS) },
      ];
    }
    case "ended":
      return before === null ? [{ kind: "ended", session: place.session, by: by(text, "ended_by") }] : [];
    case "reopened":
      return before === null ? [{ kind: "resumed", session: place.session, by: by(text, "reopened_by") }] : [];
    case "forgotten":
      return before === null ? [{ kind: "forgotten", message: messageId(place.key), thread: threadId(place.key), by: by(text, "by") }] : [];
    case "result": {
      if (before !== null) return [];
      const { status, by: reviewer } = parseResult(text);
      return [{ kind: "result", session: place.session, review: place.review, status, by: asLine(reviewer, NAME_CHARACTERS) }];
    }
    case "task": {
      if (before === null) return [];
      const [was, is] = [parseTask(before, place.task), parseTask(text, place.task)];
      const isSame = was.title === is.title && was.description === is.description && was.priority === is.priority;
      return isSame ? [] : [{ kind: "task", session: place.session, task: place.task }];
    }
    case "memory":
      return [{ kind: "memory" }];
    case "config": {
      if (before === null) return [];
      const [parts, settings] = [partEffects(before, text), settingChanges(before, text)];
      if (settings.length > 0) return [...parts, { kind: "edited", settings }];
      return parts.length > 0 ? parts : [{ kind: "edited" }];
    }
    case "team":
    case "pool":
      if (before === null) parseTeam(text, path);
      return before === null ? [] : [{ kind: "edited" }];
    case "summary":
    case "state":
      return before === null ? [] : [{ kind: "edited" }];
    default:
      return [];
  }
}

/** What a change did whose text cannot be read. */
function unreadable({ path, before }: Changed): Unplaced<Effect>[] {
  const kind = placeOf(path)?.kind as PlaceKind;
  if (EDITED.has(kind) && !(TEAMS.has(kind) && before === null)) return before === null ? [] : [{ kind: "edited" }];
  return before === null ? [{ kind: "unreadable" }] : [];
}

/** Whether a thread says something else of itself than its status. */
function isRetold(was: Thread, is: Thread): boolean {
  const told = ({ subject, createdBy, createdAt, tags, other, body }: Thread): string =>
    JSON.stringify([subject, createdBy, createdAt, tags, other, body]);
  return told(was) !== told(is);
}

const messageThread = (path: string): string => path.split("/")[2] as string;

/** Who did it. An end counts by its path, whether its text can be read or not. */
export function by(source: string, key: string): string {
  try {
    const value = parseFrontmatter(source).header[key];
    if (typeof value === "string") return asLine(value, NAME_CHARACTERS);
  } catch {
    // It names nobody.
  }
  return "nobody named";
}

function partEffects(before: string, after: string): Unplaced<Effect>[] {
  const [was, is] = [parseConfig(before), parseConfig(after)];
  const renamed = new Map([...was.parts.keys()].flatMap((part) => heir(part, is.parts)));
  const gone = [...was.parts.keys()].filter((part) => !is.parts.has(part));
  const come = [...is.parts.keys()].filter((part) => !was.parts.has(part) && ![...renamed.values()].includes(part));
  const main: Unplaced<Effect>[] =
    was.main === is.main || renamed.get(was.main) === is.main ? [] : [{ kind: "main", part: was.main, to: is.main }];
  return [
    ...gone.map((part): Unplaced<Effect> => {
      const to = renamed.get(part);
      return to === undefined ? { kind: "removed", part } : { kind: "renamed", part, to };
    }),
    ...come.map((part): Unplaced<Effect> => ({ kind: "added", part })),
    ...main,
  ];
}

function heir(part: string, parts: ReadonlyMap<string, { formerly: readonly string[] }>): [string, string][] {
  if (parts.has(part)) return [];
  return [...parts].flatMap(([to, { formerly }]): [string, string][] => (formerly.includes(part) ? [[part, to]] : [])).slice(0, 1);
}

/** Whom a claim of somebody else concerns: who held the task until then. */
export type HeldBefore = (session: string, task: string, fence: number) => string | null;
