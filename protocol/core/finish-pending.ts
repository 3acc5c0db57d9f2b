/** The first step of every operation: it finishes acts whose processes died or are slow. SPEC.md, "Finishing what was begun". */
import { finishRequest, finishResult } from "../board/files/finish-review.ts";
import { finishClaiming, finishMoving } from "../board/files/hand-over.ts";
import { withdrawOfDone } from "../board/files/withdraw-reviews.ts";
import { MEMORY_PATH } from "../board/nouns/memory.ts";
import { finishArchiving } from "../mail/files/archive-thread.ts";
import { completePending } from "../mail/files/finish-posts.ts";
import { finishForgetting } from "../mail/files/forget-message.ts";
import { PENDING } from "../mail/files/post.ts";
import { followRenames } from "../mail/files/rename-part.ts";
import { OUTBOX, type OutboxPorts, sendOutboxes } from "../mail/files/send-outboxes.ts";
import { diskRefusal } from "../store/disk-refusal.ts";
import { exists } from "../store/read/facts.ts";
import { names } from "../store/read/list-folder.ts";
import type { Store } from "../store/root.ts";
import { finishReplacing, REVISIONS } from "../store/write/replace.ts";
import { freeReservations, RESERVATIONS } from "../store/write/reserve.ts";
import { recordLater } from "../sync/sync/leave-recorder.ts";
import { CONFIG_PATH } from "./config/config-schema.ts";
import { orElse } from "./format/file-error.ts";
import { finishIntents, INTENTS, type Intent } from "./home/commit-then-finish.ts";
import { type AnyOperation, listedOperations } from "./operation.ts";
import { readInput } from "./read-input.ts";
import { Refusal } from "./refusal.ts";
import { byFilesOf, type World } from "./world.ts";

/** Runs a verb for what lies in an outbox: by its name, because those verbs wait, and who waits finishes what is pending. */
const runByName = (name: string, world: World, given: { agent_id: string }): Promise<Record<string, unknown>> => {
  const operation = listedOperations()[name] as AnyOperation;
  return operation.run(byFilesOf(world, given.agent_id), readInput(operation, given).input, { part: given.agent_id });
};
const PORTS: OutboxPorts = {
  run: runByName,
  mayRepeat: (name) => (listedOperations()[name] as AnyOperation).idempotent,
  keep: async (world) => listedOperations()["next"]?.keep?.(world),
};

/**
 * What every operation does first: complete pending changes, sends and renames, and deliver what lies in the outboxes. Nearly always
 * there is nothing to do, so each is asked for by its folder alone.
 */
export async function finishPending(world: World): Promise<void> {
  const { store, config } = world.home();
  await unlessDiskRefuses(store, () => {
    if (mayBe(store, RESERVATIONS)) freeReservations(store);
    if (mayBe(store, REVISIONS)) for (const path of [CONFIG_PATH, MEMORY_PATH]) finishReplacing(store, path);
  });
  const { parts } = config();
  await unlessDiskRefuses(store, async () => {
    if (names(store, PENDING).length > 0) completePending(world);
    if (names(store, INTENTS).length > 0) await finishIntents(world, (intent) => finish(world, intent));
    if ([...parts.values()].some(({ formerly }) => formerly.length > 0)) followRenames(world);
    if (mayBe(store, OUTBOX)) await sendOutboxes(world, PORTS);
  });
  // Whoever waits for mail may not end for long.
  await recordLater(world);
}

/** Does a step, unless the disk refuses it: a home that cannot be written can still be read; what writes will say so itself. */
async function unlessDiskRefuses(store: Store, step: () => unknown): Promise<void> {
  try {
    await step();
  } catch (error) {
    const refusal = diskRefusal(error, store.root);
    if (!(refusal instanceof Refusal)) throw error;
  }
}

/** Whether something may be there; what cannot be read is for its own act to deal with. */
const mayBe = (store: Store, path: string): boolean => orElse(true, () => exists(store, path));

function finish(world: World, intent: Intent): unknown {
  switch (intent[0]) {
    case "archive":
      return finishArchiving(world, intent[1]);
    case "forget":
      return finishForgetting(world, intent[1]);
    case "claim":
      return finishClaiming(world, intent[1], intent[2], intent[3]).then(() => withdrawOfDone(world, intent[1], intent[2]));
    case "assign":
      return finishMoving(world, intent[1], intent[2], Number(intent[3]));
    case "review":
      return finishRequest(world, intent[1], intent[2]);
    case "result":
      return finishResult(world, intent[1], intent[2]);
  }
}
