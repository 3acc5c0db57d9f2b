import * as z from "zod/mini";
import { LIMITS, line, maybe } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import { requireMembers } from "../../mail/files/members.ts";
import { leaseWake } from "../files/lease-wake.ts";
import { RUNGS } from "../nouns/wake-state.ts";
import { WokenPart } from "./leased-wake.ts";

/** Takes the wake that is owed to a part. */
export const wake_lease = defineOperation({
  name: "wake_lease",
  hidden: true,
  summary: "Lease the wake that is owed to a part, to deliver it",
  effect: "write",
  idempotent: false,
  identity: "none",
  positionals: ["part"],
  input: () => ({
    part: WokenPart,
    rung: z.enum(RUNGS).check(z.describe("the way to ring it")),
    holder: maybe(line(LIMITS.name, "the process that will ring (SPEC.md has the form); default: this one")),
  }),
  output: () => ({
    leased: z.boolean(),
    reason: z.optional(z.string()),
    wakeId: z.optional(z.string()),
    unread: z.optional(z.number()),
    urgent: z.optional(z.boolean()),
    line: z.optional(z.string()),
    until: z.optional(z.string()),
    since: z.optional(z.string()),
    resumed: z.optional(z.boolean()),
  }),
  example: { part: "web", rung: "hook" },
  async run(world, { part, rung, holder }) {
    requireMembers(world, [part]);
    const lease = leaseWake(world, part, rung, holder);
    return lease.leased ? { ...lease, until: new Date(lease.until).toISOString(), since: new Date(lease.since).toISOString() } : lease;
  },
});
