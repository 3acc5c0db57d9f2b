/**
 * One client of the server: who the client is, what it may call, that it is shown as online, and how its calls end. The server is a loop over operations around this. spec/agents.md, "MCP".
 */

import { newConnection } from "../protocol/core/connection-memory.ts";
import { orElse } from "../protocol/core/format/file-error.ts";
import { partProblem } from "../protocol/core/names.ts";
import type { AnyOperation } from "../protocol/core/operation.ts";
import { listedPackages, packageWith } from "../protocol/core/package.ts";
import { answer, type SuccessReply } from "../protocol/core/perform.ts";
import { type FailureReply, failureReply, refuse } from "../protocol/core/refusal.ts";
import { beforeCall, createWorld, type World, withSignal } from "../protocol/core/world.ts";

/** A client that is connected. */
export interface ClientConnection {
  /** The world of the calls that begin now. */
  readonly world: World;
  /** The client said which program it is and which folders it works in, or that its folders changed. */
  greet(client: { name: string; version: string }, roots: readonly string[]): void;
  /** Answers a call flatly, a failure too. @param signal cancels it */
  call(operation: AnyOperation, args: Record<string, unknown>, signal: AbortSignal): Promise<SuccessReply | FailureReply>;
  /**
   * Ends what is open: calls are cancelled and get a moment to end, nobody is shown as online any more, and no claim is renewed.
   * A claim is over when its lease is, for this process may live on.
   */
  close(): Promise<void>;
}

/** What others could not record is found this often. */
const RECORD_MS = 5_000;
/** Open calls get this long to end when the client is gone. */
const LAST_CALLS_MS = 1_000;

/**
 * Opens a connection. It has no side effect before the client greets.
 * @param part who the client is bound to; goes before the environment, as `home` does
 * @throws Refusal `bad_part`
 */
export function openConnection({ home, part }: { home?: string | undefined; part?: string | undefined }): ClientConnection {
  const problem = part === undefined ? null : partProblem(part);
  if (problem !== null) throw refuse("bad_part", { given: part, problem });
  const connection = newConnection(true);
  const presence = packageWith("presence").presence();
  // Each call has a controller of its own: the signal of the end in `AbortSignal.any` would hold on to every call.
  const open = new Map<Promise<unknown>, AbortController>();
  let world = createWorld({ home, part, connection });
  let client = { name: "agent", version: "" };
  let isOver = false;
  let recording: NodeJS.Timeout | undefined;

  const calling = async (operation: AnyOperation, args: Record<string, unknown>, signal: AbortSignal) => {
    const own = lookedAtOnce(withSignal(world, signal));
    const barred = notAllowed(own, operation);
    if (barred !== null) return barred;
    const reply = await answer(own, operation, args);
    const named = args["agent_id"] ?? args["agentId"];
    if (reply.success && !isOver) presence.show(world, client, typeof named === "string" ? named : null);
    return reply;
  };
  return {
    get world() {
      return world;
    },
    greet(named, roots) {
      if (isOver) return;
      client = named;
      connection.client = named.name;
      connection.part = undefined;
      world = createWorld({ home, part, roots, connection });
      presence.stop();
      presence.show(world, client, null);
      // Without a home there is nothing to record.
      recording ??= setInterval(
        () => void Promise.all(listedPackages().map((each) => each.beat?.(world))).catch(() => {}),
        RECORD_MS,
      ).unref();
    },
    call(operation, args, signal) {
      const stop = new AbortController();
      const cancel = (): void => stop.abort();
      if (isOver || signal.aborted) cancel();
      else signal.addEventListener("abort", cancel, { once: true });
      const call = calling(operation, args, stop.signal).finally(() => {
        open.delete(call);
        signal.removeEventListener("abort", cancel);
      });
      open.set(call, stop);
      return call;
    },
    async close() {
      isOver = true;
      clearInterval(recording);
      for (const each of listedPackages()) each.disconnect?.(connection);
      for (const stop of open.values()) stop.abort();
      await Promise.race([Promise.allSettled(open.keys()), new Promise((resolve) => setTimeout(resolve, LAST_CALLS_MS).unref())]);
      presence.stop();
    },
  };
}

/** The refusal of a tool of the board that an agent may not use; null when it may. spec/agents.md, "Team files". */
function notAllowed(world: World, operation: AnyOperation): FailureReply | null {
  const { name: tool, group } = operation.tool ?? {};
  if (tool === undefined || group !== "board") return null;
  // Without a home nobody is restricted; the call itself says what is missing.
  const allowed = orElse(null, () => packageWith("allowedTools").allowedTools(world));
  if (allowed === null || allowed.includes(tool)) return null;
  return failureReply(refuse("tool_not_allowed", { tool, agent: world.me.part as string, allowed: [...allowed] }));
}

/**
 * The world of a call of which more is asked than its operation: what it may use is looked at before. Both have one home, so that
 * nothing is looked at twice, and what could not be read is said with the call. Without a home there is nothing to share.
 */
const lookedAtOnce = (world: World): World => orElse(world, () => beforeCall(world));
