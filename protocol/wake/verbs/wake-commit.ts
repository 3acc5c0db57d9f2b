import * as z from "zod/mini";
import { defineOperation } from "../../core/operation.ts";
import { commitWake } from "../files/lease-wake.ts";
import { staleLease, WakeId, WokenPart } from "./leased-wake.ts";

/** Takes a leased wake's one right to be delivered. */
export const wake_commit = defineOperation({
  name: "wake_commit",
  hidden: true,
  summary: "Take the only right to deliver a leased wake, just before its delivery",
  effect: "write",
  idempotent: false,
  identity: "none",
  positionals: ["part", "wakeId"],
  input: () => ({ part: WokenPart, wakeId: WakeId }),
  output: () => ({ committed: z.boolean(), reason: z.optional(z.string()) }),
  example: { part: "web", wakeId: "w-k3f9x2ab" },
  async run(world, { part, wakeId }) {
    const outcome = commitWake(world, part, wakeId);
    if (outcome === "stale") throw staleLease(world, part, wakeId);
    return outcome === "committed" ? { committed: true } : { committed: false, reason: outcome };
  },
});
