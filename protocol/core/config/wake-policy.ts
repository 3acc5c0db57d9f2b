/** When a part may be woken: the policy of `relay.yml`, applied to a wake that is about to be delivered. spec/waking.md, "Wake policy". */
import * as z from "zod/mini";
import { once } from "../format/schema.ts";

const HOUR_MS = 3_600_000;

const seconds = (max: number, description: string) => z.optional(z.number().check(z.gte(0), z.lte(max), z.describe(description)));
const wakes = (description: string) => z.optional(z.int().check(z.gte(0), z.lte(100_000), z.describe(description)));

/** `wake` in `relay.yml`; everything has a default. */
export const wakeSchema = once(() =>
  z.looseObject({
    lease_s: z.optional(z.number().check(z.gte(1), z.lte(3_600), z.describe("Seconds that a lease lasts without renewal (45)"))),
    refire_s: z.optional(
      z.number().check(z.gte(1), z.lte(604_800), z.describe("Seconds after which unread mail wakes the part again (600)")),
    ),
    again_s: seconds(604_800, "Least seconds until new mail wakes a part again that read the earlier mail (10)"),
    debounce_s: seconds(3_600, "Seconds that a wake waits for more mail, except for urgent mail (0)"),
    quiet_s: seconds(3_600, "Seconds without a person typing in a terminal, before Relay types there (2)"),
    streaming_wait_s: seconds(86_400, "Seconds to wait for an agent that keeps printing (120)"),
    streaming: z.optional(z.enum(["type", "notify"]).check(z.describe("type (default): then type anyway. notify: only show a message"))),
    waiter_grace_s: seconds(3_600, "Seconds that a waiter of the part itself has before others (2)"),
    channel_grace_s: seconds(3_600, "Seconds to read mail after a push over a channel, before the next way is tried (20)"),
    retry_s: z.optional(
      z
        .number()
        .check(z.gte(1), z.lte(86_400), z.describe("Seconds until a part that could not be reached is tried again, then less often (30)")),
    ),
    budget: z.optional(
      z
        .looseObject({
          per_hour: wakes("For all homes of the user together (60)"),
          home_minimum: wakes("Always left for each home (6)"),
          part_minimum: wakes("Always left for each part (2)"),
          urgent: wakes("Additional ones for urgent messages (10)"),
        })
        .check(z.describe("Wakes in a rolling hour")),
    ),
    cooldown: z.optional(
      z
        .looseObject({ wakes: wakes("Most wakes of a part (12)"), within_s: seconds(86_400, "in this many seconds (600)") })
        .check(z.describe("Against parts that keep waking each other")),
    ),
  }),
);

/** The policy with its defaults; instants and spans in milliseconds. */
export interface WakePolicy {
  leaseMs: number;
  refireMs: number;
  againMs: number;
  debounceMs: number;
  quietMs: number;
  streamingWaitMs: number;
  streaming: "type" | "notify";
  waiterGraceMs: number;
  channelGraceMs: number;
  retryMs: number;
  perHour: number;
  homeMinimum: number;
  partMinimum: number;
  urgent: number;
  cooldownWakes: number;
  cooldownMs: number;
}

/** The policy that `relay.yml` sets. */
export function wakePolicy(given: z.infer<ReturnType<typeof wakeSchema>> = {}): WakePolicy {
  const { budget = {}, cooldown = {} } = given;
  const ms = (value: number | undefined, fallbackS: number): number => Math.round((value ?? fallbackS) * 1_000);
  return {
    leaseMs: ms(given.lease_s, 45),
    refireMs: ms(given.refire_s, 600),
    againMs: ms(given.again_s, 10),
    debounceMs: ms(given.debounce_s, 0),
    quietMs: ms(given.quiet_s, 2),
    streamingWaitMs: ms(given.streaming_wait_s, 120),
    streaming: given.streaming ?? "type",
    waiterGraceMs: ms(given.waiter_grace_s, 2),
    channelGraceMs: ms(given.channel_grace_s, 20),
    retryMs: ms(given.retry_s, 30),
    perHour: budget.per_hour ?? 60,
    homeMinimum: budget.home_minimum ?? 6,
    partMinimum: budget.part_minimum ?? 2,
    urgent: budget.urgent ?? 10,
    cooldownWakes: cooldown.wakes ?? 12,
    cooldownMs: ms(cooldown.within_s, 600),
  };
}

/** Why a wake is suppressed. */
export const SUPPRESSIONS = ["limited", "cooldown", "budget"] as const;
/** Why a wake that is owed may not be delivered now. */
export type Suppression = (typeof SUPPRESSIONS)[number];

/** What a delivered wake was counted as: a guaranteed one, one of the hour's budget, or an urgent one beyond it. */
export type Pot = "minimum" | "budget" | "urgent";

/** A wake that was delivered. */
export interface Spent {
  atMs: number;
  /** Absolute path of its home. */
  home: string;
  part: string;
  pot: Pot;
}

/** Whether a wake may be delivered now; else why not, and when to ask again. */
export type Permit = { ok: true; pot: Pot } | { ok: false; reason: Suppression; untilMs: number };

/** What a permit hangs on. */
export interface PermitFacts {
  nowMs: number;
  home: string;
  part: string;
  urgent: boolean;
  /** The part asked not to be woken before this; null when it did not. */
  limitedUntilMs: number | null;
  /** What was delivered in the last hour at least, over all homes of the user. */
  spent: readonly Spent[];
}

/** What the policy says of one wake. A guaranteed minimum goes before cooldown and budget; nothing before `limited`. */
export function permitOf(facts: PermitFacts, policy: WakePolicy): Permit {
  const { nowMs, home, part, urgent, limitedUntilMs } = facts;
  if (limitedUntilMs !== null && limitedUntilMs > nowMs) return { ok: false, reason: "limited", untilMs: limitedUntilMs };
  const hour = facts.spent.filter(({ atMs }) => atMs > nowMs - HOUR_MS).sort((a, b) => a.atMs - b.atMs);
  const ofHome = hour.filter((each) => each.home === home);
  const ofPart = ofHome.filter((each) => each.part === part);
  if (ofPart.length < policy.partMinimum) return { ok: true, pot: "minimum" };
  const recent = facts.spent.filter((each) => each.home === home && each.part === part && each.atMs > nowMs - policy.cooldownMs);
  if (recent.length >= policy.cooldownWakes)
    return { ok: false, reason: "cooldown", untilMs: freeAt(recent, policy.cooldownWakes, policy.cooldownMs, nowMs) };
  if (ofHome.length < policy.homeMinimum) return { ok: true, pot: "minimum" };
  const ordinary = hour.filter(({ pot }) => pot !== "urgent");
  if (ordinary.length < policy.perHour) return { ok: true, pot: "budget" };
  if (urgent && hour.length - ordinary.length < policy.urgent) return { ok: true, pot: "urgent" };
  const free = [
    freeAt(ofPart, policy.partMinimum, HOUR_MS, nowMs),
    freeAt(ofHome, policy.homeMinimum, HOUR_MS, nowMs),
    freeAt(ordinary, policy.perHour, HOUR_MS, nowMs),
  ];
  return { ok: false, reason: "budget", untilMs: Math.min(...free) };
}

/** When fewer than `most` of these lie within a window; a window away where nothing is ever allowed. */
function freeAt(spent: readonly Spent[], most: number, windowMs: number, nowMs: number): number {
  const sorted = spent.map(({ atMs }) => atMs).sort((a, b) => a - b);
  const last = most === 0 ? undefined : sorted[sorted.length - most];
  return (last ?? nowMs) + windowMs;
}
