/** What a page may ask: operations of the list, those that read by GET and the others by POST. A page of people needs no more. */

import { realFolder } from "../../protocol/core/home/find-home.ts";
import { asRefusal } from "../../protocol/core/perform.ts";
import { takesAgent } from "../../protocol/core/read-input.ts";
import { failureReply, refuse, type Surface, TOOLS } from "../../protocol/core/refusal.ts";
import {
  type AnyOperation,
  EXIT,
  type OutputOf,
  operations,
  perform,
  type Refusal,
  type World,
  worldAtRecord,
} from "../../protocol/index.ts";
import type { Page } from "./page.ts";

/** The operations that a page offers. How each is asked follows from what it does to the home. */
const OFFERED = [
  ...(["status", "roster", "inbox", "threads", "show", "search", "wakes", "check", "stats", "log", "diff", "usage"] as const),
  ...(["list_sessions", "get_session_summary", "get_all_tasks", "show_task", "read_memory"] as const),
  ...(["list_artifacts", "get_artifact", "list_reviews", "office_tree", "office_log", "office_show"] as const),
  ...(["send", "reply", "ack", "close", "reopen", "start_session", "create_task", "update_task", "claim_task", "release_task"] as const),
  ...(["request_review", "submit_review", "office_stop"] as const),
] satisfies readonly (keyof typeof operations)[];

const offered = new Map<string, AnyOperation>(OFFERED.map((name) => [name, operations[name]]));

/** The operation of a name, where a page may ask it. */
export const offeredOperation = (name: string): AnyOperation | undefined => offered.get(name);

/** The method by which an operation is asked: what is fetched by GET changes nothing. */
export const methodOf = ({ effect }: AnyOperation): "GET" | "POST" => (effect === "read" ? "GET" : "POST");

/** The words of a page: it names arguments as they are, and commands where something is to be typed. */
const PAGE: Surface = { ...TOOLS, on: (_tools, commands) => commands };

/** Words of a refusal on the page, where those for a command would be strange. */
const OF_PAGE: Readonly<Record<string, string>> = {
  thread_closed: "This thread is closed, so nothing was sent. Reopen it first.",
  stale_fence: "Somebody else has this task by now, or it is done. Nothing was changed.",
  unknown_task: "This task is not on the board any more.",
};

/** A refused write in the words of a page: without the sentences that name a command to type. */
function inPageWords({ code, wordsFor }: Refusal): string {
  const sentences = wordsFor(PAGE).split(/(?<=[.?!]) (?=[A-Z`"])/);
  const own = sentences.filter((each) => !/`(relay|git) |`--/.test(each)).join(" ");
  const words = OF_PAGE[code] ?? (own === "" ? sentences.join(" ") : own);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The status of an answer, by the exit code that the command has for it. */
const STATUS: Readonly<Record<number, number>> = {
  [EXIT.usage]: 400,
  [EXIT.notFound]: 404,
  [EXIT.refused]: 409,
  [EXIT.noHome]: 410,
  [EXIT.disk]: 507,
  [EXIT.format]: 422,
};

/** Operations that may read all of a home; the others read what they show. */
const LONG: ReadonlySet<string> = new Set(["search", "log", "diff", "check", "stats", "usage"] satisfies (typeof OFFERED)[number][]);

/** Whether a question is for some of the threads: very many may be looked at for the few that fit. */
const isFiltered = (given: unknown): boolean =>
  typeof given === "object" && given !== null && ["status", "part", "from", "tag", "q"].some((filter) => filter in given);

/** Whether a question may take long: then it is asked aside. @param given its arguments @param at as `answerIn` has it */
export const isLong = ({ name }: AnyOperation, given: unknown, at: string | null): boolean =>
  at !== null || LONG.has(name) || (name === "threads" && isFiltered(given));

/** An answer: the status of HTTP, and the flat reply. */
export interface Answered {
  status: number;
  body: Record<string, unknown>;
}

/** Puts into an answer of `status` what only the terminals of this machine know. */
export type Complete = (world: World, answer: OutputOf<typeof operations.status>) => Promise<void>;

/**
 * Performs an operation for the person at a page.
 * @param given its arguments as the page gave them, of any shape
 * @param at the moment that the page shows: a commit, or an instant; null for now
 * @param complete for an answer of `status`, of now
 */
export async function call(page: Page, operation: AnyOperation, given: unknown, at: string | null, complete?: Complete): Promise<Answered> {
  const world = operation.effect === "read" ? page.reader : page.writer;
  if (world === null)
    return { status: 403, body: { success: false, code: "read_only", error: "This page only shows: nothing is written." } };
  const answered = await answerIn(world, page, operation, given, at);
  if (operation.name === "status" && at === null && answered.body["success"] === true)
    await complete?.(world, answered.body as never).catch(() => {});
  return answered;
}

/** The same in a world of the home: one that reads for an operation that reads, else the person's. */
export async function answerIn(
  now: World,
  { root, part }: Pick<Page, "root" | "part">,
  operation: AnyOperation,
  given: unknown,
  at: string | null,
): Promise<Answered> {
  const isPlain = typeof given === "object" && given !== null && !Array.isArray(given);
  // Who only looks is nobody, so each question says whose view it is.
  const named = operation.effect === "read" && isPlain && takesAgent(operation) ? { agent_id: part, ...given } : given;
  let world = now;
  try {
    // A link in its place leads to what this page is not of: git, for one, would follow it.
    if (realFolder(root) !== root || now.home().store.root !== root) throw refuse("outside_home", { path: root });
    if (at !== null) world = await worldAtRecord(world, at);
    return { status: 200, body: { success: true, ...(await perform(world, operation, named)) } };
  } catch (error) {
    return refused(world, operation, error);
  }
}

/** The answer that an error is. */
export function refused(world: World, operation: AnyOperation, error: unknown): Answered {
  const refusal = asRefusal(world, error);
  // That there is no office answers the question; a browser would report any other status as an error of the page.
  const isAnswer = operation.effect === "read" && refusal.exit === EXIT.refused;
  return {
    status: isAnswer ? 200 : (STATUS[refusal.exit] ?? 500),
    body: { ...failureReply(refusal), error: operation.effect === "read" ? refusal.wordsFor(PAGE) : inPageWords(refusal) },
  };
}
