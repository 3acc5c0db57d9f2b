import * as z from "zod/mini";
import { spentWakes } from "../home/budget.ts";
import { members, requireMembers } from "../home/parts.ts";
import { steps } from "../home/wakes.ts";
import { limit, maybe } from "../objects/schema.ts";
import type { WakeRecord } from "../objects/wake-record.ts";
import { defineOperation } from "../operation.ts";

const Step = z.object({
  at: z.string(),
  part: z.string(),
  wakeId: z.string(),
  state: z.string(),
  rung: z.optional(z.string()),
  reason: z.optional(z.string()),
  detail: z.optional(z.string()),
});

/** What became of every wake, and of every one that was kept back. */
export const wakes = defineOperation({
  name: "wakes",
  tool: null,
  command: "wakes",
  summary: "List what became of every wake, newest first: delivered, noticed, suppressed and why",
  when: "What became of every wake.",
  effect: "read",
  idempotent: true,
  identity: "none",
  home: true,
  positionals: [],
  input: () => z.object({ part: maybe(z.string().check(z.describe("only this part's"))), limit: limit() }),
  output: () =>
    z.object({
      steps: z.array(Step),
      suppressed: z.record(z.string(), z.number()),
      hour: z.object({ delivered: z.number(), budget: z.number() }),
    }),
  example: { part: "web" },
  async run(world, input) {
    // On a command line --part is who asks; who is bound to a part asks for its own.
    const part = input.part ?? (world.me.how === "bound" ? (world.me.part ?? undefined) : undefined);
    if (part !== undefined) requireMembers(world, [part]);
    const parts = part === undefined ? members(world).map((member) => member.part) : [part];
    const all = parts.flatMap((each) => steps(world, each).map((record) => ({ part: each, record })));
    const suppressed: Record<string, number> = {};
    for (const { record } of all) {
      if (record.state.kind === "suppressed") suppressed[record.state.reason] = (suppressed[record.state.reason] ?? 0) + 1;
    }
    return {
      steps: all
        .sort((a, b) => b.record.atMs - a.record.atMs || b.record.n - a.record.n)
        .slice(0, input.limit)
        .map((each) => shown(each.part, each.record)),
      suppressed,
      hour: { delivered: spentWakes(world).length, budget: world.home().config().wake.perHour },
    };
  },
});

function shown(part: string, { atMs, state }: WakeRecord): z.infer<typeof Step> {
  return {
    at: new Date(atMs).toISOString(),
    part,
    wakeId: "wakeId" in state ? state.wakeId : "",
    state: state.kind,
    ...("rung" in state && state.rung !== null ? { rung: state.rung } : {}),
    ...("reason" in state && state.reason !== undefined ? { reason: state.reason } : {}),
    ...("detail" in state && state.detail !== undefined ? { detail: state.detail } : {}),
  };
}
