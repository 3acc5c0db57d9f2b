/** Columns of a table: aligned as terminals show them, and never wider than they were thought to be. */
import { beforeAll, expect, test } from "vitest";
import { columns, plainStyleFor, readyFor, shownColumns, styleFor } from "../../cli/print/style.ts";
import { table } from "../../cli/print/table.ts";
import { fc } from "../rig/properties.ts";

const style = { ...plainStyleFor(process.stdout, { NO_COLOR: "1" }, 0), width: 80 };
const ROWS = [
  ["日本", "x"],
  ["✓", "x"],
  ["👩‍👩‍👧", "x"],
  ["é́", "x"],
  ["abcdef", "x"],
];

beforeAll(() => readyFor(ROWS, style.width));

test("the cells of a column begin below each other, whatever is before them", () => {
  expect(table(ROWS, style).split("\n")).toEqual(["日本    x", "✓       x", "👩‍👩‍👧      x", "é́       x", "abcdef  x"]);
});

test("a text is shown no wider than it is at the most", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 40 }), (text) => {
      expect(shownColumns(text)).toBeLessThanOrEqual(columns(text));
    }),
  );
});

test("no row is wider than the terminal, though each of its cells took as much as it can", () => {
  const unit = fc.constantFrom("日", "✓", "👩‍👩‍👧", "a", "क्ष", " ", "e\u0301");
  const cell = fc.array(unit, { maxLength: 12 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 5 }), (rows) => {
      const terminal = styleFor({ isTTY: true, columns: 80 } as NodeJS.WriteStream, { NO_COLOR: "1" }, 0);
      for (const line of table(rows, terminal).split("\n")) expect(columns(line)).toBeLessThanOrEqual(80);
    }),
  );
});

test("colour is Node's, on a terminal or where it is forced", () => {
  const at = (env: Record<string, string>): string => plainStyleFor({ isTTY: false } as NodeJS.WriteStream, env, 0).red("x");
  expect([at({}), at({ FORCE_COLOR: "1" }), at({ FORCE_COLOR: "1", NO_COLOR: "1" })]).toEqual(["x", "\u001b[31mx\u001b[39m", "x"]);
});
