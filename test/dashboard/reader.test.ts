/** What a person reads on the page is what is there, and no text makes more of it than a page can show. */
import { expect, test } from "vitest";
import { htmlOf } from "../../dashboard/web/part/html.ts";
import { withMarks } from "../../dashboard/web/part/unseen.ts";

test.each([
  ["an override", "approve \u202edrawkcab\u202c", "approve ‹U+202E›drawkcab‹U+202C›"],
  ["isolates", "\u2066x\u2069", "‹U+2066›x‹U+2069›"],
  ["a mark of direction in code", "if (a\u200f) b", "if (a‹U+200F›) b"],
  ["a space of no width", "pass\u200bword\ufeff\u2060", "pass‹U+200B›word‹U+FEFF›‹U+2060›"],
  ["joiners in Latin", "ad\u200dm\u200cin", "ad‹U+200D›m‹U+200C›in"],
  ["tags", "ok\u{e0068}\u{e0069}", "ok‹U+E0068›‹U+E0069›"],
  ["a word of tags behind a flag", "🏴\u{e0068}\u{e0069}\u{e007f}", "🏴‹U+E0068›‹U+E0069›‹U+E007F›"],
  ["bytes in selectors", "a\u{e0101}😀\ufe0f\ufe0f", "a‹U+E0101›😀\ufe0f‹U+FE0F›"],
  ["controls", "a\u001b[31m\u0008", "a‹U+001B›[31m‹U+0008›"],
  ["a filler", "\u3164", "‹U+3164›"],
])("%s is shown as a mark", (_what, text, shown) => {
  expect(withMarks(text)).toBe(shown);
  expect(htmlOf(`a ${text} b`)).toBe(`<p>a ${shown} b</p>\n`);
});

test.each([
  "lines\r\n\tand tabs",
  "👩‍👩‍👧 👩🏽‍💻 ❤️‍🔥 1️⃣ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ☎︎",
  "می‌خواهم",
  "ශ්‍රී ක්‍ෂ",
  "שלום\u200f! (\u200eעברית)",
  "葛\u{e0100}",
  "ᠨᠢᠭᠡ\u180b",
  "Rechts\u00adschutz",
])("%j needs its characters, and stays", (text) => {
  expect(withMarks(text)).toBe(text);
});

test("a name of a character, and an address, are read as they are", () => {
  expect(htmlOf("&#x202e;a [&#x2066;b](https://example.com/%E2%80%AE '\u202etitle')")).toBe(
    '<p>‹U+202E›a <a href="https://example.com/%E2%80%AE" title="‹U+202E›title" rel="noopener noreferrer" target="_blank">‹U+2066›b</a></p>\n',
  );
  expect(htmlOf("<https://example.com/%E2%80%AEx>")).not.toContain("\u202e");
});

const tagsOf = (text: string): number => (htmlOf(text) ?? "").split("<").length - 1;
const filled = (columns: number): string => `${"a|".repeat(columns)}\n${"-|".repeat(columns)}\n${"x\n".repeat(6_000)}`;

test("few characters never become a page of tags, and a table that somebody wrote is one", () => {
  for (const columns of [2, 60, 800, 4_000]) expect(tagsOf(filled(columns)), `${columns} columns`).toBeLessThan(6_001);
  expect(tagsOf(`${`a|b\n-|-\n${"x\n".repeat(300)}`}\n`.repeat(20))).toBeLessThan(6_001);
  expect(htmlOf("- - - x\n".repeat(2_000))).toBeUndefined();
  expect(htmlOf("-\n".repeat(8_000))).toBeUndefined();
  expect(htmlOf("*a*\n".repeat(4_000))).toBeUndefined();
  const written = `|a|b|c|d|e|f|\n|-|-|-|-|-|-|\n${"|one|two|three|four|five|six|\n".repeat(200)}`;
  expect(htmlOf(written)).toContain("<table");
  expect(tagsOf(written)).toBe(2 + 2 + 2 * (1 + 6) + 2 + 200 * 2 * (1 + 6));
});
