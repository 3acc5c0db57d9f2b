import * as z from "zod/mini";
import { defineOperation } from "../../core/operation.ts";
import { renewWake } from "../files/lease-wake.ts";
import { staleLease, WakeId, WokenPart } from "./leased-wake.ts";

/** Renews the lease of a wake. */
export const wake_renew = defineOperation({
  name: "wake_renew",
  hidden: true,
  summary: "Renew the lease of a wake",
  effect: "write",
  idempotent: false,
  identity: "none",
  positionals: ["part", "wakeId"],
  input: () => ({ part: WokenPart, wakeId: WakeId }),
  output: () => ({ until: z.string() }),
  example: { part: "web", wakeId: "w-k3f9x2ab" },
  async run(world, { part, wakeId }) {
    if (!renewWake(world, part, wakeId)) throw staleLease(world, part, wakeId);
    return { until: new Date(world.now() + world.home().config().wake.leaseMs).toISOString() };
  },
});
