/**
 * Cells: the sums of calls that differ in nothing that a table asks for. A table is a sum of cells, so that it costs what was done in
 * how many days, and not how many calls there were. spec/usage.md, "Tables".
 */
import { NO_TOKENS, TOKEN_FIELDS, type TokenField, type UsageLine } from "./usage-line.ts";

/** What calls can be grouped by. */
export const USAGE_GROUPS = ["day", "part", "session", "task", "model", "agent", "dispatch"] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

/** How a reader counts calls: by which days, and at which prices. */
export interface Tariff {
  /** Another text for whatever counts otherwise: sums of one tariff say nothing for another. */
  sign: string;
  /** The day of an instant in the reader's zone, `yyyy-mm-dd`. */
  dayOf(at: string): string;
  /** In US dollars; null where no price is known. */
  costOf(line: UsageLine): number | null;
}

const COUNTS = ["calls", ...TOKEN_FIELDS, "usd", "unknown", "unpriced"] as const;

/** The sum of some calls. A text that no line says is empty. */
export interface UsageCell extends Record<UsageGroup, string>, Record<TokenField, number> {
  /** Whether a subscription paid for them. */
  subscription: boolean;
  calls: number;
  /** US dollars of the calls whose cost is known. */
  usd: number;
  /** Calls whose cost is not known. */
  unknown: number;
  /** Those of them whose tokens are known: no price names their model. */
  unpriced: number;
}

/** A cell as it is kept: its texts in the order of the groups, whether a subscription paid, and its counts. */
type Row = (string | number)[];

/** Calls in their cells. */
export class UsageCells {
  readonly #cells = new Map<string, UsageCell>();

  /** Adds a call, or takes it away. @param sign -1 takes away what was added before */
  add(line: UsageLine, tariff: Tariff, sign: 1 | -1 = 1): void {
    const isKnown = line.unknown === undefined || line.unknown.length === 0;
    const usd = isKnown ? tariff.costOf(line) : null;
    const texts = [
      tariff.dayOf(line.at),
      ...[line.part, line.session, line.task, line.model].map((text) => text ?? ""),
      line.agent,
      line.dispatch ?? "",
    ];
    const cell = this.#at(texts, line.subscription === true);
    cell.calls += sign;
    for (const field of TOKEN_FIELDS) cell[field] += sign * line.tokens[field];
    if (usd !== null) cell.usd += sign * usd;
    else {
      cell.unknown += sign;
      if (isKnown) cell.unpriced += sign;
    }
  }

  /** Adds what other cells have. */
  merge(cells: Iterable<UsageCell>): void {
    for (const cell of cells) {
      const sum = this.#at(
        USAGE_GROUPS.map((group) => cell[group]),
        cell.subscription,
      );
      for (const count of COUNTS) sum[count] += cell[count];
    }
  }

  /** The cells that have calls, or less than none. */
  *[Symbol.iterator](): Iterator<UsageCell> {
    for (const cell of this.#cells.values()) if (COUNTS.some((count) => count !== "usd" && cell[count] !== 0)) yield cell;
  }

  #at(texts: readonly string[], subscription: boolean): UsageCell {
    const key = `${texts.join("\n")}\n${subscription}`;
    const known = this.#cells.get(key);
    if (known !== undefined) return known;
    const [day = "", part = "", session = "", task = "", model = "", agent = "", dispatch = ""] = texts;
    const cell = {
      day,
      part,
      session,
      task,
      model,
      agent,
      dispatch,
      subscription,
      calls: 0,
      ...NO_TOKENS,
      usd: 0,
      unknown: 0,
      unpriced: 0,
    };
    this.#cells.set(key, cell);
    return cell;
  }
}

/** Cells as a text to keep. */
export const formatCells = (cells: Iterable<UsageCell>): string =>
  JSON.stringify(
    [...cells].map(
      (cell): Row => [...USAGE_GROUPS.map((group) => cell[group]), cell.subscription ? 1 : 0, ...COUNTS.map((count) => cell[count])],
    ),
  );

/** Reads cells that were kept. @returns null for a text that is none */
export function parseCells(text: string): UsageCells | null {
  const rows: unknown = JSON.parse(text);
  if (!Array.isArray(rows) || !rows.every(isRow)) return null;
  const cells = new UsageCells();
  cells.merge(rows.map(cellOf));
  return cells;
}

const isRow = (row: unknown): row is Row =>
  Array.isArray(row) &&
  row.length === USAGE_GROUPS.length + 1 + COUNTS.length &&
  row.every((value, at) => (at < USAGE_GROUPS.length ? typeof value === "string" : Number.isFinite(value)));

function cellOf(row: Row): UsageCell {
  const texts = USAGE_GROUPS.map((group, at) => [group, row[at]]);
  const counts = COUNTS.map((count, at) => [count, row[USAGE_GROUPS.length + 1 + at]]);
  return { ...Object.fromEntries([...texts, ...counts]), subscription: row[USAGE_GROUPS.length] === 1 } as UsageCell;
}
