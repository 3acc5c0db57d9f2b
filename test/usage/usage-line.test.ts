/** Lines of usage: what is written is read, and lines of one call are one call in whatever order they come; and what calls cost. */
import fs from "node:fs";
import { describe, expect, test } from "vitest";
import { NO_TOKENS, TOKEN_FIELDS } from "../../protocol/agents/hosts/model-call.ts";
import { FileError } from "../../protocol/core/format/file-error.ts";
import { costOf, parsePrices, priceOf } from "../../protocol/usage/nouns/prices.ts";
import { formatUsage, joinUsage, readUsage, type UsageLine } from "../../protocol/usage/nouns/usage-line.ts";
import { fc } from "../rig/properties.ts";

const tokens = fc.record(Object.fromEntries(TOKEN_FIELDS.map((field) => [field, fc.nat(100_000)]))) as fc.Arbitrary<UsageLine["tokens"]>;
const text = fc.option(fc.constantFrom("web", "api", 'a "b"', "\u2028"), { nil: undefined });
const line: fc.Arbitrary<UsageLine> = fc.record({
  id: fc.constantFrom("claude:1", "codex:1"),
  at: fc.constantFrom("2026-01-31T09:30:00.000Z", "2026-01-31T09:30:01Z", "2026-02-01T00:00:00.5Z"),
  agent: fc.constantFrom("claude" as const, "codex" as const),
  model: text,
  part: text,
  task: text,
  tokens,
  subscription: fc.option(fc.constant(true as const), { nil: undefined }),
  unknown: fc.option(fc.uniqueArray(fc.constantFrom("a", "b", "c"), { minLength: 1 }), { nil: undefined }),
});
/** A line without fields that say nothing, in one order. */
const plain = (one: UsageLine): unknown => JSON.parse(JSON.stringify({ ...one, unknown: [...(one.unknown ?? [])].sort() }));

test("a line that is written is read again", () => {
  fc.assert(
    fc.property(line, (one) => {
      const read = readUsage(formatUsage(one));
      expect(typeof read).not.toBe("string");
      expect(plain(read as UsageLine)).toEqual(plain(one));
    }),
  );
});

test("lines of one call are the same call in whatever order, and however often, they come; the largest counts are its own", () => {
  const same = line.map((one) => ({ ...one, id: "claude:1" }));
  fc.assert(
    fc.property(fc.array(same, { minLength: 1, maxLength: 6 }), fc.infiniteStream(fc.nat()), (lines, dice) => {
      const shuffled = [...lines, ...lines].sort(() => ((dice.next().value as number) % 2 === 0 ? -1 : 1));
      const joined = (all: readonly UsageLine[]): unknown => plain(all.reduce(joinUsage));
      expect(joined(shuffled)).toEqual(joined(lines));
      expect(lines.reduce(joinUsage).tokens.output).toBe(Math.max(...lines.map(({ tokens }) => tokens.output)));
    }),
  );
});

describe("a line that is not usage", () => {
  const good = JSON.parse(
    formatUsage({ id: "claude:1", at: "2026-01-31T09:30:00Z", agent: "claude", tokens: { ...NO_TOKENS, input: 1 } }),
  ) as Record<string, unknown>;
  const BROKEN: readonly [what: string, text: string, problem: RegExp][] = [
    ["no JSON", "{", /no.*JSON object|not a JSON object/],
    ["a list", "[]", /not a JSON object/],
    ["no id", JSON.stringify({ ...good, id: undefined }), /"id"/],
    ["an instant without a zone", JSON.stringify({ ...good, at: "2026-01-31T09:30:00" }), /"at"/],
    ["a day that does not exist", JSON.stringify({ ...good, at: "2026-13-31T09:30:00Z" }), /"at"/],
    ["another agent", JSON.stringify({ ...good, agent: "hal" }), /"agent"/],
    ["a negative count", JSON.stringify({ ...good, input: -1 }), /"input"/],
    ["half a token", JSON.stringify({ ...good, output: 0.5 }), /"output"/],
    ["a count as a text", JSON.stringify({ ...good, cached: "9" }), /"cached"/],
    ["more tokens than any call has", JSON.stringify({ ...good, input: 1e15 }), /"input"/],
    ["a part that is a number", JSON.stringify({ ...good, part: 7 }), /"part"/],
    ["a model as long as a book", JSON.stringify({ ...good, model: "x".repeat(257) }), /"model"/],
    ["names that are no list", JSON.stringify({ ...good, unknown: "x" }), /"unknown"/],
  ];
  test.each(BROKEN)("%s", (_, text, problem) => {
    expect(readUsage(text)).toMatch(problem);
  });
});

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
