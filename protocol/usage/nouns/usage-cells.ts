/**
 * Cells: the sums of calls that differ in nothing that a table asks for. A table is a sum of cells, so that it costs what was done in
 * how many days, and not how many calls there were. spec/usage.md, "Tables".
 */

import { TOKEN_FIELDS, type TokenField } from "../../agents/hosts/model-call.ts";
import type { UsageLine } from "./usage-line.ts";

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

/** What is counted of each cell. */
export const USAGE_COUNTS = ["calls", ...TOKEN_FIELDS, "usd", "unknown", "unpriced"] as const;
const COUNTS = USAGE_COUNTS;
/** Dollars are summed in billionths, as whole numbers: what is added and taken away again leaves nothing. */
export const NANO = 1_000_000_000;
const USD = COUNTS.indexOf("usd");

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

/** What a cell is told apart by: a text for each group, and whether a subscription paid. */
const KEYS = USAGE_GROUPS.length + 1;
const SUBSCRIPTION = USAGE_GROUPS.length;

/**
 * Calls in their cells, in columns: a table of hundreds of thousands of cells is summed without an object for each. A key of a row is
 * the number of its text.
 */
export class UsageCells {
  #texts: string[];
  #keys: Uint32Array;
  #counts: Float64Array;
  #size: number;
  /** Made when a call is added first. */
  #ids: Map<string, number> | null = null;
  #rows: Map<string, number> | null = null;

  constructor(texts: string[] = [], keys = new Uint32Array(), counts = new Float64Array()) {
    this.#texts = texts;
    this.#keys = keys;
    this.#counts = counts;
    this.#size = counts.length / COUNTS.length;
  }

  /** Number of the cells. */
  get size(): number {
    return this.#size;
  }

  /** Adds a call, or takes it away. @param sign -1 takes away what was added before */
  add(line: UsageLine, tariff: Tariff, sign: 1 | -1 = 1): void {
    const isKnown = line.unknown === undefined || line.unknown.length === 0;
    const usd = isKnown ? tariff.costOf(line) : null;
    const { part = "", session = "", task = "", model = "", agent, dispatch = "" } = line;
    const at = this.#rowOf([tariff.dayOf(line.at), part, session, task, model, agent, dispatch], line.subscription === true);
    const tokens = TOKEN_FIELDS.map((field) => line.tokens[field]);
    const more = [1, ...tokens, Math.round((usd ?? 0) * NANO), usd === null ? 1 : 0, usd === null && isKnown ? 1 : 0];
    for (const [index, count] of more.entries())
      this.#counts[at * COUNTS.length + index] = (this.#counts[at * COUNTS.length + index] as number) + sign * count;
  }

  #rowOf(texts: readonly string[], subscription: boolean): number {
    this.#ids ??= new Map(this.#texts.map((text, id) => [text, id]));
    const ids = this.#ids;
    const keys = texts.map((text) => {
      const known = ids.get(text);
      if (known !== undefined) return known;
      ids.set(text, this.#texts.length);
      return this.#texts.push(text) - 1;
    });
    keys.push(subscription ? 1 : 0);
    this.#rows ??= new Map(Array.from({ length: this.#size }, (_, row) => [this.#keys.subarray(row * KEYS, (row + 1) * KEYS).join(), row]));
    const known = this.#rows.get(keys.join());
    if (known !== undefined) return known;
    const row = this.#size++;
    this.#rows.set(keys.join(), row);
    if (this.#size * KEYS > this.#keys.length) {
      const rows = Math.max(64, this.#size * 2);
      const [wider, longer] = [new Uint32Array(rows * KEYS), new Float64Array(rows * COUNTS.length)];
      wider.set(this.#keys);
      longer.set(this.#counts);
      [this.#keys, this.#counts] = [wider, longer];
    }
    this.#keys.set(keys, row * KEYS);
    return row;
  }

  /** Each cell as an object: for few cells. */
  *[Symbol.iterator](): Iterator<UsageCell> {
    for (let row = 0; row < this.#size; row += 1) {
      const texts = USAGE_GROUPS.map((group, at) => [group, this.#texts[this.#keys[row * KEYS + at] as number]]);
      const counts = COUNTS.map((count, at) => [count, (this.#counts[row * COUNTS.length + at] as number) / (at === USD ? NANO : 1)]);
      yield { ...Object.fromEntries([...texts, ...counts]), subscription: this.#keys[row * KEYS + SUBSCRIPTION] === 1 } as UsageCell;
    }
  }

  /**
   * Sums the cells that are meant, by one group.
   * @param isMeant asked once for each day and part, not for each cell
   * @returns a sum for each text of the group, with what a subscription paid for beside it
   */
  sumBy(group: UsageGroup, isMeant: { day(day: string): boolean; part(part: string): boolean }): Map<string, GroupSum> {
    const [day, part, by] = [0, 1, USAGE_GROUPS.indexOf(group)];
    const isDay = this.#texts.map((text) => isMeant.day(text));
    const isPart = this.#texts.map((text) => isMeant.part(text));
    const sums: (GroupSum | undefined)[] = [];
    for (let row = 0; row < this.#size; row += 1) {
      const key = row * KEYS;
      if (isDay[this.#keys[key + day] as number] !== true || isPart[this.#keys[key + part] as number] !== true) continue;
      const id = this.#keys[key + by] as number;
      sums[id] ??= { counts: new Float64Array(COUNTS.length), subscriptionUsd: 0 };
      const sum = sums[id];
      for (let at = 0; at < COUNTS.length; at += 1)
        sum.counts[at] = (sum.counts[at] as number) + (this.#counts[row * COUNTS.length + at] as number);
      if (this.#keys[key + SUBSCRIPTION] === 1) sum.subscriptionUsd += this.#counts[row * COUNTS.length + USD] as number;
    }
    return new Map(sums.flatMap((sum, id): [string, GroupSum][] => (sum === undefined ? [] : [[this.#texts[id] as string, sum]])));
  }

  /** The cells as bytes to keep, for this machine. */
  toBytes(): Uint8Array {
    // Cells that are kept are added to no more; what finds a cell takes more memory than all of them.
    [this.#ids, this.#rows] = [null, null];
    const head = Buffer.from(`${JSON.stringify(this.#texts)}\n`);
    const keys = this.#keys.subarray(0, this.#size * KEYS);
    const counts = this.#counts.subarray(0, this.#size * COUNTS.length);
    return Buffer.concat([
      head,
      ...[counts, keys].map(({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength)),
    ]);
  }

  /** Reads cells that were kept. @returns null for bytes that are none @throws SyntaxError */
  static fromBytes(bytes: Uint8Array): UsageCells | null {
    const end = bytes.indexOf(0x0a);
    const texts: unknown = JSON.parse(Buffer.from(bytes.subarray(0, end)).toString("utf8"));
    // A copy, so that its columns begin where numbers may.
    const body = Uint8Array.from(bytes.subarray(end + 1)).buffer;
    const size = body.byteLength / (KEYS * 4 + COUNTS.length * 8);
    if (!Array.isArray(texts) || !texts.every((text) => typeof text === "string") || !Number.isInteger(size)) return null;
    const counts = new Float64Array(body, 0, size * COUNTS.length);
    const keys = new Uint32Array(body, counts.byteLength, size * KEYS);
    return keys.every((key) => key < Math.max(texts.length, 2)) && counts.every(Number.isFinite)
      ? new UsageCells(texts, keys, counts)
      : null;
  }
}

/** The counts of a group, in the order of `USAGE_COUNTS`; dollars in billionths, in both. */
interface GroupSum {
  counts: Float64Array;
  subscriptionUsd: number;
}
