import * as z from "zod/mini";
import { acceptSettings } from "../../home/held-settings.ts";
import { defineOperation } from "../../operation.ts";

/** Lets settings that came by sync, and are looser or far tighter, count on this machine. */
export const config_accept = defineOperation({
  name: "config_accept",
  summary: "Accept settings that came by sync and wait for a person (looser, or far tighter)",
  effect: "write",
  idempotent: true,
  identity: "none",
  warnsOfSettings: "none",
  output: () => ({ accepted: z.array(z.string()) }),
  async run(world) {
    const { held } = world.home().read();
    const accepted = Object.keys(held);
    if (accepted.length > 0) acceptSettings(world, held);
    return { accepted };
  },
});
