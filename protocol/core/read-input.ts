/** Reads what a caller gave an operation. */
import * as z from "zod/mini";
import { expectation } from "./format/schema.ts";
import { nearest } from "./names.ts";
import { type AnyOperation, inputByDefault, type Operation, type Shape } from "./operation.ts";
import { refuse } from "./refusal.ts";

/** Whether `agent_id` says who calls; some operations take it for whom they are about, and some not at all. */
export const takesAgent = (operation: AnyOperation): boolean => operation.identity !== "none";

/** The names of an operation's arguments, `agent_id` among them where it is one. */
export function argumentNames(operation: AnyOperation): string[] {
  const own = Object.keys(operation.input.shape as Shape);
  return takesAgent(operation) ? [...own, "agent_id"] : own;
}

/** A name as MCP writes it: `threadId` is `thread_id`. */
export const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/**
 * Checks what a caller gave: names in either case style, every value against the schema.
 * @param isFilledIn whether a program fills in the arguments, such as an agent's: an optional one that is empty was not given then
 * @returns the input, and the `agent_id` apart from it
 * @throws Refusal `unknown_argument`, `invalid_argument`
 */
export function readInput<I extends Shape>(
  // biome-ignore lint/suspicious/noExplicitAny: what an operation answers does not matter here.
  operation: Operation<I, any>,
  given: unknown,
  isFilledIn = false,
): { input: z.infer<z.ZodMiniObject<I>>; agentId: string | undefined } {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw refuse("invalid_argument", { argument: "arguments", expected: "an object", given, example: operation.example });
  }
  const standard = Object.keys(given).length === 0 ? inputByDefault(operation as AnyOperation) : null;
  if (standard !== null) return { input: standard as z.infer<z.ZodMiniObject<I>>, agentId: undefined };
  const known = [...argumentNames(operation as AnyOperation), ...(takesAnySession(operation as AnyOperation) ? [SESSION] : [])];
  const named: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    if (isLeftAside(operation as AnyOperation, name, value)) continue;
    const match = known.includes(name) ? name : known.find((candidate) => snake(candidate) === snake(name));
    if (match === undefined) throw refuse("unknown_argument", { argument: name, nearest: nearest(name, known), known });
    if (Object.hasOwn(named, match)) throw refuse("invalid_argument", { argument: name, expected: "it once", given: value, example: null });
    // A null from a client that fills in every argument means that it was not given.
    if (value === null || value === undefined || (isFilledIn && value === "" && mayBeEmpty(operation as AnyOperation, match))) continue;
    named[match] = typeof value === "string" && takesList(operation as AnyOperation, match) ? [value] : value;
  }
  if (!takesAgent(operation as AnyOperation)) return { input: parseInput(operation as AnyOperation, named), agentId: undefined };
  const { agent_id: agentId, ...rest } = named;
  if (agentId !== undefined && typeof agentId !== "string") {
    throw refuse("invalid_argument", { argument: "agent_id", expected: "a part id", given: agentId, example: "web" });
  }
  return { input: parseInput(operation as AnyOperation, rest), agentId };
}

/**
 * Whether an argument is taken and means nothing: every tool of the board takes `session_id`, and what the project remembers
 * and its pool are of no session.
 */
function isLeftAside(operation: AnyOperation, name: string, value: unknown): boolean {
  if (!takesAnySession(operation) || snake(name) !== SESSION) return false;
  if (typeof value === "string" || value === null || value === undefined) return true;
  throw refuse("invalid_argument", { argument: name, expected: "a text", given: value, example: null });
}

/** Whether an argument that is empty may be taken for one that was left out: not who a message goes to, which would be all then. */
function mayBeEmpty(operation: AnyOperation, argument: string): boolean {
  if (argument === "to") return false;
  const schema = (operation.input.shape as Shape)[argument];
  return schema === undefined || z.safeParse(schema, undefined).success;
}

const SESSION = "session_id";
/** Whether `session_id` may be given though the operation has none. spec/commands.md, "Operations". */
export const takesAnySession = (operation: AnyOperation): boolean =>
  operation.tool !== null && ["board", "plugin"].includes(operation.tool.group) && !Object.hasOwn(operation.input.shape as Shape, SESSION);

/** The values as the schema gives them. @throws Refusal `invalid_argument` */
// biome-ignore lint/suspicious/noExplicitAny: whoever calls knows the schema.
function parseInput(operation: AnyOperation, given: Record<string, unknown>): any {
  for (const [name, value] of Object.entries(given)) {
    // A parser of schemas drops this key without a word.
    if (typeof value === "object" && value !== null && Object.hasOwn(value, "__proto__"))
      throw refuse("invalid_argument", { argument: `${name}.__proto__`, expected: "another name", given: "__proto__", example: null });
  }
  const parsed = operation.input.safeParse(given);
  if (!parsed.success) throw explain(operation, parsed.error.issues[0] as z.core.$ZodIssue, given);
  return parsed.data;
}

/** Whether an argument is a list; one text alone is then taken for a list of one. */
export const takesList = (operation: AnyOperation, argument: string): boolean =>
  typeOf((operation.input.shape as Shape)[argument]) === "array";

/** The plain type of an argument's schema, behind what makes it optional or gives it a default. */
export function typeOf(schema: z.core.$ZodType | undefined): string {
  const def = schema?._zod.def as { type: string; innerType?: z.core.$ZodType } | undefined;
  return def?.innerType === undefined ? (def?.type ?? "none") : typeOf(def.innerType);
}

/** The refusal for the first thing wrong with an input. */
function explain(operation: AnyOperation, issue: z.core.$ZodIssue, given: Record<string, unknown>): Error {
  const argument = String(issue.path[0] ?? "arguments");
  const value = issue.path.reduce<unknown>((at, step) => (at as Record<PropertyKey, unknown> | undefined)?.[step], given);
  return refuse("invalid_argument", {
    argument: issue.path.join(".") || "arguments",
    expected: value === undefined ? `${expectation(issue)} (it is required)` : expectation(issue),
    given: shorten(value),
    example: operation.example[argument] ?? null,
  });
}

function shorten(value: unknown): unknown {
  if (typeof value === "string" && value.length > 80) return `${value.slice(0, 80).toWellFormed()}… (${value.length} characters)`;
  if (Array.isArray(value) && value.length > 5) return `${value.length} entries`;
  return value;
}
