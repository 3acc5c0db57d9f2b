/** Refusing to forget a message: it stays, and is back where a person took it out. spec/removal.md, "Forget". */
import { findRepository } from "../../home/git/repository.ts";
import { refuseForgotten } from "../../home/message/forget-message.ts";
import { restoreMissing } from "../../home/sync/lost-files.ts";
import type { World } from "../../world.ts";

/** Refuses a request to forget a message. @param by who refuses */
export async function keepMessage(world: World, id: string, by: string): Promise<void> {
  const repository = refuseForgotten(world, id, by) ? findRepository(world) : null;
  if (repository !== null) await restoreMissing(world, repository);
}
