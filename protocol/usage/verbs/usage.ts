import * as z from "zod/mini";
import { flag, instantOrDay, maybe } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import { meantPart } from "../../mail/files/guests.ts";
import { namesOf } from "../../mail/files/members.ts";
import { missingRecords } from "../files/missing-records.ts";
import { readRestOfDay, readSums } from "../files/read-usage.ts";
import { tariffOf } from "../files/tariff.ts";
import { sumUsage } from "../nouns/sum-usage.ts";
import { USAGE_GROUPS } from "../nouns/usage-cells.ts";

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
  subscriptionUsd: z.number(),
  unknown: z.number(),
});

/** What agents cost. */
export const usage = defineOperation({
  name: "usage",
  tool: "view",
  summary: "Show what the agents' calls of models took: tokens and dollars, by day, part, session, task or model",
  when: "See the tokens and dollars that calls of models took.",
  effect: "read",
  identity: "none",
  input: () => ({
    by: z._default(z.enum(USAGE_GROUPS).check(z.describe("what a row is for")), "day"),
    since: maybe(instantOrDay("day, or ISO 8601")),
    part: maybe(z.string().check(z.describe("only calls of this part"))),
    csv: flag("print the table as CSV"),
  }),
  unlisted: ["csv"],
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
    const tariff = tariffOf(world);
    const { cells, broken, counted } = readSums(world, tariff);
    // A day is one of the reader's zone, as those of the table are; of the day of an instant the rest counts.
    const isDay = since !== undefined && /^\d{4}-\d\d-\d\d$/.test(since);
    const sinceMs = since === undefined || isDay ? null : Date.parse(since);
    const from = sinceMs === null ? since : tariff.dayOf(new Date(sinceMs).toISOString());
    const isSince = (day: string): boolean => from === undefined || (sinceMs === null ? day >= from : day > from);
    const rest = sinceMs === null ? null : readRestOfDay(world, sinceMs, tariff, counted);
    const all = [
      ...cells.map((each) => ({ cells: each, day: isSince })),
      ...(rest === null ? [] : [{ cells: rest.cells, day: () => true }]),
    ];
    const table = sumUsage(all, by, (one) => wanted === null || wanted.has(one));
    const missing = missingRecords(world).map((each) => each.file);
    const lost = missing.length === 0 ? [] : [`not counted, because these records are not where a hook said: ${missing.join(", ")}`];
    const warnings = [...(meant?.warning === undefined ? [] : [meant.warning]), ...lost];
    return {
      by,
      ...table,
      broken: [...(rest?.broken ?? []), ...broken],
      ...(warnings.length === 0 ? {} : { warning: warnings.join("; ") }),
    };
  },
});
