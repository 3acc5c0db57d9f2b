/** Mail that killed processes left, and what lies in the outboxes. SPEC.md, "Finishing what was begun". */
import { orElse } from "../../core/format/file-error.ts";
import { type AnyOperation, listedOperations } from "../../core/operation.ts";
import { readInput } from "../../core/read-input.ts";
import { byFilesOf, type World } from "../../core/world.ts";
import { exists } from "../../store/read/facts.ts";
import { names } from "../../store/read/list-folder.ts";
import { completePending } from "./finish-posts.ts";
import { PENDING } from "./post.ts";
import { followRenames } from "./rename-part.ts";
import { OUTBOX, type OutboxPorts, sendOutboxes } from "./send-outboxes.ts";

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

/** Completes sends whose processes died or are slow. */
export function finishMail(world: World): void {
  if (names(world.home().store, PENDING).length > 0) completePending(world);
}

/** Moves mail to the names that parts have now, and sends what lies in the outboxes. */
export async function finishDrafts(world: World): Promise<void> {
  const { store, config } = world.home();
  if ([...config().parts.values()].some(({ formerly }) => formerly.length > 0)) followRenames(world);
  // What cannot be read is for its own act to deal with.
  if (orElse(true, () => exists(store, OUTBOX))) await sendOutboxes(world, PORTS);
}
