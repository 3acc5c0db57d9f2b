/** The look that every operation begins with. SPEC.md, "The look". */
import { finishArchiving } from "../home/archiving.ts";
import { completePending } from "../home/deliver.ts";
import { finishAssigning, finishClaiming } from "../home/handover.ts";
import { finishActs, type Intent } from "../home/intents.ts";
import { deliverOutboxes, type OutboxPorts } from "../home/outbox.ts";
import { followRenames } from "../home/rename.ts";
import { finishRequest, finishResult } from "../home/reviews.ts";
import { CONFIG_PATH } from "../objects/config.ts";
import { MEMORY_PATH } from "../objects/memory.ts";
import { readInput } from "../operation.ts";
import { Refusal } from "../refusal.ts";
import { finishReplacing } from "../store/replace.ts";
import { freeReservations } from "../store/reserve.ts";
import { diskRefusal } from "../store/root.ts";
import type { World } from "../world.ts";
import { reply } from "./reply.ts";
import { send } from "./send.ts";

const PORTS: OutboxPorts = {
  send: async (world, given) => send.run(world, readInput(send, given).input, { part: given.agent_id }),
  reply: async (world, given) => reply.run(world, readInput(reply, given).input, { part: given.agent_id }),
};

/** What every operation does first: complete pending changes, sends and renames, and deliver what lies in the outboxes. */
export async function look(world: World): Promise<void> {
  const home = world.home();
  freeReservations(home.store);
  for (const path of [CONFIG_PATH, MEMORY_PATH]) finishReplacing(home.store, path);
  home.config();
  try {
    completePending(world);
    await finishActs(world, (intent) => finish(world, intent));
    followRenames(world);
    await deliverOutboxes(world, PORTS);
  } catch (error) {
    // A home that cannot be written can still be read; what writes will say so itself.
    const told = diskRefusal(error, home.store.root);
    if (!(told instanceof Refusal)) throw error;
  }
}

async function finish(world: World, [kind, session = "", id = "", which]: Intent): Promise<void> {
  if (kind === "archive") finishArchiving(world, session);
  if (kind === "claim") await finishClaiming(world, session, id, which);
  if (kind === "assign") finishAssigning(world, session, id, Number(which));
  if (kind === "review") finishRequest(world, session, id);
  if (kind === "result") finishResult(world, session, id);
}
