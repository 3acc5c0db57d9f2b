/** Performing an operation: the one way in, for every surface. */
import * as z from "zod/mini";
import { findSession, hasSession, sessionWarning } from "../board/files/sessions.ts";
import { isSessionId } from "../board/nouns/session.ts";
import { explainNoHome } from "../git/home/deleted-home.ts";
import { newcomerWarning } from "../mail/files/guests.ts";
import { isItself } from "../mail/files/mail.ts";
import { callerOf, currentName, isMember } from "../mail/files/members.ts";
import { noteLife, noteLives } from "../mail/files/presence.ts";
import { OUTBOX } from "../mail/files/send-outboxes.ts";
import { diskRefusal } from "../store/disk-refusal.ts";
import { exists } from "../store/read/facts.ts";
import { errorCode, payFlushes } from "../store/root.ts";
import { afterCommit } from "../store/write/publish.ts";
import { recordLater } from "../sync/sync/leave-recorder.ts";
import { confirmGiven } from "./connection-memory.ts";
import { finishPending } from "./finish-pending.ts";
import { FileError, orElse } from "./format/file-error.ts";
import { asFileRefusal } from "./home/broken-files.ts";
import { configWarnings, heldWarnings } from "./home/home.ts";
import type { Caller } from "./names.ts";
import { type AnyOperation, type InputOf, listedOperations, type Operation, type Shape } from "./operation.ts";
import { readInput, snake } from "./read-input.ts";
import { type FileFault, failureReply, Refusal, refuse } from "./refusal.ts";
import { type World, withHome, worldOfCall } from "./world.ts";

/** A flat answer: `success: true` and the output's fields. spec/commands.md, "Replies". */
export type SuccessReply = { success: true } & Record<string, unknown>;

/** An operation's output, with what may stand beside it in every answer. */
export type Performed<O extends Shape> = z.infer<z.ZodMiniObject<O>> & { warning?: string; warnings?: string[]; problems?: FileFault[] };

/** An operation that may be called by nobody in particular sees the empty part. */
const NOBODY: Caller = { part: "" };

/**
 * Performs an operation: reads its arguments, completes what others left, finds out who calls, runs it.
 * @param given the arguments, in either case style (`threadId`, `thread_id`); `agent_id` says who calls where the world does not
 * @returns the operation's output; beside it `warning` where something was odd but done, `problems` for files that could not
 *   be read, `warnings` that hold of the home
 * @throws Refusal; nothing was written then, but what SPEC.md, "Failures" says of each operation
 */
export function perform<I extends Shape, O extends Shape>(
  world: World,
  operation: Operation<I, O>,
  given: InputOf<Operation<I, O>>,
): Promise<Performed<O>>;
export function perform(world: World, operation: AnyOperation, given: unknown): Promise<Record<string, unknown>>;
export async function perform(shared: World, operation: AnyOperation, given: unknown): Promise<Record<string, unknown>> {
  if (typeof operation?.run !== "function")
    throw refuse("usage", {
      problem: `Expected an operation of Relay, given ${operation === undefined ? "undefined" : (JSON.stringify(operation) ?? typeof operation).slice(0, 80)}.`,
      help: "Example: `perform(world, operations.inbox, {})`",
    });
  let world = shared;
  let absent: string | null = null;
  try {
    const read = readOrKnown(world, operation, given);
    if ("known" in read) return read.known;
    const { input, agentId } = read;
    if (world.past !== undefined && !canLookBack(operation)) throw refuse("past_is_fixed", { operation: operation.name });
    if (operation.home && world.past === undefined) {
      world = worldOfCall(shared);
      const { store } = world.home();
      if (store.foreign !== null && operation.effect !== "read") throw store.foreign;
      if (!store.readOnly) await finishPending(world);
      await keepNext(world);
      // What reads answers what can be read; what writes would take a folder that it cannot list for an empty one.
      store.passesOver = operation.effect === "read";
      confirmGiven(world);
    }
    const anonymous =
      operation.identity === "none" || (operation.identity === "optional" && agentId === undefined && world.me.part === null);
    const caller = anonymous || isGone(world, operation, agentId) ? NOBODY : callerOf(world, agentId, operation.name);
    if (operation.home) noteLives(world, caller.isNew === true ? "" : caller.part);
    absent = absentSession(world, operation, input);
    const newcomer = caller.isNew === true ? await warnNewcomer(world, caller.part, input["session_id"]) : undefined;
    const isSign = operation.home && (operation.effect !== "read" || isItself(world, caller.part));
    if (isSign && caller.isNew !== true) noteLife(world, caller.part);
    const output = await operation.run(world, input, caller).finally(() => pay(world, operation));
    if (operation.home && operation.effect !== "read") await keepNext(world);
    // What took long is a sign until its end, and who was new is somebody by now.
    if (isSign && (caller.isNew !== true || isMember(world, caller.part))) noteLife(world, caller.part);
    const mistyped = absent === null ? undefined : sessionWarning(world, absent);
    const begun = begunWarning(world, operation, absent !== null);
    return {
      ...output,
      ...skipped(world, operation, output),
      ...warned(output["warning"], caller.warning, newcomer, mistyped, begun),
      ...ofHome(world, operation),
    };
  } catch (error) {
    const refusal = await explainNoHome(asRefusal(world, error), world.cwd);
    // What was not found is often not there because its session is another.
    const mistyped = absent === null || !isSessionId(absent) ? undefined : sessionWarning(world, absent);
    Object.assign(refusal.data, warned(mistyped), ofHome(world, operation));
    throw refusal;
  } finally {
    if (operation?.home === true) await recordLater(world);
  }
}

/** Keeps the turns of those who have only files, where there are any. */
async function keepNext(world: World): Promise<void> {
  if (orElse(false, () => exists(world.home().store, OUTBOX))) await listedOperations()["next"]?.keep?.(world);
}

/** Flushes what a call owes, before it is answered. */
function pay(world: World, { home }: AnyOperation): void {
  // What is written is answered as written: a later operation finishes what a disk refuses now.
  if (home) afterCommit(() => payFlushes(world.home().store));
}

/** The arguments; where they are refused, the answer that the same call had before, if it did. @throws Refusal as `readInput` */
function readOrKnown(
  world: World,
  operation: AnyOperation,
  given: unknown,
): ReturnType<typeof readInput> | { known: Record<string, unknown> } {
  try {
    return readInput(operation, given, world.connection.lasting);
  } catch (error) {
    const by = readAgain(operation, given);
    const known = by === null ? null : (operation.again?.find(world, by) ?? null);
    if (known === null) throw error;
    return { known };
  }
}

/** Whether an operation can be asked of an earlier record of the home. */
export const canLookBack = (operation: AnyOperation): boolean =>
  operation.home && operation.effect === "read" && operation.onlyNow !== true;

/** The world as an earlier record has the home. @param at a commit, or an instant @throws Refusal `unknown_commit`, `no_repository` */
export async function worldAtRecord(world: World, at: string): Promise<World> {
  try {
    const { openHomeAt } = await import("../git/home/home-at-commit.ts");
    const { home, past } = await openHomeAt(world, at);
    return withHome(world, home, past);
  } catch (error) {
    throw asRefusal(world, error);
  }
}

/** Starts what reads earlier records, for whoever asks for one soon: it gets ready while something else is asked. */
export async function beginLookingBack(world: World): Promise<void> {
  const { beginReading } = await import("../git/home/home-at-commit.ts");
  beginReading(world);
}

/** A worktree may name a part that was removed since; who only asks is then nobody in particular. */
function isGone(world: World, operation: AnyOperation, agentId: string | undefined): boolean {
  const { part, how } = world.me;
  return operation.identity === "optional" && agentId === undefined && how === "default" && currentName(world, part as string) === null;
}

/** The session that a call names and that does not exist, unless the call begins it. */
function absentSession(world: World, operation: AnyOperation, input: Record<string, unknown>): string | null {
  const named = input["session_id"];
  if (typeof named !== "string" || operation.beginsSession === true) return null;
  return hasSession(world, named) ? null : named;
}

/** What to say of a session that a call began because none was open: a caller who forgot to end one would wonder at two. */
function begunWarning({ connection }: World, { beginsSession }: AnyOperation, isNamed: boolean): string | undefined {
  const { begun } = connection;
  connection.begun = undefined;
  return begun === undefined || isNamed || beginsSession === true ? undefined : `no session was open, so session ${begun} began`;
}

/** What to tell an id that is not known yet; a team file that cannot be read is told of where the team is asked for. */
async function warnNewcomer(world: World, part: string, session: unknown): Promise<string | undefined> {
  const { teamIds } = await import("../agents/files/agents.ts");
  try {
    const id = findSession(world, typeof session === "string" ? session : undefined);
    return newcomerWarning(world, part, id === null ? [] : teamIds(world, id));
  } catch {
    return newcomerWarning(world, part, []);
  }
}

/** What the operation itself warns of, and what there is to say about who called and what it named. */
function warned(...all: unknown[]): { warning?: string } {
  const words = all.filter((word): word is string => typeof word === "string");
  return words.length === 0 ? {} : { warning: words.join("; ") };
}

/** What each answer says of the home's settings as long as it is so. */
function ofHome(world: World, { home: needsHome, warnsOfSettings }: AnyOperation): { warnings?: string[] } {
  if (!needsHome || warnsOfSettings === "none") return {};
  // There is no home; the refusal says so.
  return orElse({}, () => {
    const home = world.home();
    const warnings = [...configWarnings(home), ...(warnsOfSettings === "held" ? heldWarnings(home) : [])];
    return warnings.length === 0 ? {} : { warnings };
  });
}

/** Folders that were passed over, beside the files that the operation itself could not read. */
function skipped(world: World, operation: AnyOperation, output: Record<string, unknown>): { problems?: FileFault[] } {
  const folders = operation.home ? [...world.home().store.skipped] : [];
  if (folders.length === 0) return {};
  const own = (output["problems"] as FileFault[] | undefined) ?? [];
  return {
    problems: [...own, ...folders.map(([path, problem]) => ({ path, problem }))],
  };
}

/** Any error as a refusal: those of the disk by their kind, what nobody foresaw as `internal`. */
export function asRefusal(world: World, error: unknown): Refusal {
  // A file that had to be read whole and could not; the others are reported as `problems`.
  const known = error instanceof FileError && error.path !== undefined ? asFileRefusal(error, error.path) : error;
  const told = diskRefusal(known, rootOf(world));
  if (told instanceof Refusal) return told;
  const reason = told instanceof Error ? `${errorCode(told) ?? told.name}: ${told.message}` : String(told);
  const refusal = refuse("internal", { reason });
  if (told instanceof Error && told.stack !== undefined) refusal.stack = told.stack;
  return refusal;
}

const rootOf = (world: World): string | null => orElse(null, () => world.home().store.root);

/** Performs an operation and answers flatly either way; for surfaces that print what they get. */
export async function answer(
  world: World,
  operation: AnyOperation,
  given: unknown,
): Promise<SuccessReply | ReturnType<typeof failureReply>> {
  try {
    return { success: true, ...(await perform(world, operation, given)) };
  } catch (error) {
    return failureReply(error as Refusal);
  }
}

/**
 * The arguments by which a call can be known again, whatever is wrong with the others; null where they are not all in order.
 */
export function readAgain(operation: AnyOperation, given: unknown): Record<string, unknown> | null {
  if (operation.again === undefined || typeof given !== "object" || given === null || Array.isArray(given)) return null;
  const shape = operation.input.shape as Shape;
  const found: Record<string, unknown> = {};
  for (const name of operation.again.by) {
    const value = Object.entries(given).find(([each, value]) => snake(each) === snake(name) && value !== null)?.[1];
    const parsed = z.safeParse(shape[name] as z.core.$ZodType, value);
    if (!parsed.success) return null;
    found[name] = parsed.data;
  }
  return found;
}
