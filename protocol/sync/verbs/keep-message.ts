/** Refusing to forget a message: it stays, and is back where a person took it out. spec/removal.md, "Forget". */

import type { World } from "../../core/world.ts";
import { findRepository } from "../../git/home/repository.ts";
import { refuseForgotten } from "../../removal/files/forget-message.ts";
import { restoreMissing } from "../sync/lost-files.ts";

/** Refuses a request to forget a message. @param by who refuses */
export async function keepMessage(world: World, id: string, by: string): Promise<void> {
  const repository = refuseForgotten(world, id, by) ? findRepository(world) : null;
  if (repository !== null) await restoreMissing(world, repository);
}
