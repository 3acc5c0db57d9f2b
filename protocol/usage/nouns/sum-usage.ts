/** Tables: cells summed by what a reader asks for. spec/usage.md, "Tables". */

import { NO_TOKENS, type TokenField } from "../../agents/hosts/model-call.ts";
import { NANO, USAGE_COUNTS, type UsageCells, type UsageGroup } from "./usage-cells.ts";

/** The sum of some calls. */
export interface UsageSum extends Record<TokenField, number> {
  /** What they are grouped by; empty where a line says nothing of it. */
  key: string;
  calls: number;
  /** US dollars of the calls whose cost is known; what a subscription paid for is in it, at what it would have cost. */
  usd: number;
  /** Of `usd`, what a subscription paid for. */
  subscriptionUsd: number;
  /** Calls whose price is not known, or whose tokens are not all known: `usd` is without these. */
  unknown: number;
}

/** A table of calls. */
export interface UsageTable {
  /** A sum for each key, by key. */
  rows: UsageSum[];
  total: UsageSum;
  /** Models of which no price is known, by name; empty for calls that name none. */
  unpriced: string[];
}

/** A sum of nothing. */
const nothing = (key: string): UsageSum => ({ key, calls: 0, ...NO_TOKENS, usd: 0, subscriptionUsd: 0, unknown: 0 });

/** Cells, and which of them are meant. */
export interface Meant {
  cells: UsageCells;
  day(day: string): boolean;
}

/**
 * Sums cells.
 * @param by what a row is for
 * @param isPart which parts' calls are meant
 */
export function sumUsage(all: readonly Meant[], by: UsageGroup, isPart: (part: string) => boolean): UsageTable {
  const sums = new Map<string, UsageSum>();
  const total = nothing("");
  const unpriced = new Map<string, number>();
  for (const { cells, day } of all) {
    for (const [key, { counts, subscriptionUsd }] of cells.sumBy(by, { day, part: isPart })) {
      const sum = sums.get(key) ?? nothing(key);
      sums.set(key, sum);
      for (const each of [sum, total]) {
        for (const [at, count] of USAGE_COUNTS.entries()) if (count !== "unpriced") each[count] += counts[at] as number;
        each.subscriptionUsd += subscriptionUsd;
      }
    }
    for (const [model, { counts }] of cells.sumBy("model", { day, part: isPart }))
      unpriced.set(model, (unpriced.get(model) ?? 0) + (counts[USAGE_COUNTS.indexOf("unpriced")] as number));
  }
  for (const sum of [...sums.values(), total]) {
    sum.usd /= NANO;
    sum.subscriptionUsd /= NANO;
  }
  const rows = [...sums.values()].filter(({ calls }) => calls !== 0).sort((a, b) => (a.key < b.key ? -1 : 1));
  return { rows, total, unpriced: [...unpriced].flatMap(([model, calls]) => (calls > 0 ? [model] : [])).sort() };
}
