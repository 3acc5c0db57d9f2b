import { expect, test } from "vitest";
import { editConfig, parseConfig } from "../../protocol/core/config/config.ts";
import { misspelt } from "../../protocol/core/config/misspelt-settings.ts";
import { FileError } from "../../protocol/core/format/file-error.ts";

const SOURCE = `# Ours; please keep this line.
format: 2
project: { id: p-1, name: "shop" } # the shop
main: main
future: { a: [1, 2] }   # a field of a version to come
parts:
  # who coordinates
  main: {}
  web: { about: "the storefront", colour: red }

  api:   # prices
    about: prices
`;

test("an edit keeps comments, unknown fields and blank lines", () => {
  const edited = editConfig(SOURCE, { kind: "add", part: "docs", about: "writes" });
  // Spaces inside of a line, and where the comment of a map stands, are the library's own.
  const words = (text: string): string => text.replace(/[\s#]+/g, " ").trim();
  expect(words(edited)).toBe(`${words(SOURCE).replace("{ a: [1, 2] }", "{ a: [ 1, 2 ] }")} docs: about: writes`);
  const comments = (text: string): string[] => [...text.matchAll(/# (.*)$/gm)].map(([, comment = ""]) => comment);
  expect(comments(edited)).toEqual(comments(SOURCE));
  expect(edited).toContain("colour: red }\n\n  api:");
  expect(parseConfig(edited).parts.get("docs")).toEqual({ about: "writes", formerly: [] });
});

test("rename keeps the part's description, and remembers the name", () => {
  const once = editConfig(SOURCE, { kind: "rename", from: "api", to: "backend" });
  const twice = parseConfig(editConfig(once, { kind: "rename", from: "backend", to: "server" }));
  expect(twice.parts.get("server")).toEqual({ about: "prices", formerly: ["api", "backend"] });
  expect([...twice.parts.keys()]).toEqual(["main", "web", "server", "human"]);
  expect(parseConfig(editConfig(SOURCE, { kind: "rename", from: "main", to: "lead" })).main).toBe("lead");
});

test("remove, and another main", () => {
  expect(parseConfig(editConfig(SOURCE, { kind: "remove", part: "api" })).parts.has("api")).toBe(false);
  expect(parseConfig(editConfig(SOURCE, { kind: "main", part: "web" })).main).toBe("web");
  expect(() => editConfig(SOURCE, { kind: "remove", part: "main" })).toThrow(FileError);
});

test.each([
  ["not YAML", "format: [", 1],
  ["not a map", "- 1", 1],
  ["too many parts", `${SOURCE}${Array.from({ length: 1_001 }, (_, index) => `  p${index}: {}\n`).join("")}`, 6],
  ["too many former names", `${SOURCE}    formerly: [${"a,".repeat(1_001)}]\n`, 6],
  ["more than 64 KB", `${SOURCE}#${"x".repeat(65_536)}`, 1],
  ["a human who was another part", `${SOURCE}  human: { formerly: [api] }\n`, 13],
  ["another format", SOURCE.replace("format: 2", "format: 3"), 2],
  ["no format", SOURCE.replace("format: 2\n", ""), undefined],
  ["a main that is no part", SOURCE.replace("main: main", "main: boss"), 4],
  ["a part that leaves the home", SOURCE.replace("  web:", "  ../web:"), 9],
  ["parts that differ only in case", SOURCE.replace("  api:", "  Web:"), 11],
  ["the same part twice", SOURCE.replace("  api:", "  web:"), 11],
])("%s is refused, with its line", (_what, source, line) => {
  try {
    parseConfig(source);
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(FileError);
    expect((error as FileError).line).toBe(line);
  }
});

test("an unknown format is distinguished from a broken file", () => {
  expect(() => parseConfig(SOURCE.replace("format: 2", "format: 3"))).toThrow(expect.objectContaining({ format: 3 }));
  expect(() => parseConfig("format: [")).toThrow(expect.objectContaining({ name: "FileError" }));
});

test("every mistake is named in words, with its line", () => {
  const faultsOf = (source: string): unknown => {
    try {
      parseConfig(source);
    } catch (error) {
      const first = error as FileError;
      return [first, ...first.others].map(({ message, line }) => ({ problem: message, line }));
    }
    return [];
  };
  const source = `${SOURCE}claims: romote
durability: disk
record: { auto: "yes" }
summaries:
  headings: one
  min_length: -1
wake:
  # another about: not this one
  budget: { per_hour: 1.5 }
`;
  const lineOf = (text: string): number => source.split("\n").findIndex((row) => row.includes(text)) + 1;
  expect(faultsOf(source)).toEqual([
    { problem: 'durability: expected one of full, process; given "disk"', line: lineOf("durability") },
    { problem: 'record.auto: expected true or false; given "yes"', line: lineOf("record") },
    { problem: 'summaries.headings: expected a list; given "one"', line: lineOf("headings") },
    { problem: "summaries.min_length: expected a number of at least 0; given -1", line: lineOf("min_length") },
    { problem: 'claims: expected one of local, remote; given "romote"', line: lineOf("claims") },
    { problem: "wake.budget.per_hour: expected a whole number; given 1.5", line: lineOf("per_hour") },
  ]);
  const unnamed = SOURCE.replace(', name: "shop"', "");
  expect(faultsOf(unnamed)).toEqual([{ problem: "project.name: expected a text; it is missing", line: 3 }]);
});

test("a setting that is nearly a known one is named with it; others, and all at the top, are a later version's", () => {
  const source = `${SOURCE.replace("colour: red", "abuot: red, colour: red")}summeries: {}
summaries: { min_lenght: 3, xyzzy: 1 }
wake:
  budget:
    per_huor: 3
limits: { anything: 1 }
`;
  expect(misspelt(source)).toEqual([
    { setting: "parts.web.abuot", near: "parts.web.about", line: 9 },
    { setting: "summaries.min_lenght", near: "summaries.min_length", line: 14 },
    { setting: "wake.budget.per_huor", near: "wake.budget.per_hour", line: 17 },
  ]);
  expect(misspelt(SOURCE)).toEqual([]);
});
