/** Turns, as a package: what is new for a part, also for one that has only files. */
import { orElse } from "../core/format/file-error.ts";
import type { Package } from "../core/package.ts";
import { OUTBOX } from "../mail/files/send-outboxes.ts";
import { exists } from "../store/read/facts.ts";

/** What turns give to the core. */
export const turn: Package = {
  async keep(world) {
    if (orElse(false, () => exists(world.home().store, OUTBOX))) await (await import("./verbs/next-file.ts")).keepTurns(world);
  },
};
