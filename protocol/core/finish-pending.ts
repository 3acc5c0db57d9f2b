/** The first step of every operation: it finishes acts whose processes died or are slow. SPEC.md, "Finishing what was begun". */
import { diskRefusal } from "../store/disk-refusal.ts";
import { exists } from "../store/read/facts.ts";
import { names } from "../store/read/list-folder.ts";
import type { Store } from "../store/root.ts";
import { finishReplacing, REVISIONS } from "../store/write/replace.ts";
import { freeReservations, RESERVATIONS } from "../store/write/reserve.ts";
import { CONFIG_PATH } from "./config/config-schema.ts";
import { orElse } from "./format/file-error.ts";
import { finishIntents, INTENTS, type Intent } from "./home/commit-then-finish.ts";
import { listedPackages } from "./package.ts";
import { Refusal } from "./refusal.ts";
import type { World } from "./world.ts";

/**
 * What every operation does first: complete pending changes, sends and renames, and deliver what lies in the outboxes. Nearly always
 * there is nothing to do, so each is asked for by its folder alone.
 */
export async function finishPending(world: World): Promise<void> {
  const { store, config } = world.home();
  const packages = listedPackages();
  await unlessDiskRefuses(store, () => {
    if (mayBe(store, RESERVATIONS)) freeReservations(store);
    if (!mayBe(store, REVISIONS)) return;
    for (const path of [CONFIG_PATH, ...packages.flatMap((each) => each.replaces?.() ?? [])]) finishReplacing(store, path);
  });
  config();
  await unlessDiskRefuses(store, async () => {
    for (const each of packages) await each.finishFirst?.(world);
    if (names(store, INTENTS).length > 0) await finishIntents(world, (intent) => finish(world, intent));
    for (const each of packages) await each.finishLast?.(world);
  });
  // Whoever waits for mail may not end for long.
  for (const each of packages) await each.settle?.(world);
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

function finish(world: World, [kind, ...ids]: Intent): unknown {
  for (const { finishers } of listedPackages()) if (finishers?.[kind] !== undefined) return finishers[kind](world, ...(ids as string[]));
  return undefined;
}
