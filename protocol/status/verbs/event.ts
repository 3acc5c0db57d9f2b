import * as z from "zod/mini";
import { acted } from "../../core/act.ts";
import { EVENT_ID, eventId, eventPath, type PartEvent } from "../../core/event/event.ts";
import { orElse } from "../../core/format/file-error.ts";
import { withoutUndefined } from "../../core/format/frontmatter.ts";
import { dayOf } from "../../core/format/id.ts";
import { instant, LIMITS, line, maybe, prose } from "../../core/format/schema.ts";
import { hasEvent } from "../../core/home/events.ts";
import { cloneName } from "../../core/home/feed.ts";
import { defineOperation } from "../../core/operation.ts";
import { refuse } from "../../core/refusal.ts";
import { join } from "../../mail/files/guests.ts";
import { namesOf } from "../../mail/files/members.ts";
import { diceToken } from "../../mail/files/post.ts";
import { LIMITED_AT_MOST_MS, limitedPath } from "../../mail/nouns/part.ts";
import { appendLine } from "../../store/write/append-line.ts";
import { removeFile } from "../../store/write/move-file.ts";
import { place } from "../../store/write/publish.ts";
import { keepEventUsage } from "../../usage/files/event-calls.ts";

/** Tokens that a part says itself. */
const COUNTS = ["input", "cached", "written", "output", "reasoning"] as const;
const MOST_TOKENS = 1_000_000_000;
const tokens = (description: string) => z.int().check(z.gte(0), z.lte(MOST_TOKENS), z.describe(description));

/** Records what a part says about itself. */
export const event = defineOperation({
  name: "event",
  tool: "room",
  summary:
    "Record what you do: composing, limited, idle, error, or a word of your own. limited with --reset-at stops wakes until then; idle, or limited without it, starts them again",
  when: "Say that you are out of quota (limited, resetAt) or back (idle), or what you do.",
  effect: "write",
  idempotent: false,
  identity: "writer",
  positionals: ["type", "detail"],
  input: () => ({
    type: line(LIMITS.eventType, "composing, limited, idle, error or another word"),
    detail: maybe(z.union([prose(LIMITS.eventDetail, ""), z.record(z.string(), z.unknown())]).check(z.describe("free text, or an object"))),
    usage: maybe(z.record(z.string(), z.unknown()).check(z.describe('what the calls used, such as {"input": 1200}'))),
    parentEventId: maybe(
      z.string().check(
        z.refine((id) => EVENT_ID.test(id), "an eventId, as this tool answers it"),
        z.describe("id of the event that this one belongs to"),
      ),
    ),
    spawnedAgentLabel: maybe(line(LIMITS.eventType, "the agent that was started")),
    startedAt: maybe(instant("ISO 8601")),
    endedAt: maybe(instant("ISO 8601")),
    resetAt: maybe(instant("ISO 8601")),
    model: maybe(line(LIMITS.eventType, "the model of a call whose tokens are said")),
    input: maybe(tokens("tokens of the input that were not cached")),
    cached: maybe(tokens("tokens of the input that were read from a cache")),
    written: maybe(tokens("tokens of the input that were written to a cache")),
    output: maybe(tokens("tokens of the output")),
    reasoning: maybe(tokens("part of the output: what the model thinks before it answers")),
  }),
  unlisted: ["usage", "parentEventId", "spawnedAgentLabel", "startedAt", "endedAt", "model", ...COUNTS],
  output: () => ({
    eventId: z.string(),
    limitedUntil: z.optional(z.string()),
    lifted: z.optional(z.boolean()),
    warning: z.optional(z.string()),
  }),
  example: { type: "limited", resetAt: "2026-01-31T17:00:00Z" },
  async run(world, input, caller) {
    const now = world.now();
    const resetAt = input.resetAt ?? resetIn(input.type, input.detail);
    requireShort("detail", input.detail, LIMITS.eventDetail);
    requireShort("usage", input.usage, LIMITS.eventUsage);
    if (input.parentEventId !== undefined && !hasEvent(world, input.parentEventId)) {
      throw refuse("invalid_argument", {
        argument: "parentEventId",
        expected: "the eventId of an event that is recorded in this home",
        given: input.parentEventId,
        example: "the eventId of the answer to the first event",
      });
    }
    const said = withoutUndefined({ model: input.model, ...Object.fromEntries(COUNTS.map((count) => [count, input[count]])) });
    const usage = Object.keys(said).length === 0 ? input.usage : { ...input.usage, ...said };
    if (input.type === "usage" && usage === undefined && input.detail === undefined)
      throw refuse("usage", {
        problem: "an event usage needs the tokens of a call, and none were given",
        help: "Example: `relay event usage --model gpt-5 --input 1200 --output 90`.",
      });
    if (caller.isNew === true) join(world, caller);
    const { store } = world.home();
    const id = eventId(dayOf(now), diceToken(world));
    const record: PartEvent = withoutUndefined({
      id,
      at: new Date(now).toISOString(),
      part: caller.part,
      type: input.type,
      detail: input.detail,
      usage,
      parent_event_id: input.parentEventId,
      spawned_agent_label: input.spawnedAgentLabel,
      started_at: input.startedAt,
      ended_at: input.endedAt,
      reset_at: resetAt,
    });
    appendLine(store, eventPath(dayOf(now), cloneName(world)), JSON.stringify(record), true);
    const unsaid = await keepEventUsage(world, caller.part, { id, at: record.at, usage });
    // Who says to be idle, or names no time or one that is over, may be woken.
    const isOver = input.type === "idle" || (input.type === "limited" && !(Date.parse(resetAt ?? "") > now));
    const lifted = isOver && namesOf(world, caller.part).filter((name) => removeFile(store, limitedPath(name))).length > 0;
    const wanted = Date.parse(resetAt ?? "");
    const until = Math.min(wanted, now + LIMITED_AT_MOST_MS);
    const limitedUntil = input.type === "limited" && !isOver ? new Date(until).toISOString() : undefined;
    if (limitedUntil !== undefined) place(store, limitedPath(caller.part), `${limitedUntil}\n`);
    acted(world, { event: { ...record, type: `event:${input.type}`, eventId: id } });
    const warning = resetWarning(input.type, resetAt, now) ?? (input.type === "usage" ? unsaid : null) ?? undefined;
    return withoutUndefined({ eventId: id, limitedUntil, ...(isOver ? { lifted } : {}), warning });
  },
});

/** What to say where a time does not hold wakes back as it says. */
function resetWarning(type: string, resetAt: string | undefined, now: number): string | undefined {
  if (resetAt === undefined) return undefined;
  const given = new Date(Date.parse(resetAt)).toISOString();
  if (type !== "limited") return `resetAt works only with the type limited, so it changes nothing for ${type}`;
  if (Date.parse(resetAt) <= now) return `${given} is in the past, so it changes nothing`;
  if (Date.parse(resetAt) <= now + LIMITED_AT_MOST_MS) return undefined;
  return `${given} is more than ${LIMITED_AT_MOST_MS / 3_600_000} hours ahead. Relay stops wakes for that long at most: record limited again then`;
}

/** The time that the detail of a limit names. @throws Refusal `invalid_argument` where it is none */
function resetIn(type: string, detail: unknown): string | undefined {
  if (type !== "limited" || typeof detail !== "object" || detail === null) return undefined;
  const given = (detail as Record<string, unknown>)["resetAt"] ?? undefined;
  if (given === undefined) return undefined;
  const parsed = z.safeParse(instant(""), given);
  if (!parsed.success)
    throw refuse("invalid_argument", {
      argument: "detail.resetAt",
      expected: "a time such as 2026-01-31T09:30:00Z",
      given,
      example: event.example.resetAt,
    });
  return parsed.data;
}

/** @throws Refusal `invalid_argument` for an object that is longer than its text may be */
function requireShort(argument: string, value: unknown, most: number): void {
  if (typeof value !== "object" || value === null) return;
  // What is nested too deep to be written has no length.
  const length = orElse(null, () => JSON.stringify(value).length);
  if (length !== null && length <= most) return;
  const expected = `at most ${most} characters of JSON`;
  const given = length === null ? "an object that is nested too deep" : `${length} characters`;
  throw refuse("invalid_argument", { argument, expected, given, example: { inputTokens: 1200 } });
}
