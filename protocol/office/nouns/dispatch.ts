/** Dispatches: one piece of work that an initiator gave a position; its id is that of its thread. spec/office.md, "Dispatches". */
import * as z from "zod/mini";
import { FileError } from "../../core/format/file-error.ts";
import { formatFrontmatter, headerError, lineOfKey, parseFrontmatter, withoutUndefined } from "../../core/format/frontmatter.ts";
import { type Digest, hashTail, parseThreadId, THREAD_RANDOM, type ThreadLocation, threadId } from "../../core/format/id.ts";
import { once } from "../../core/format/schema.ts";
import { partProblem } from "../../core/names.ts";
import type { Roster } from "./roster.ts";

/** A dispatch, as it was made. It never changes. */
export interface Dispatch {
  /** The id of its thread. */
  id: string;
  /** `agent:{initiator}:{recipient}:{uuid}`. Where `Send` made the dispatch, the random part of the thread's id is made from it. */
  context: string;
  /** The position, part or person that gave the work. */
  initiator: string;
  /** The position that does it. */
  recipient: string;
  /** The dispatch in which it was given; absent where a person or an interactive agent gave it. */
  parent?: string | undefined;
  /** The turn of the parent in which it was given. */
  parentTurn?: number | undefined;
  /** 0 of one without a parent, and one more than the parent's. */
  depth: number;
  /** The clone that runs it; no other does. */
  clone: string;
  /** ISO 8601. */
  at: string;
  /** The path of the agent's file in the home. */
  agent: string;
  /** Whom the position may give work to in this dispatch, and whom it may ask. */
  roster: Roster;
}

/** What says that a dispatch was closed. */
export interface DispatchClosed {
  by: string;
  at: string;
}

/** Where all dispatches lie. */
export const DISPATCHES = "dispatches";

/** The folder of a dispatch. */
export const dispatchFolder = ({ day, random }: ThreadLocation): string => `${DISPATCHES}/${day}/${random}`;
/** Where a dispatch lies. */
export const dispatchPath = (key: ThreadLocation): string => `${dispatchFolder(key)}/dispatch.md`;
/** Where its end for good lies. */
export const closedPath = (key: ThreadLocation): string => `${dispatchFolder(key)}/closed.md`;
/** Where its turns lie. */
export const turnsFolder = (key: ThreadLocation): string => `${dispatchFolder(key)}/turns`;

/** Which dispatch a path is in, and the rest of the path; null for any other path. */
export function inDispatch(path: string): { key: ThreadLocation; rest: string } | null {
  const [, day = "", random = "", rest = ""] = /^dispatches\/(\d{4}-\d\d-\d\d)\/([^/]+)\/(.+)$/.exec(path) ?? [];
  const key = parseThreadId(`t-${day.replaceAll("-", "")}-${random}`);
  return key !== null && key.day === day ? { key, rest } : null;
}

/** The context of a new dispatch. @param uuid version 4 */
export const contextOf = (initiator: string, recipient: string, uuid: string): string => `agent:${initiator}:${recipient}:${uuid}`;

/** The UUID, version 4, of 32 hexadecimal digits that came by chance, or of a hash. */
export function uuidOf(hex: string): string {
  const variant = "89ab".charAt(Number.parseInt(hex.charAt(16), 16) % 4);
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, variant + hex.slice(17, 20), hex.slice(20, 32)].join("-");
}

/** The characters that the folder and the thread of a dispatch have for its context: the first 40 bits of its hash. */
export const randomOf = (context: string, digest: Digest): string => hashTail(digest(context)).slice(0, THREAD_RANDOM);

const CONTEXT = /^agent:([^:\s]+):([^:\s]+):[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Who is in a context; null for a text that is none. */
export function readContext(context: string): { initiator: string; recipient: string } | null {
  const [, initiator = "", recipient = ""] = CONTEXT.exec(context) ?? [];
  return partProblem(initiator) === null && partProblem(recipient) === null ? { initiator, recipient } : null;
}

const DispatchHeader = once(() =>
  z.looseObject({
    context: z.string(),
    thread: z.string(),
    initiator: z.string(),
    recipient: z.string(),
    parent: z.optional(z.string()),
    parent_turn: z.optional(z.int().check(z.gte(1))),
    depth: z.int().check(z.gte(0)),
    clone: z.string(),
    at: z.string(),
    agent: z.string(),
    roster: z.record(z.string(), z.string()),
    requestor: z.optional(z.string()),
  }),
);
const ClosedHeader = once(() => z.looseObject({ by: z.string(), at: z.string() }));

/** Writes a dispatch. */
export function formatDispatch(dispatch: Dispatch): string {
  const entries = Object.entries(dispatch.roster);
  return formatFrontmatter(
    {
      context: dispatch.context,
      thread: dispatch.id,
      initiator: dispatch.initiator,
      recipient: dispatch.recipient,
      parent: dispatch.parent,
      parent_turn: dispatch.parentTurn,
      depth: dispatch.depth,
      clone: dispatch.clone,
      at: dispatch.at,
      agent: dispatch.agent,
      roster: Object.fromEntries(entries.map(([name, { description }]) => [name, description])),
      requestor: entries.find(([, { type }]) => type === "requestor")?.[0],
    },
    "",
  );
}

/**
 * Reads a dispatch.
 * @param key what its path says; a header that disagrees is an error
 * @throws FileError, with the line
 */
export function parseDispatch(source: string, key: ThreadLocation): Dispatch {
  const { header } = parseFrontmatter(source);
  const parsed = DispatchHeader().safeParse(header);
  if (!parsed.success) throw headerError(source, header, parsed.error.issues);
  const {
    context,
    thread,
    initiator,
    recipient,
    parent,
    parent_turn: parentTurn,
    depth,
    clone,
    at,
    agent,
    roster,
    requestor,
  } = parsed.data;
  const wrong = (field: string, problem: string): FileError => new FileError(`${field}: ${problem}`, lineOfKey(source, field));
  const id = threadId(key);
  if (thread !== id) throw wrong("thread", `expected ${JSON.stringify(id)} by the path, it says ${JSON.stringify(thread)}`);
  const said = readContext(context);
  if (said === null || said.initiator !== initiator || said.recipient !== recipient)
    throw wrong("context", `expected agent:${initiator}:${recipient}: and a UUID, it says ${JSON.stringify(context)}`);
  if (parent !== undefined && parseThreadId(parent) === null) throw wrong("parent", "expected the id of a dispatch");
  if (Number.isNaN(Date.parse(at))) throw wrong("at", `expected a time, it says ${JSON.stringify(at)}`);
  const rosterRead: Roster = Object.fromEntries(
    Object.entries(roster).map(([name, description]) => [
      name,
      name === requestor ? { description, type: "requestor" as const } : { description },
    ]),
  );
  return withoutUndefined({ id, context, initiator, recipient, parent, parentTurn, depth, clone, at, agent, roster: rosterRead });
}

/** Writes what closes a dispatch. */
export const formatClosed = ({ by, at }: DispatchClosed): string => formatFrontmatter({ by, at }, "");

/** Reads what closes a dispatch. @throws FileError, with the line */
export function parseClosed(source: string): DispatchClosed {
  const { header } = parseFrontmatter(source);
  const parsed = ClosedHeader().safeParse(header);
  if (!parsed.success) throw headerError(source, header, parsed.error.issues);
  return { by: parsed.data.by, at: parsed.data.at };
}
