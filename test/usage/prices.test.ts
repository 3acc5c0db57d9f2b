/** What calls cost: by the model's own price, and unknown where there is none. */
import fs from "node:fs";
import { expect, test } from "vitest";
import { NO_TOKENS } from "../../protocol/agents/hosts/model-call.ts";
import { FileError } from "../../protocol/core/format/file-error.ts";
import { costOf, parsePrices, priceOf } from "../../protocol/usage/nouns/prices.ts";

const table = parsePrices(fs.readFileSync("templates/prices.yml", "utf8"));
const day = "2026-11-01";

test("a model is found with a day behind its name, a maker before it, and the size of its window", () => {
  const longer = ["claude-opus-4-5-20251101", "us.anthropic.claude-opus-4-5", "claude-opus-4-5[1m]", "anthropic/claude-opus-4-5"];
  for (const name of ["claude-opus-4-5", ...longer]) expect(priceOf(table, name, day)?.model, name).toBe("claude-opus-4-5");
  expect(priceOf(table, "claude-opus-4-20250514", day)?.model).toBe("claude-opus-4");
});

test("a model that is not named is unknown, however much its name is like another's", () => {
  for (const name of ["claude-opus-4-99", "gpt-5-ultra", "gemini-2.5-pro-2", "claude", "", "scripted"])
    expect(priceOf(table, name, day), name).toBeNull();
});

test("each token is paid for once, and by how it was used", () => {
  const [price] = parsePrices("- { model: m, input: 4, output: 20 }") as [Parameters<typeof costOf>[0]];
  const cost = (tokens: Partial<typeof NO_TOKENS>): number => costOf(price, { ...NO_TOKENS, ...tokens });
  expect(cost({ input: 1_000_000 })).toBeCloseTo(4, 9);
  expect(cost({ cached: 1_000_000 })).toBeCloseTo(0.4, 9);
  expect(cost({ written: 1_000_000 })).toBeCloseTo(5, 9);
  expect(cost({ written: 1_000_000, written1h: 1_000_000 })).toBeCloseTo(8, 9);
  expect(cost({ output: 1_000_000, reasoning: 500_000 })).toBeCloseTo(20, 9);
});

test("the table gives the cost that Claude Code itself gives", () => {
  const price = priceOf(table, "claude-opus-4-8", day);
  const tokens = { ...NO_TOKENS, input: 1_609, cached: 407, written: 84, written1h: 23, output: 103 };
  expect(price === null ? null : costOf(price, tokens)).toBeCloseTo(0.011_434_75, 12);
});

test("a price has a first day, and another one for a long input", () => {
  const prices = parsePrices(
    "- { model: m, input: 1, output: 1 }\n- { model: m, from: 2026-06-01, input: 2, output: 2, over: { tokens: 10, input: 3, output: 3 } }",
  );
  const cost = (on: string, input: number): number => {
    const price = priceOf(prices, "m", on);
    return price === null ? Number.NaN : costOf(price, { ...NO_TOKENS, input }) * 1_000_000;
  };
  expect(cost("2026-05-31", 5)).toBeCloseTo(5, 9);
  expect(cost("2026-06-01", 5)).toBeCloseTo(10, 9);
  expect(cost("2026-06-01", 11)).toBeCloseTo(33, 9);
});

test.each([
  ["{ model: m }", /list of prices/],
  ["- { model: m, input: 1 }", /price 1: .*dollars/],
  ["- { input: 1, output: 1 }", /price 1: .*"model"/],
  ["- { model: m, input: 1, output: -1 }", /price 1/],
  ["- { model: m, input: 1, output: 1, from: soon }", /"from"/],
  ["- { model: m, input: 1, output: 1, over: 5 }", /"over"/],
])("a table that cannot be read says which price is wrong: %s", (source, problem) => {
  expect(() => parsePrices(source)).toThrow(FileError);
  expect(() => parsePrices(source)).toThrow(problem);
});
