/** `relay recorder`: started by other commands, and by no person. */
import { createWorld, EXIT } from "../protocol/index.ts";
import { runRecorder } from "../protocol/sync/sync/run-recorder.ts";
import type { Common } from "./commands.ts";

/** Waits until the home is quiet, records it, and ends; gives the exit code. */
export async function recorder({ home }: Common): Promise<number> {
  const world = createWorld({ home });
  world.home().config();
  await runRecorder(world);
  return EXIT.ok;
}
