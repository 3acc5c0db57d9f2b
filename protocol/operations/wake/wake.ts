import * as z from "zod/mini";
import { requireMembers } from "../../home/part/parts.ts";
import { steps } from "../../home/wake/wake-chain.ts";
import { commitWake, leaseWake, renewWake, reportWake } from "../../home/wake/wakes.ts";
import { LIMITS, line, maybe } from "../../objects/format/schema.ts";
import { partProblem } from "../../objects/part/part.ts";
import { OUTCOMES, RUNGS } from "../../objects/wake/wake.ts";
import { defineOperation } from "../../operation.ts";
import { refuse } from "../../refusal.ts";
import type { World } from "../../world.ts";

const PartId = z.string().check(
  z.refine((part) => partProblem(part) === null, "a part id"),
  z.describe("whose wake"),
);
const WakeId = z.string().check(z.regex(/^w-[0-9a-z]{8}$/), z.describe("the wake's id, as the lease gave it"));
const shared = { tool: null, hidden: true, effect: "write", idempotent: false, identity: "none", home: true } as const;

const stale = (world: World, part: string, wakeId: string): Error =>
  refuse("stale_wake", { part, wakeId, state: steps(world, part).at(-1)?.state.kind ?? "idle" });

/** Takes the wake that is owed to a part. */
export const wakeLease = defineOperation({
  ...shared,
  name: "wake_lease",
  command: "wake lease",
  summary: "Take the wake that is owed to a part, to ring it",
  when: "Take the wake that is owed to a part.",
  positionals: ["part"],
  input: () =>
    z.object({
      part: PartId,
      rung: z.enum(RUNGS).check(z.describe("how it will be rung")),
      holder: maybe(line(LIMITS.name, "the process that will ring, as SPEC.md writes processes; default: this one")),
    }),
  output: () =>
    z.object({
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

/** Takes a leased wake's one right to be delivered. */
export const wakeCommit = defineOperation({
  ...shared,
  name: "wake_commit",
  command: "wake commit",
  summary: "Take a leased wake's one right to be delivered, just before delivering it",
  when: "Take a leased wake's one right to be delivered.",
  positionals: ["part", "wakeId"],
  input: () => z.object({ part: PartId, wakeId: WakeId }),
  output: () => z.object({ committed: z.boolean(), reason: z.optional(z.string()) }),
  example: { part: "web", wakeId: "w-k3f9x2ab" },
  async run(world, { part, wakeId }) {
    const told = commitWake(world, part, wakeId);
    if (told === "stale") throw stale(world, part, wakeId);
    return told === "committed" ? { committed: true } : { committed: false, reason: told };
  },
});

/** Renews the lease of a wake. */
export const wakeRenew = defineOperation({
  ...shared,
  name: "wake_renew",
  command: "wake renew",
  summary: "Renew the lease of a wake",
  when: "Renew the lease of a wake.",
  positionals: ["part", "wakeId"],
  input: () => z.object({ part: PartId, wakeId: WakeId }),
  output: () => z.object({ until: z.string() }),
  example: { part: "web", wakeId: "w-k3f9x2ab" },
  async run(world, { part, wakeId }) {
    if (!renewWake(world, part, wakeId)) throw stale(world, part, wakeId);
    return { until: new Date(world.now() + world.home().config().wake.leaseMs).toISOString() };
  },
});

/** Says what a rung knows after it rang. */
export const wakeReport = defineOperation({
  ...shared,
  name: "wake_report",
  command: "wake report",
  summary: "Say what became of a leased wake",
  when: "Say what became of a leased wake.",
  positionals: ["part", "wakeId", "outcome"],
  input: () =>
    z.object({
      part: PartId,
      wakeId: WakeId,
      outcome: z.enum(OUTCOMES).check(z.describe("what the rung knows")),
      reason: maybe(z.string().check(z.regex(/^[a-z][a-z_]{0,31}$/), z.describe("why it waits, or why it cannot"))),
      detail: maybe(line(LIMITS.eventType * 4, "for people")),
    }),
  output: () => z.object({ accepted: z.boolean() }),
  example: { part: "web", wakeId: "w-k3f9x2ab", outcome: "typed" },
  async run(world, { part, wakeId, outcome, reason, detail }) {
    if (!reportWake(world, part, wakeId, outcome, reason, detail)) throw stale(world, part, wakeId);
    return { accepted: true };
  },
});
