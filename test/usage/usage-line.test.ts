/** Lines of usage: what is written is read, and lines of one call are one call in whatever order they come. */
import { describe, expect, test } from "vitest";
import { NO_TOKENS, TOKEN_FIELDS } from "../../protocol/agents/hosts/model-call.ts";
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
