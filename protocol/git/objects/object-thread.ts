/** The thread that reads objects of git for one that waits (`object-reader.ts`). */
import { type MessagePort, workerData } from "node:worker_threads";
import { Refusal } from "../../core/refusal.ts";
import type { Repository } from "../git-run.ts";
import { factsOf, objectsOf, whileAsking } from "./object-process.ts";

/** Data that the thread begins with. */
export interface ThreadGiven {
  /** Questions come from it, and answers go to it. */
  port: MessagePort;
  /** Becomes 1 when an answer was posted. */
  turn: Int32Array;
  repository: Repository;
}

/** Objects to read. */
export interface Question {
  ids: string[];
  /** The bytes of a larger object are not given. */
  mostBytes: number;
}

/** Objects in the order asked for, with the places of their bytes (-1 where they are not given); or why there are none. */
export type Answer =
  | { objects: { kind: string; size: number; from: number }[]; bytes: Uint8Array }
  | { reason: string; missing: string | null };

const { port, turn, repository } = workerData as ThreadGiven;

async function read({ ids, mostBytes }: Question): Promise<Answer> {
  const objects: { kind: string; size: number; from: number }[] = [];
  const parts: Buffer[] = [];
  let from = 0;
  for await (const object of objectsOf(repository, ids, mostBytes)) {
    if (object === null) return { reason: "no such object", missing: ids[objects.length] ?? null };
    const { kind, size, bytes } = object;
    objects.push({ kind, size, from: bytes === null ? -1 : from });
    if (bytes !== null) parts.push(bytes);
    from += bytes?.length ?? 0;
  }
  // A copy of its own, which is handed over and not copied again.
  return { objects, bytes: new Uint8Array(Buffer.concat(parts)) };
}

/** Says why there are no objects. A partial clone does not have all of them, and nothing is fetched for a look. */
function failed(error: unknown): Answer {
  const reason = String(error instanceof Refusal ? error.data["reason"] : (error as Error).message);
  return { reason, missing: /could not fetch ([0-9a-f]+) from promisor/.exec(reason)?.[1] ?? null };
}

port.on("message", async (question: Question) => {
  const answer = await read(question).catch(failed);
  port.postMessage(answer, "bytes" in answer ? [answer.bytes.buffer as ArrayBuffer] : []);
  Atomics.store(turn, 0, 1);
  Atomics.notify(turn, 0);
});

// Git starts before the first question, and stays as long as the thread.
void whileAsking(repository, async () => {
  await factsOf(repository, ["HEAD"]).catch(() => []);
  await new Promise(() => {});
});
