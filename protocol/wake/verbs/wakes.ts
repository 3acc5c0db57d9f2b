import * as z from "zod/mini";
import { withoutUndefined } from "../../core/format/frontmatter.ts";
import { flag, limit, maybe } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import type { World } from "../../core/world.ts";
import { unreadIds } from "../../mail/files/inbox-files.ts";
import { members, requireMembers } from "../../mail/files/members.ts";
import { wakeShown } from "../files/recipient-status.ts";
import { spentWakes } from "../files/wake-budget.ts";
import { steps } from "../files/wake-chain.ts";
import { wakeStories } from "../files/wake-history.ts";
import type { WakeRecord } from "../nouns/wake-record.ts";

const Step = z.object({
  at: z.string(),
  part: z.string(),
  wakeId: z.string(),
  state: z.string(),
  /** Of what was typed: whether the rung said so afterwards. */
  reported: z.optional(z.boolean()),
  rung: z.optional(z.string()),
  reason: z.optional(z.string()),
  detail: z.optional(z.string()),
});

const Story = z.object({
  part: z.string(),
  wakeId: z.string(),
  at: z.string(),
  lastAt: z.string(),
  became: z.string(),
  rung: z.optional(z.string()),
  tookMs: z.optional(z.number()),
  reason: z.optional(z.string()),
  detail: z.optional(z.string()),
});

/** What became of every wake, and of every one that was kept back. */
export const wakes = defineOperation({
  name: "wakes",
  tool: "view",
  summary: "List wakes, newest first: whether each was delivered, how long it took, and why not",
  when: "See what became of wakes, and why a part was not woken.",
  effect: "read",
  identity: "none",
  onlyNow: true,
  warnsOfSettings: "held",
  input: () => ({
    part: maybe(z.string().check(z.describe("only wakes of this part"))),
    steps: flag("each step of each wake"),
    limit: limit(),
  }),
  output: () => ({
    wakes: z.array(Story),
    steps: z.array(Step),
    waiting: z.array(z.object({ part: z.string(), unread: z.number(), state: z.string(), reason: z.optional(z.string()) })),
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
    const stories = parts.flatMap((each) =>
      wakeStories(
        each,
        all.flatMap(({ part: whose, record }) => (whose === each ? [record] : [])),
      ),
    );
    return {
      wakes: stories
        .sort((a, b) => b.sinceMs - a.sinceMs)
        .slice(0, input.limit)
        .map(({ sinceMs, lastMs, ...rest }) => ({
          ...withoutUndefined(rest),
          at: new Date(sinceMs).toISOString(),
          lastAt: new Date(lastMs).toISOString(),
        })),
      waiting: parts.flatMap((each) => waitingOf(world, each)),
      steps: all
        .sort((a, b) => b.record.atMs - a.record.atMs || b.record.n - a.record.n)
        .slice(0, input.limit)
        .map((each) => shown(each.part, each.record)),
      suppressed,
      hour: { delivered: spentWakes(world).length, budget: world.home().config().wake.perHour },
    };
  },
});

/** Where the wake of a part stands that has mail. */
function waitingOf(world: World, part: string): { part: string; unread: number; state: string; reason?: string }[] {
  const unread = unreadIds(world.home().store, part).length;
  const wake = wakeShown(world, part, unread);
  return wake === null ? [] : [{ part, unread, state: wake.state, ...(wake.reason === undefined ? {} : { reason: wake.reason }) }];
}

function shown(part: string, { atMs, state }: WakeRecord): z.infer<typeof Step> {
  return {
    at: new Date(atMs).toISOString(),
    part,
    wakeId: "wakeId" in state ? state.wakeId : "",
    state: state.kind,
    ...(state.kind === "typed" ? { reported: state.reported } : {}),
    ...("rung" in state && state.rung !== null ? { rung: state.rung } : {}),
    ...("reason" in state && state.reason !== undefined ? { reason: state.reason } : {}),
    ...("detail" in state && state.detail !== undefined ? { detail: state.detail } : {}),
  };
}
