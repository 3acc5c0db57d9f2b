/** How brief answers are: every word of one costs a model, at every turn. spec/agents.md, "MCP". */
import { ageOf } from "../protocol/core/format/age.ts";
import { shortNames, shortOf, withShortIds } from "../protocol/core/format/id.ts";

/** Fields that say nothing where they have their usual value. */
const UNSAID: Readonly<Record<string, unknown>> = {
  ...{ success: true, unread: true, urgent: false, needsHuman: false, cursor: null, main: false, you: false, agent: null },
};
/** Fields of a recipient, and which of their values are the usual ones. */
const USUAL: Readonly<Record<string, (value: unknown) => boolean>> = {
  state: (value) => value === "stored",
  reachable: () => true,
  wake: () => true,
  reason: (value) => value === "no_pager" || value === "acked",
};
/** Fields that hold names of threads or messages. */
const NAMES: ReadonlySet<string> = new Set(["messageId", "duplicateOf", "threadId", "id", "acked", "alreadyRead"]);

/** An answer without its usual values, and with the shortest names that work. A failure stays as it is. */
export function briefly(answer: Record<string, unknown> & { success: boolean }): Record<string, unknown> & { success?: boolean } {
  if (!answer.success) return answer;
  const names = shortNames(namesIn(answer));
  return shorten(answer, names) as Record<string, unknown>;
}

function namesIn(value: unknown, key = ""): string[] {
  if (typeof value === "string") return NAMES.has(key) ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((item) => namesIn(item, key));
  return typeof value === "object" && value !== null ? Object.entries(value).flatMap(([name, item]) => namesIn(item, name)) : [];
}

function shorten(value: unknown, short: (id: string) => string, key = ""): unknown {
  if (typeof value === "string") return NAMES.has(key) ? short(value) : value;
  if (Array.isArray(value)) return value.map((item) => shorten(item, short, key));
  if (typeof value !== "object" || value === null) return value;
  const isSaid = (name: string): boolean => (name === "preview" && "body" in value) || (name === "createdAt" && "lastAt" in value);
  const fields = Object.entries(value).filter(([name, item]) => !isUnsaid(name, item, key) && !isSaid(name));
  return Object.fromEntries(fields.map(([name, item]) => [name, shorten(item, short, name)]));
}

function isUnsaid(name: string, value: unknown, list: string): boolean {
  if (list === "parts" && name === "wake") return (value as { reason?: string }).reason === "no_pager";
  // What was sent is stored with each recipient, who reads it at its next turn or is woken: only what keeps it from both is odd.
  return (Object.hasOwn(UNSAID, name) && UNSAID[name] === value) || (list === "recipients" && (USUAL[name]?.(value) ?? false));
}

/** The id of a task or a review, whose first characters name it. */
const BOARD_ID = /^(?:task|review)-[0-9a-z]{10}$/;
/** The whole hash of a commit, whose first characters name it. */
const HASH = /^[0-9a-f]{40,64}$/;
/** Fields that have the hash of a commit; any other text is somebody's. */
const COMMIT = /commit|^since$/;

/** A text of a call from this length on is not said again in its answer. */
const ECHO = 40;

/** A thing of the board. */
type Thing = Readonly<Record<string, unknown>>;
/** Fields of a thing of the board that say nothing where this holds. */
const IDLE: Readonly<Record<string, (value: unknown, thing: Thing) => boolean>> = {
  depth: (value) => value === 0,
  // A connection renews its claims itself.
  until: (_, { claimed }) => claimed === true,
  depends_on: (value) => Array.isArray(value) && value.length === 0,
  priority: (value) => value === "medium",
  created_by: (_, { status }) => status !== undefined,
  created_at: (_, { updated_at: updated, version, status }) => updated !== undefined || (version !== undefined && status !== undefined),
  artifact_id: (_, { name, id }) => name !== undefined && id !== undefined,
};

/**
 * An answer of the board without fields that are null, empty, usual, or said by others beside them, without the texts that the call gave,
 * with short ids, and with instants in words. A failure stays as it is.
 * @param given the arguments of the call
 * @param nowMs milliseconds since the epoch
 */
export function leanly<T extends { success: boolean }>(answer: T, given: Record<string, unknown>, nowMs: number): T {
  if (!answer.success) return answer;
  const echoes = new Set(Object.values(given).filter((each) => typeof each === "string" && each.length >= ECHO));
  const lean = (value: unknown, field = ""): unknown => {
    if (Array.isArray(value)) return value.map((each) => lean(each, field));
    if (typeof value === "string")
      return BOARD_ID.test(value) ? shortOf(value) : COMMIT.test(field) && HASH.test(value) ? value.slice(0, 7) : value;
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, item]) => {
        if (item === null || echoes.has(item) || (Object.hasOwn(IDLE, name) && IDLE[name]?.(item, value as Thing))) return [];
        if (name === "reason" && typeof item === "string") return [[name, withShortIds(item)]];
        return [[name, isInstant(name, item) ? ageOf(new Date(item * 1_000).toISOString(), nowMs) : lean(item, name)]];
      }),
    );
  };
  return lean(answer) as T;
}

/** Whether a field of the board is an instant, in Unix seconds. */
const isInstant = (name: string, value: unknown): value is number =>
  typeof value === "number" && (name.endsWith("_at") || name === "until");
