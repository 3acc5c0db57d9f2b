/** What tokens cost, by model. A model that no price names is unknown, and never guessed. spec/usage.md, "Prices". */
import { FileError } from "../format/file-error.ts";
import { LIMITS } from "../format/schema.ts";
import { plainOf, readBareYaml } from "../format/yaml.ts";
import { isObject } from "../host/agent-record.ts";
import type { Tokens } from "../host/model-call.ts";
import type { UsageLine } from "./usage-line.ts";

/** US dollars for a million tokens. */
export interface Rates {
  input: number;
  output: number;
  cached: number;
}

/** The price of a model. */
export interface Price extends Rates {
  /** Its name; with a `*` at the end, how its name begins. */
  model: string;
  /** The first day, `yyyy-mm-dd`; absent for always. */
  from?: string;
  /** For a call whose whole input has more than so many tokens. */
  over?: Rates & { tokens: number };
}

const CACHED = 0.1;
const WRITTEN = 1.25;
const WRITTEN_1H = 2;
const MILLION = 1_000_000;
/** No million tokens costs more, and the sum of a million calls is a number still. */
const MOST_USD = 1_000_000;
/** What a maker writes behind the name of a model: the day of its version, or the size of its window. */
const VERSION = /^(?:-latest|[-@]\d{8}|-\d{4}-\d\d-\d\d|-preview(?:-\d\d-\d{2,4})?)?(?:\[\w+\])?$/;

/** Reads a table of prices. @throws FileError, with what is wrong with which entry */
export function parsePrices(source: string): Price[] {
  return pricesFrom(plainOf(readBareYaml(source)) ?? []);
}

/** Reads prices from plain values. @throws FileError */
export function pricesFrom(value: unknown): Price[] {
  if (!Array.isArray(value)) throw new FileError("expected a list of prices");
  return value.map((entry: unknown, at) => {
    const wrong = (problem: string): FileError => new FileError(`price ${at + 1}: ${problem}`);
    if (!isObject(entry)) throw wrong("expected a map with model, input and output");
    const { model, from, over } = entry;
    if (typeof model !== "string" || model === "" || model.length > LIMITS.name)
      throw wrong(`expected the name of a "model", at most ${LIMITS.name} characters`);
    if (from !== undefined && !(typeof from === "string" && /^\d{4}-\d\d-\d\d$/.test(from)))
      throw wrong('expected "from" as a day such as 2026-01-31');
    const rates = ratesOf(entry, wrong);
    if (over === undefined) return { model, ...rates, ...(from === undefined ? {} : { from }) };
    if (!isObject(over) || typeof over["tokens"] !== "number" || !Number.isFinite(over["tokens"]))
      throw wrong('expected "over" with tokens, input and output');
    return { model, ...rates, ...(from === undefined ? {} : { from }), over: { ...ratesOf(over, wrong), tokens: over["tokens"] } };
  });
}

function ratesOf(entry: Record<string, unknown>, wrong: (problem: string) => FileError): Rates {
  const { input, output, cached = typeof input === "number" ? input * CACHED : undefined } = entry;
  const isRate = (value: unknown): value is number => typeof value === "number" && value >= 0 && value <= MOST_USD;
  if (!isRate(input) || !isRate(output) || !isRate(cached))
    throw wrong(`expected input, output and cached in dollars for a million tokens, at most ${MOST_USD}`);
  return { input, output, cached };
}

/** A way to ask for the cost of calls that asks the table once for each model and day. @param prices the first that fits best counts */
export function pricing(prices: readonly Price[]): (line: Pick<UsageLine, "model" | "at" | "tokens">) => number | null {
  const found = new Map<string, Price | null>();
  return ({ model, at, tokens }) => {
    if (model === undefined) return null;
    const day = at.slice(0, 10);
    const key = `${day} ${model}`;
    let price = found.get(key);
    if (price === undefined) {
      price = priceOf(prices, model, day);
      found.set(key, price);
    }
    return price === null ? null : costOf(price, tokens);
  };
}

/** The price of a model on a day: the longest name that fits, of these the one that began last, of these the first of the table. */
export function priceOf(prices: readonly Price[], model: string, day: string): Price | null {
  const name = model.replace(/^(?:[a-z]{2}\.)?(?:anthropic|openai|google)[./]/, "");
  let best: Price | null = null;
  for (const price of prices) {
    if ((price.from ?? "") > day || !fits(price.model, name)) continue;
    const isBetter =
      best === null ||
      price.model.length > best.model.length ||
      (price.model.length === best.model.length && (price.from ?? "") > (best.from ?? ""));
    if (isBetter) best = price;
  }
  return best;
}

const fits = (named: string, model: string): boolean =>
  named.endsWith("*") ? model.startsWith(named.slice(0, -1)) : model.startsWith(named) && VERSION.test(model.slice(named.length));

/** What a call cost, in US dollars. */
export function costOf(price: Price, tokens: Tokens): number {
  const { input, cached, written, written1h, output } = tokens;
  const rates = price.over !== undefined && input + cached + written > price.over.tokens ? price.over : price;
  const asInput = input + (written - written1h) * WRITTEN + written1h * WRITTEN_1H;
  return (asInput * rates.input + cached * rates.cached + output * rates.output) / MILLION;
}
