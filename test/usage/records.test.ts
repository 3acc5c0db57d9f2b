/**
 * Records as versions of the agents' programs wrote them, without their texts: every call is read with the numbers that the model had
 * said, none twice. What stands in no record, such as the call that writes the summary of a compaction, is not in `counted`.
 */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { TOKEN_FIELDS } from "../../protocol/agents/hosts/model-call.ts";
import { type RecordAgent, readRecord, wholeRecord } from "../../protocol/usage/nouns/records.ts";
import { joinUsage, type UsageLine } from "../../protocol/usage/nouns/usage-line.ts";
import { fc } from "../rig/properties.ts";

/** The first line of a version's file; each of the others is one of its records. */
interface Head {
  agent: RecordAgent;
  /** Of each call that stands in the records, the tokens in the order of `TOKEN_FIELDS`, as the model counted them. */
  counted: number[][];
}
interface Fixture extends Head {
  files: ({ lines: string[] } | { json: unknown })[];
}

const folder = path.join(import.meta.dirname, "records");
const fixtures = fs
  .readdirSync(folder)
  .sort()
  .map((name): [string, Fixture] => {
    const [head, ...files] = fs.readFileSync(path.join(folder, name), "utf8").trim().split("\n");
    return [path.basename(name, ".jsonl"), { ...(JSON.parse(head as string) as Head), files: files.map((line) => JSON.parse(line)) }];
  });
const linesOf = (file: Fixture["files"][number]): readonly string[] =>
  "lines" in file ? file.lines : wholeRecord(JSON.stringify(file.json));

/** The calls of some readings, each once. */
function callsOf(readings: readonly UsageLine[]): UsageLine[] {
  const calls = new Map<string, UsageLine>();
  for (const call of readings) calls.set(call.id, joinUsage(calls.get(call.id) ?? call, call));
  return [...calls.values()];
}
const counts = (calls: readonly UsageLine[]): number[][] =>
  calls.filter(({ unknown }) => unknown === undefined).map(({ tokens }) => TOKEN_FIELDS.map((field) => tokens[field]));
const inOrder = (rows: readonly number[][]): number[][] => rows.toSorted((a, b) => (a.join() < b.join() ? -1 : 1));

test.each(fixtures)("%s", (_, { agent, counted, files }) => {
  const calls = callsOf(files.flatMap((file) => readRecord(agent, linesOf(file), undefined).calls));
  expect(inOrder(counts(calls))).toEqual(inOrder(counted));
  expect(calls.filter(({ unknown }) => unknown !== undefined).map(({ unknown }) => unknown)).toEqual(
    calls.some(({ unknown }) => unknown !== undefined) ? [["compaction"]] : [],
  );
  for (const { model, unknown } of calls) if (unknown === undefined) expect(model).toBeTypeOf("string");
});

test.each<[string, ...[string | null, number, string][]]>([
  ["with its parent's turns and times", ["P", 1_000, "10:00"], ["P2", 3_000, "10:02"]],
  ["with new times and no turn", [null, 1_000, "11:00:03"], [null, 3_000, "11:00:04"]],
  ["all at its own beginning, after its turn", ["own", 1_000, "11:00"], ["own", 3_000, "11:00"]],
  ["with its parent's turns and new times", ["P", 1_000, "11:00:03"], ["P2", 3_000, "11:00:04"]],
])("a fork of Codex that copies its parent's counts %s has its own alone", (_, ...copied) => {
  const at = (time: string): string => `2026-11-20T${time.length === 5 ? `${time}:00` : time}.000Z`;
  const head = (id: string, time: string, more: object = {}) => ({ timestamp: at(time), type: "session_meta", payload: { id, ...more } });
  const count = (turn: string | null, total: number, time: string, last = total) => {
    const tokens = (input: number) => ({ input_tokens: input, output_tokens: input });
    const info = { total_token_usage: tokens(total), last_token_usage: tokens(last) };
    const counted = { timestamp: at(time), type: "event_msg", payload: { type: "token_count", info } };
    return turn === null ? [counted] : [{ timestamp: at(time), type: "turn_context", payload: { turn_id: turn, model: "m" } }, counted];
  };
  const parent = [head("p", "10:00"), ...count("P", 1_000, "10:00:05"), ...count("P2", 3_000, "10:02:05", 2_000)];
  const fork = [head("f", "11:00", { forked_from_id: "p" }), ...copied.flatMap(([turn, total, time]) => count(turn, total, time))];
  const own = count("own", 3_900, "11:00:09", 900);
  const read = (lines: object[]): UsageLine[] =>
    readRecord(
      "codex",
      lines.map((line) => JSON.stringify(line)),
      undefined,
    ).calls;
  expect(callsOf([...read(parent), ...read([...fork, ...own])]).map(({ tokens }) => tokens.input)).toEqual([1_000, 2_000, 900]);
});

test("a record is read the same in whatever pieces", () => {
  fc.assert(
    fc.property(fc.constantFrom(...fixtures), fc.array(fc.nat(40)), ([, { agent, counted, files }], cuts) => {
      const calls = files.flatMap((file) => {
        const lines = [...linesOf(file)];
        let state: unknown;
        return [...cuts, lines.length].flatMap((size) => {
          // What is kept between two readings is kept as text.
          const read = readRecord(agent, lines.splice(0, size), state === undefined ? undefined : JSON.parse(JSON.stringify(state)));
          state = read.state;
          return read.calls;
        });
      });
      expect(inOrder(counts(callsOf(calls)))).toEqual(inOrder(counted));
    }),
  );
});

test("a count that is missing or new is named, and the call is one whose tokens are not known", () => {
  const claude = (usage: unknown): string =>
    JSON.stringify({ type: "assistant", timestamp: "2026-01-31T09:30:00Z", message: { id: "m", model: "x", usage } });
  const codex = (usage: unknown): string =>
    JSON.stringify({ type: "token_usage_record", timestamp: "2026-01-31T09:30:00Z", payload: { response_id: "r", usage } });
  const gemini = (tokens: unknown): string => JSON.stringify({ type: "gemini", timestamp: "2026-01-31T09:30:00Z", id: "g", tokens });
  const CASES: readonly [RecordAgent, string, string[]][] = [
    ["claude", claude({ output_tokens: 5 }), ["input_tokens"]],
    ["claude", claude({ input_tokens: "7", output_tokens: 5 }), ["input_tokens"]],
    ["claude", claude({ input_tokens: 7, output_tokens: 5, thinking_tokens: 9 }), ["thinking_tokens"]],
    ["codex", codex({ input_tokens: 7, output_tokens: 5, tool_tokens: 1 }), ["tool_tokens"]],
    ["codex", codex({ input_tokens: 7, cached_input_tokens: 9, output_tokens: 5 }), ["cached_input_tokens"]],
    ["gemini", gemini({ input: 7, thoughts: -1, output: 5 }), ["thoughts"]],
  ];
  for (const [agent, line, unknown] of CASES) expect(readRecord(agent, [line], undefined).calls, line).toMatchObject([{ unknown }]);
});

test("lines that are no such records say nothing, and stop nothing", () => {
  const LINES = [
    '{"usage":',
    '"usage"',
    '{"type":"assistant","message":{"usage":5}}',
    '{"type":"assistant","message":null,"usage":1}',
    '["usage"]',
  ];
  for (const agent of ["claude", "codex", "gemini"] as const)
    expect(readRecord(agent, [...LINES, '{"payload":7,"type":"session_meta"}', '{"tokens":[],"type":"gemini"}'], undefined).calls).toEqual(
      [],
    );
});
