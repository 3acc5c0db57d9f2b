/** The prices of models in `relay.yml`, and their form in every list of prices. spec/usage.md, "Prices". */

import { FileError } from "../format/file-error.ts";
import { isObject, LIMITS } from "../format/schema.ts";

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

/** No million tokens costs more, and the sum of a million calls is a number still. */
const MOST_USD = 1_000_000;

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
