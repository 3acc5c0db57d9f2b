import { expect, test } from "vitest";
import { parseTeam } from "../../protocol/agents/nouns/team.ts";
import { parseConfig } from "../../protocol/core/config/config.ts";
import { FileError } from "../../protocol/core/format/file-error.ts";
import { parseFrontmatter } from "../../protocol/core/format/frontmatter.ts";
import { readYaml } from "../../protocol/core/format/yaml.ts";

const K = 65_536;
/** Texts that a parser of YAML takes seconds to minutes for, or runs out of its stack on. */
const SLOW: [what: string, text: string][] = [
  ["lists in lists in one line", "[".repeat(K)],
  ["dashes in a row", "- ".repeat(K / 2)],
  ["explicit keys in a row", "? ".repeat(K / 2)],
  ["explicit keys in a list", `a: [${"? ".repeat(K / 2)}`],
  ["explicit keys, one a line", Array.from({ length: 300 }, (_, depth) => `${" ".repeat(depth)}?`).join("\n")],
  ["maps in maps by their indents", Array.from({ length: 300 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n")],
  ["many keys", Array.from({ length: 20_000 }, (_, index) => `k${index}: one`).join("\n")],
];

/** Headers that a push lays by the hundred, each within what one file may have that a home has once. */
const SLOW_HEADERS: [what: string, text: string][] = [
  ["anchors in a row", `a: ${"&a ".repeat(1_000)}`],
  ["keys of a map", `a:\n${"  k: 1\n".repeat(5_000)}`],
  ["lines of a text", `a: |\n${"  x\n".repeat(20_000)}`],
  ["keys as Relay writes them", Array.from({ length: 5_000 }, (_, index) => `k${index}: "x"`).join("\n")],
];
const reads = [readYaml, parseConfig, (text: string) => parseTeam(text, "agents.pool.yml")];
const readHeader = (text: string): unknown => parseFrontmatter(`---\n${text}\n---\n`);

test.each([
  ...SLOW.map((row) => [...row, 1, [...reads, readHeader]] as const),
  ...SLOW_HEADERS.map((row) => [...row, 200, [readHeader]] as const),
])("%s: refused before it takes time", (_what, text, copies, by) => {
  const started = process.cpuUsage();
  for (let copy = 0; copy < copies; copy += 1) for (const read of by) expect(() => read(`${text}\n# ${copy}`)).toThrow(FileError);
  // Each took from half a second to ten minutes; what is asserted is the order of magnitude, of the processor's time.
  expect(process.cpuUsage(started).user).toBeLessThan(2_000_000);
});

test("files that people write are read, with the line of each mistake", () => {
  const text = `# ours\na:\n  - b: { c: [1, [2, 3]] } # [[[[[[[[[[[[[[[[[[[[[[\n    d: "{{{{{{{{{{{{{{{{{{{{{{{{"\n  - |\n${"      deep\n".repeat(40)}e: 1\n`;
  expect(readYaml(text).document.toJS()).toMatchObject({ a: [{ b: { c: [1, [2, 3]] } }, expect.any(String)], e: 1 });
  expect(() => readYaml("a: 1\nb:\n  c: 1\n  c: 2\n")).toThrow(expect.objectContaining({ message: "Map keys must be unique", line: 4 }));
  expect(() => readYaml(`a: 1\nb: ${"[".repeat(40)}`)).toThrow(expect.objectContaining({ line: 2 }));
  const keys = Array.from({ length: 200 }, (_, index) => `key_${index}: some\n`).join("");
  expect(parseFrontmatter(`---\n${keys}depends_on:\n${"  - x\n".repeat(64)}---\n`).header).toMatchObject({ key_199: "some" });
  expect(() => readYaml("a: 1\nb: \0")).toThrow(expect.objectContaining({ line: 2 }));
});
