import { expect, test } from "vitest";
import { ConfigError, editConfig, parseConfig } from "../../protocol/objects/config.ts";
import { fc } from "../properties.ts";

const SOURCE = `# Ours; please keep this line.
format: 1
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
  for (const line of SOURCE.split("\n").filter((text) => text.includes("#") || text.includes("future"))) {
    expect(edited).toContain(line.split("#").at(-1)?.trim());
  }
  expect(edited).toContain("colour: red");
  expect(parseConfig(edited).parts.get("docs")).toEqual({ about: "writes", formerly: [] });
});

test("rename keeps what was said of the part, and remembers the name", () => {
  const once = editConfig(SOURCE, { kind: "rename", from: "api", to: "backend" });
  const twice = parseConfig(editConfig(once, { kind: "rename", from: "backend", to: "server" }));
  expect(twice.parts.get("server")).toEqual({ about: "prices", formerly: ["api", "backend"] });
  expect([...twice.parts.keys()]).toEqual(["main", "web", "server", "human"]);
  expect(parseConfig(editConfig(SOURCE, { kind: "rename", from: "main", to: "lead" })).main).toBe("lead");
});

test("remove, and another main", () => {
  expect(parseConfig(editConfig(SOURCE, { kind: "remove", part: "api" })).parts.has("api")).toBe(false);
  expect(parseConfig(editConfig(SOURCE, { kind: "main", part: "web" })).main).toBe("web");
  expect(() => editConfig(SOURCE, { kind: "remove", part: "main" })).toThrow(ConfigError);
});

test("adding any parts, in any order, keeps every one", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.stringMatching(/^[a-z][a-z0-9_-]{0,10}(\/[a-z][a-z0-9]{0,5})?$/), { selector: (id) => id, maxLength: 8 }),
      (ids) => {
        const added = ids.filter(
          (id) =>
            !/^(main|web|api|human|new|read|tmp|sent|con|prn|aux|nul|com\d|lpt\d)$/.test(id) &&
            !/\/(new|read|tmp|sent|con|prn|aux|nul|com\d|lpt\d)$/.test(id),
        );
        const source = added.reduce((text, part) => editConfig(text, { kind: "add", part }), SOURCE);
        expect([...parseConfig(source).parts.keys()]).toEqual(["main", "web", "api", ...added, "human"]);
      },
    ),
    { numRuns: 50 },
  );
});

test.each([
  ["not YAML", "format: [", 1],
  ["not a map", "- 1", 1],
  ["another format", SOURCE.replace("format: 1", "format: 2"), 2],
  ["no format", SOURCE.replace("format: 1\n", ""), undefined],
  ["a main that is no part", SOURCE.replace("main: main", "main: boss"), 4],
  ["a part that leaves the home", SOURCE.replace("  web:", "  ../web:"), 9],
  ["parts that differ only in case", SOURCE.replace("  api:", "  Web:"), 11],
  ["the same part twice", SOURCE.replace("  api:", "  web:"), 11],
])("%s is refused, with its line", (_what, source, line) => {
  try {
    parseConfig(source);
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    expect((error as ConfigError).line).toBe(line);
  }
});

test("an unknown format is told apart from a broken file", () => {
  expect(() => parseConfig(SOURCE.replace("format: 1", "format: 2"))).toThrow(expect.objectContaining({ format: 2 }));
  expect(() => parseConfig("format: [")).toThrow(expect.objectContaining({ format: undefined }));
});
