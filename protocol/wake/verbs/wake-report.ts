import * as z from "zod/mini";
import { LIMITS, line, maybe } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import { reportWake } from "../files/lease-wake.ts";
import { OUTCOMES } from "../nouns/wake-state.ts";
import { staleLease, WakeId, WokenPart } from "./leased-wake.ts";

/** Says what a rung knows after it rang. */
export const wake_report = defineOperation({
  name: "wake_report",
  hidden: true,
  summary: "Report the result of a leased wake",
  effect: "write",
  idempotent: false,
  identity: "none",
  positionals: ["part", "wakeId", "outcome"],
  input: () => ({
    part: WokenPart,
    wakeId: WakeId,
    outcome: z.enum(OUTCOMES).check(z.describe("the result")),
    reason: maybe(z.string().check(z.regex(/^[a-z][a-z_]{0,31}$/), z.describe("why it waits, or why it cannot"))),
    detail: maybe(line(LIMITS.eventType * 4, "for people")),
  }),
  output: () => ({ accepted: z.boolean() }),
  example: { part: "web", wakeId: "w-k3f9x2ab", outcome: "typed" },
  async run(world, { part, wakeId, outcome, reason, detail }) {
    if (!reportWake(world, part, wakeId, outcome, reason, detail)) throw staleLease(world, part, wakeId);
    return { accepted: true };
  },
});
