/** The thread in which long questions are answered (`reader.ts`), so that the others are answered meanwhile. It only reads. */
import { type MessagePort, parentPort } from "node:worker_threads";
import { beginLookingBack } from "../../protocol/core/perform.ts";
import { asReader } from "../../protocol/core/reading-world.ts";
import { type AnyOperation, createWorld, operations, type World, withSignal } from "../../protocol/index.ts";
import { type Answered, answerIn, offeredOperation, refused } from "./calls.ts";

/** A question for the thread. */
export interface Asked {
  /** Its number, which the answer has too. */
  id: number;
  /** Absolute path of the home. */
  root: string;
  part: string;
  operation: string;
  given: unknown;
  /** The moment, as `answerIn` has it. */
  at: string | null;
}
/** What the thread is told: a question, or that nobody waits for the answer of one any more. */
export type ToThread = Asked | { cancel: number };
/** Its answer: the body is JSON. */
export interface FromThread {
  id: number;
  status: number;
  body: string;
}

const port = parentPort as MessagePort;
const worlds = new Map<string, World>();
const running = new Map<number, AbortController>();

function worldOf({ root, part }: Asked): World {
  const key = `${root}\0${part}`;
  const world = worlds.get(key) ?? asReader(createWorld({ home: root, part, person: true }));
  // Where a link leads elsewhere now, it may be the home again later.
  if (world.home().store.root === root) worlds.set(key, world);
  return world;
}

/** Homes of which a moment was read. */
const warm = new Set<string>();
/** Threads that are read ahead: those of a page. */
const AHEAD = 30;
/** Ends what is read ahead. */
let ahead = new AbortController();

/**
 * Reads the newest moment of a home for whoever asks what moments there are: most of what another moment needs is the same, so the first
 * one that is chosen takes no longer than the next. Whoever asks for a moment meanwhile ends it, and goes on with what it read.
 */
async function readAhead(asked: Asked, { entries }: Record<string, unknown>): Promise<void> {
  const [newest] = Array.isArray(entries) ? (entries as { commit: string }[]) : [];
  if (newest === undefined || warm.has(asked.root)) return;
  warm.add(asked.root);
  ahead = new AbortController();
  // After the answer, and not in place of another one.
  await new Promise((resolve) => setImmediate(resolve));
  try {
    await answerIn(withSignal(worldOf(asked), ahead.signal), asked, operations.threads, { limit: AHEAD }, newest.commit);
  } catch {
    // The home is not there any more, which whoever asks next is told.
  }
}

/** The answer; where the home is not there any more, that. */
async function answerAs(asked: Asked, operation: AnyOperation, signal: AbortSignal): Promise<Answered> {
  let world: World;
  try {
    world = worldOf(asked);
  } catch (error) {
    return refused(createWorld({ home: asked.root }), operation, error);
  }
  const answering = answerIn(withSignal(world, signal), asked, operation, asked.given, asked.at);
  // It gets ready while git lists the commits.
  if (asked.operation === operations.log.name && !warm.has(asked.root)) void beginLookingBack(world);
  return answering;
}

async function answer(asked: Asked): Promise<void> {
  if (asked.at !== null) ahead.abort();
  const controller = new AbortController();
  running.set(asked.id, controller);
  let said: Omit<FromThread, "id">;
  try {
    // All that has arrived is read first: whoever turned to another moment meanwhile waits for no answer of this one.
    await new Promise((resolve) => setImmediate(resolve));
    if (controller.signal.aborted) throw new Error("nobody waits for it");
    const operation = offeredOperation(asked.operation);
    if (operation === undefined || operation.effect !== "read") throw new Error(`${asked.operation} is not asked here`);
    const { status, body } = await answerAs(asked, operation, controller.signal);
    said = { status, body: JSON.stringify(body) };
    if (asked.operation === operations.log.name) void readAhead(asked, body);
  } catch {
    // What nobody foresaw tells a page nothing of this machine.
    said = { status: 500, body: JSON.stringify({ success: false, error: "The server failed." }) };
  }
  running.delete(asked.id);
  port.postMessage({ id: asked.id, ...said } satisfies FromThread);
}

port.on("message", (told: ToThread) => {
  if ("cancel" in told) running.get(told.cancel)?.abort();
  else void answer(told);
});
