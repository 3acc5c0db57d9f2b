/** What tokens cost, by model. A model that no price names is unknown, and never guessed. spec/usage.md, "Prices". */

import type { Tokens } from "../../agents/hosts/model-call.ts";
import { type Price, pricesFrom } from "../../core/config/prices.ts";
import { plainOf, readBareYaml } from "../../core/format/yaml.ts";
import type { UsageLine } from "./usage-line.ts";

const WRITTEN = 1.25;
const WRITTEN_1H = 2;
const MILLION = 1_000_000;
/** What a maker writes behind the name of a model: the day of its version, or the size of its window. */
const VERSION = /^(?:-latest|[-@]\d{8}|-\d{4}-\d\d-\d\d|-preview(?:-\d\d-\d{2,4})?)?(?:\[\w+\])?$/;

/** Reads a table of prices. @throws FileError, with what is wrong with which entry */
export function parsePrices(source: string): Price[] {
  return pricesFrom(plainOf(readBareYaml(source)) ?? []);
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
