/** Turns, as a package: what is new for a part, also for one that has only files, which writes through its outbox. */
import { finishPending } from "../core/finish-pending.ts";
import { orElse } from "../core/format/file-error.ts";
import { type AnyOperation, listedOperations } from "../core/operation.ts";
import type { Package } from "../core/package.ts";
import { readInput } from "../core/read-input.ts";
import { byFilesOf, type World, worldOfCall } from "../core/world.ts";
import { OUTBOX } from "../mail/nouns/part.ts";
import { exists } from "../store/read/facts.ts";
import { type OutboxPorts, sendOutboxes } from "./files/send-outboxes.ts";
import { Came, waitFor } from "./verbs/wait.ts";

declare module "../core/package.ts" {
  interface Package {
    /** Waits for what comes, and the shape of that, for a verb that may wait too. Declared where that shape is made. */
    waiting?(): { came: typeof Came; waitFor: typeof waitFor };
  }
}

/** What turns give to the core and to mail. */
export const turn: Package = {
  waiting: () => ({ came: Came, waitFor }),
  async keep(world) {
    if (orElse(false, () => exists(world.home().store, OUTBOX))) await (await import("./verbs/next-file.ts")).keepTurns(world);
  },
  // A part that has only files is served while any client is connected.
  async beat(shared) {
    if (!orElse(false, () => exists(shared.home().store, OUTBOX))) return;
    const world = worldOfCall(shared);
    await PORTS.keep(world);
    await finishPending(world);
  },
  async finishLast(world) {
    // What cannot be read is for its own act to deal with.
    if (orElse(true, () => exists(world.home().store, OUTBOX))) await sendOutboxes(world, PORTS);
  },
};

/** Runs a verb for a draft of an outbox. Verbs that wait import this file, so they are found by their names here. */
const runByName = (name: string, world: World, given: { agent_id: string }): Promise<Record<string, unknown>> => {
  const operation = listedOperations()[name] as AnyOperation;
  return operation.run(byFilesOf(world, given.agent_id), readInput(operation, given).input, { part: given.agent_id });
};
const PORTS: OutboxPorts = {
  run: runByName,
  mayRepeat: (name) => (listedOperations()[name] as AnyOperation).idempotent,
  keep: async (world) => listedOperations()["next"]?.keep?.(world),
};
