import * as z from "zod/mini";
import { flag } from "../../core/format/schema.ts";
import { restoreConfig } from "../../core/home/change-config.ts";
import { defineOperation } from "../../core/operation.ts";
import { syncHome } from "../sync/sync-home.ts";

const SYNC_MS = 300_000;

/** Puts the last good configuration back; what is there now is kept on this machine. */
export const config_restore = defineOperation({
  name: "config_restore",
  summary: "Restore the last version of relay.yml that could be read",
  effect: "write",
  idempotent: true,
  identity: "none",
  warnsOfSettings: "none",
  input: () => ({
    push: flag("push it too, even over a relay.yml of a later format on the remote; no other sync does this"),
  }),
  output: () => ({ restored: z.boolean(), kept: z.nullable(z.string()), sent: z.optional(z.boolean()) }),
  async run(world, { push }) {
    const home = world.home();
    const restored = home.configFault() !== null;
    const kept = restored ? restoreConfig(home.store) : null;
    if (push !== true) return { restored, kept };
    const { sent } = await syncHome(world, { overrule: true, timeoutMs: SYNC_MS });
    return { restored, kept, sent };
  },
});
