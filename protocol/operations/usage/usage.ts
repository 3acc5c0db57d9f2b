import * as z from "zod/mini";
import { meantPart } from "../../home/part/guests.ts";
import { namesOf } from "../../home/part/members.ts";
import { readCalls } from "../../home/usage/read-usage.ts";
import { flag, instantOrDay, maybe } from "../../objects/format/schema.ts";
import { parsePrices, pricing } from "../../objects/usage/prices.ts";
import { localDays, sumUsage, USAGE_GROUPS } from "../../objects/usage/sum-usage.ts";
import type { UsageLine } from "../../objects/usage/usage-line.ts";
import { defineOperation } from "../../operation.ts";
import { PRICES } from "../../templates.ts";

const Sum = z.object({
  key: z.string(),
  calls: z.number(),
  input: z.number(),
  cached: z.number(),
  written: z.number(),
  written1h: z.number(),
  output: z.number(),
  reasoning: z.number(),
  usd: z.number(),
  unknown: z.number(),
});

/** What agents cost. */
export const usage = defineOperation({
  name: "usage",
  summary: "Show what the agents' calls of models took: tokens and dollars, by day, part, session, task or model",
  effect: "read",
  identity: "none",
  input: () => ({
    by: z._default(z.enum(USAGE_GROUPS).check(z.describe("what a row is for")), "day"),
    since: maybe(instantOrDay("day, or ISO 8601")),
    part: maybe(z.string().check(z.describe("only calls of this part"))),
    csv: flag("print the table as CSV"),
  }),
  output: () => ({
    by: z.enum(USAGE_GROUPS),
    rows: z.array(Sum),
    total: Sum,
    unpriced: z.array(z.string()),
    broken: z.array(z.object({ path: z.string(), line: z.number(), problem: z.string() })),
    warning: maybe(z.string()),
  }),
  example: { by: "part", since: "2026-01-31" },
  async run(world, { by, since, part }) {
    const meant = part === undefined ? undefined : meantPart(world, part);
    // What was collected under a former name stays under it.
    const wanted = meant === undefined ? null : new Set(namesOf(world, meant.part));
    const sinceMs = since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(since);
    const { lines, broken } = readCalls(world, since === undefined ? "" : new Date(sinceMs).toISOString().slice(0, 7));
    const costOf = pricing(parsePrices(PRICES));
    const dayOf = localDays();
    const keyOf = (line: UsageLine): string => (by === "day" ? dayOf(line.at) : (line[by] ?? ""));
    const unpriced = new Set<string>();
    const chosen = function* (): Iterable<UsageLine> {
      for (const line of lines.values()) {
        if ((wanted !== null && !wanted.has(line.part ?? "")) || (since !== undefined && Date.parse(line.at) < sinceMs)) continue;
        yield line;
      }
    };
    const { rows, total } = sumUsage(chosen(), keyOf, (line) => {
      const usd = costOf(line);
      if (usd === null) unpriced.add(line.model ?? "");
      return usd;
    });
    const warned = meant?.warning === undefined ? {} : { warning: meant.warning };
    return { by, rows, total, unpriced: [...unpriced].sort(), broken, ...warned };
  },
});
