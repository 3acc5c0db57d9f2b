/** Performing an operation: the one way in, for every surface. */
import * as z from "zod/mini";
import { explainNoHome } from "../git/home/deleted-home.ts";
import { diskRefusal } from "../store/disk-refusal.ts";
import { errorCode, payFlushes } from "../store/root.ts";
import { afterCommit } from "../store/write/publish.ts";
import { confirmGiven } from "./connection-memory.ts";
import { finishPending } from "./finish-pending.ts";
import { FileError, orElse } from "./format/file-error.ts";
import { asFileRefusal } from "./home/broken-files.ts";
import { configWarnings, heldWarnings } from "./home/home.ts";
import type { Caller } from "./names.ts";
import type { AnyOperation, InputOf, Operation, Shape } from "./operation.ts";
import { type Follower, listedPackages, packageWith } from "./package.ts";
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
  const followers: Follower[] = [];
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
    const caller = anonymous ? NOBODY : packageWith("identify").identify(world, operation, agentId);
    for (const each of listedPackages()) followers.push(each.follow?.({ world, operation, input, caller }) ?? {});
    for (const each of followers) each.before?.();
    const output = await operation.run(world, input, caller).finally(() => pay(world, operation));
    if (operation.home && operation.effect !== "read") await keepNext(world);
    for (const each of followers) each.after?.();
    const warnings = followers.flatMap((each) => each.warnings?.(false) ?? []);
    return {
      ...output,
      ...skipped(world, operation, output),
      ...warned(output["warning"], caller.warning, ...warnings),
      ...ofHome(world, operation),
    };
  } catch (error) {
    const refusal = await explainNoHome(asRefusal(world, error), world.cwd);
    const warnings = followers.flatMap((each) => each.warnings?.(true) ?? []);
    Object.assign(refusal.data, warned(...warnings), ofHome(world, operation));
    throw refusal;
  } finally {
    if (operation?.home === true) for (const each of listedPackages()) await each.settle?.(world);
  }
}

/** Keeps the turns of those who have only files, where there are any. */
async function keepNext(world: World): Promise<void> {
  for (const each of listedPackages()) await each.keep?.(world);
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
