/** Sums of calls, by what they are grouped by. spec/usage.md, "Tables". */
import { NO_TOKENS, TOKEN_FIELDS, type TokenField, type UsageLine } from "./usage-line.ts";

/** What calls can be grouped by. */
export const USAGE_GROUPS = ["day", "part", "session", "task", "model", "agent", "dispatch"] as const;

/** The sum of some calls. */
export interface UsageSum extends Record<TokenField, number> {
  /** What they are grouped by; empty where a line says nothing of it. */
  key: string;
  calls: number;
  /** US dollars of the calls whose price is known. */
  usd: number;
  /** Calls whose price is not known, or whose tokens are not all known: `usd` is without these. */
  unknown: number;
}

/** A sum of nothing. */
const nothing = (key: string): UsageSum => ({ key, calls: 0, ...NO_TOKENS, usd: 0, unknown: 0 });

/**
 * Sums calls.
 * @param lines each call once
 * @param keyOf what a call is grouped by
 * @param costOf in US dollars; null where it is not known
 * @returns a sum for each key, by key, and the sum of all
 */
export function sumUsage(
  lines: Iterable<UsageLine>,
  keyOf: (line: UsageLine) => string,
  costOf: (line: UsageLine) => number | null,
): { rows: UsageSum[]; total: UsageSum } {
  const sums = new Map<string, UsageSum>();
  const total = nothing("");
  for (const line of lines) {
    const key = keyOf(line);
    const sum = sums.get(key) ?? nothing(key);
    sums.set(key, sum);
    const isKnown = line.unknown === undefined || line.unknown.length === 0;
    const usd = isKnown ? costOf(line) : null;
    for (const each of [sum, total]) {
      each.calls += 1;
      for (const field of TOKEN_FIELDS) each[field] += line.tokens[field];
      if (usd === null) each.unknown += 1;
      else each.usd += usd;
    }
  }
  return { rows: [...sums.values()].sort((a, b) => (a.key < b.key ? -1 : 1)), total };
}

/** The day of an instant in the reader's zone, `yyyy-mm-dd`; asked once for each hour. */
export function localDays(): (at: string) => string {
  const days = new Map<string, string>();
  const two = (n: number): string => String(n).padStart(2, "0");
  return (at) => {
    const quarter = at.slice(0, 15);
    let day = days.get(quarter);
    if (day === undefined) {
      const local = new Date(at);
      day = `${local.getFullYear()}-${two(local.getMonth() + 1)}-${two(local.getDate())}`;
      days.set(quarter, day);
    }
    return day;
  };
}
