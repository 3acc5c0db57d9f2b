/** Usage: what the calls of models cost, a line for each call. spec/usage.md, "Lines". */

import {
  isCount,
  type ModelCall,
  NO_TOKENS,
  TOKEN_FIELDS,
  type TokenField,
  type Tokens,
  type UsageAgent,
} from "../../agents/hosts/model-call.ts";
import { orElse } from "../../core/format/file-error.ts";
import { RECORD_AGENTS } from "./records.ts";

/** The agents whose own records are read, and `event` for what a part said itself. */
const USAGE_AGENTS: readonly UsageAgent[] = [...RECORD_AGENTS, "event"];

/** A line of `usage/<month>/<clone>.jsonl`: a call, and whose it was. */
export interface UsageLine extends ModelCall {
  part?: string | undefined;
  /** The session of the board, and the task that the part held then. */
  session?: string | undefined;
  task?: string | undefined;
  /** The dispatch of the office whose turn it was. */
  dispatch?: string | undefined;
  /** The name of the folder of the worktree. */
  worktree?: string | undefined;
  /** It was paid for by a subscription: what it would have cost is shown as such. */
  subscription?: true | undefined;
}

const TEXTS = ["model", "run", "part", "session", "task", "dispatch", "worktree"] as const;
/** Characters of a text of a line; agents' ids and names of models have far fewer. */
const TEXT_LENGTH = 256;
const MOST_UNKNOWN = 16;

/** The month of a line, as its file's folder names it. */
export const monthOf = (at: string): string => at.slice(0, 7);

/** Where a clone's lines of a month lie. @param month `yyyy-mm` */
export const usagePath = (month: string, clone: string): string => `usage/${month}/${clone}.jsonl`;

/** A line as it is written, without its end. Fields that say nothing are left out. */
export function formatUsage(line: UsageLine): string {
  const { id, at, agent, tokens, unknown, subscription } = line;
  const said = Object.fromEntries(TEXTS.flatMap((key) => (line[key] === undefined ? [] : [[key, line[key]]])));
  const counted = Object.fromEntries(TOKEN_FIELDS.flatMap((field) => (tokens[field] === 0 ? [] : [[field, tokens[field]]])));
  return JSON.stringify({
    id,
    at,
    agent,
    ...said,
    ...counted,
    ...(subscription === true ? { subscription } : {}),
    ...(unknown === undefined || unknown.length === 0 ? {} : { unknown }),
  });
}

/** Reads a line. @returns what is wrong with it, where it is none */
export function readUsage(text: string): UsageLine | string {
  const value: unknown = text.startsWith("{") ? orElse(null, () => JSON.parse(text)) : null;
  if (typeof value !== "object" || value === null) return "the line is not a JSON object";
  const given = value as Record<string, unknown>;
  for (const key of ["id", "at", "agent"]) {
    const text = given[key];
    if (typeof text !== "string" || text === "" || text.length > TEXT_LENGTH) return `the line has no text "${key}"`;
  }
  if (!isInstant(given["at"])) return `"at" is not an instant such as 2026-01-31T09:30:00.000Z`;
  if (!USAGE_AGENTS.some((agent) => agent === given["agent"])) return `"agent" is none of ${USAGE_AGENTS.join(", ")}`;
  for (const key of TEXTS) {
    const text = given[key];
    if (text !== undefined && (typeof text !== "string" || text.length > TEXT_LENGTH)) return `"${key}" is not a short text`;
  }
  const tokens: Record<TokenField, number> = { ...NO_TOKENS };
  for (const field of TOKEN_FIELDS) {
    const count = given[field] ?? 0;
    if (!isCount(count)) return `"${field}" is not a count of tokens`;
    tokens[field] = count;
  }
  const unknown = given["unknown"];
  if (
    unknown !== undefined &&
    !(Array.isArray(unknown) && unknown.length <= MOST_UNKNOWN && unknown.every((each) => typeof each === "string"))
  )
    return `"unknown" is not a list of names`;
  const { id, at, agent, model, run, part, session, task, dispatch, worktree } = given as unknown as UsageLine;
  const subscription = given["subscription"] === true ? true : undefined;
  return {
    id,
    at,
    agent,
    model,
    run,
    part,
    session,
    task,
    dispatch,
    worktree,
    tokens,
    subscription,
    unknown: unknown as string[] | undefined,
  };
}

/** What a file of calls says: its broken lines. */
export interface UsageFile {
  broken: { line: number; problem: string }[];
}

/** A call, or what is wrong with it; a call of another month is none of its file. @param month `yyyy-mm`; null where nobody knows */
export const inMonth = (call: UsageLine | string, month: string | null): UsageLine | string =>
  typeof call === "string" || month === null || monthOf(call.at) === month ? call : `"at" is not in ${month}, which the file is of`;

/** Reads a file of calls. A last line without its end may still be being written. */
export function usageIn(source: string, month: string): UsageFile {
  const file: UsageFile = { broken: [] };
  for (const [at, row] of source.split("\n").slice(0, -1).entries()) {
    const call = row === "" ? null : inMonth(readUsage(row), month);
    if (typeof call === "string") file.broken.push({ line: at + 1, problem: call });
  }
  return file;
}

/** Tells whether a text is an instant in UTC, as lines have it. */
export const isInstant = (value: unknown): boolean =>
  typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(value) && !Number.isNaN(Date.parse(value));

/**
 * Two lines of one id as one: of each count the larger, because an agent writes a call while it still goes on, and writes it again
 * without its tokens where it keeps it in a shorter history. Whose it was is what the line says that says more: one of the office
 * before one of a hook. In whatever order lines are joined, and however often, the result is the same.
 */
export function joinUsage(a: UsageLine, b: UsageLine): UsageLine {
  const tokens = Object.fromEntries(TOKEN_FIELDS.map((field) => [field, Math.max(a.tokens[field], b.tokens[field])])) as Tokens;
  const unknown = [...new Set([...(a.unknown ?? []), ...(b.unknown ?? [])])].sort();
  const { part, session, task, dispatch, worktree } = owner(a) <= owner(b) ? a : b;
  return {
    ...{ part, session, task, dispatch, worktree, tokens },
    id: a.id,
    at: a.at <= b.at ? a.at : b.at,
    agent: a.agent <= b.agent ? a.agent : b.agent,
    model: smaller(a.model, b.model),
    run: smaller(a.run, b.run),
    subscription: a.subscription ?? b.subscription,
    unknown: unknown.length === 0 ? undefined : unknown,
  };
}

/** The smaller of two texts; one that is absent is the greatest. */
const smaller = (a: string | undefined, b: string | undefined): string | undefined =>
  a === undefined || (b !== undefined && b < a) ? b : a;

/** Whose a line says that a call was, as a text: the smaller it is, the more it says. */
const owner = ({ part, session, task, dispatch, worktree }: UsageLine): string =>
  [dispatch, task, session, part, worktree].map((text) => (text === undefined ? "~" : `!${JSON.stringify(text)}`)).join("");
