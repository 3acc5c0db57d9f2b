/** Files that are full of faults: the first of each are named, the others counted, and no line costs more than a look at it. */
import path from "node:path";
import { expect, test, vi } from "vitest";
import { readEvent } from "../../protocol/core/event/event.ts";
import { operations, perform } from "../../protocol/index.ts";
import type { Answer } from "../rig/clones.ts";
import { homeWith, worldAt } from "../rig/home.ts";
import { put } from "../rig/scratch.ts";

const checked = async (lines: string): Promise<Answer> => {
  const code = await homeWith();
  const at = path.join(code, ".relay/events/2026-01-01/abcd2345.jsonl");
  put(at, lines);
  return perform(worldAt(path.join(code, ".relay")), operations.check, {});
};

test.each([
  ["broken lines", "not json\n", "2900 more lines of it are broken"],
  ["lines without an id", '{"at":"x"}\n', "2900 more lines of it are broken"],
  [
    "events of one id",
    '{"id":"e-20260101-1kg9p6je0abcde","at":"2026-01-01T00:00:00.000Z","part":"web","type":"x"}\n',
    "2899 more lines of it are ids that are used twice",
  ],
])("a file of 3,000 %s", async (_name, line, told) => {
  const { findings } = await checked(line.repeat(3_000));
  expect(findings).toHaveLength(101);
  expect(findings.at(-1).found).toBe(told);
});

test("a line that a loss of power cut is a note, because no caller had an answer for it", async () => {
  const whole = '{"id":"e-20260101-1kg9p6je0abcde","at":"2026-01-01T00:00:00.000Z","part":"web","type":"x"}';
  const { ok, findings, warnings } = await checked([whole, whole.slice(0, 20), "\0".repeat(40), ""].join("\n"));
  expect({ ok, findings }).toEqual({ ok: true, findings: [] });
  expect(warnings.map(({ line }: { line: number }) => line)).toEqual([2, 3]);
});

test("a line that cannot be an event is not even parsed", () => {
  const parse = vi.spyOn(JSON, "parse");
  for (const line of ["not json", "null", '"x"', "[1]", "7", '{"at":']) expect(readEvent(line)).toBe("the line is not a JSON object");
  const calls = parse.mock.calls.length;
  parse.mockRestore();
  expect(calls).toBe(0);
  for (const line of ["{x}", "{]}"]) expect(readEvent(line)).toBe("the line is not a JSON object");
});
