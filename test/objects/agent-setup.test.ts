import { describe, expect, test } from "vitest";
import { startsRelay } from "../../protocol/objects/agent-entries.ts";
import { AGENTS, editsFor, type FileEdit, type SetupOptions } from "../../protocol/objects/agent-setup.ts";
import { diffText } from "../../protocol/objects/diff.ts";
import { entriesAt, putIn, takeOut } from "../../protocol/objects/json-text.ts";
import { MARKDOWN, TOML, withBlock, withoutBlock } from "../../protocol/objects/marked.ts";
import { count } from "../counts.ts";
import { fc } from "../properties.ts";

const LENIENT = { comments: true };
const RUNS = { numRuns: count(300, 10_000) };
const options = (more: Partial<SetupOptions> = {}): SetupOptions => ({
  starter: { program: "relay", args: [] },
  part: null,
  channel: false,
  block: "## Relay\n\nLook at your inbox.",
  ...more,
});
const edits = (more: Partial<SetupOptions> = {}): [string, FileEdit][] =>
  AGENTS.flatMap((agent) => editsFor(agent, options(more)).map((edit) => [`${agent} ${edit.path}`, edit] as [string, FileEdit]));
const jsonEdits = edits().filter(([name]) => name.endsWith(".json"));

/** White space and, where they may be, comments. */
const blank = (comments: boolean): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom(" ", "\n", "\t", "\r\n", ...(comments ? ["/* kept, */", "// kept {\n"] : [])), { maxLength: 3 })
    .map((all) => all.join(""));

/** JSON as people and programs format it: any value, any spacing. */
function jsonText(value: fc.JsonValue, comments: boolean): fc.Arbitrary<string> {
  const space = blank(comments);
  const list = (open: string, items: fc.Arbitrary<string>[], close: string): fc.Arbitrary<string> =>
    fc
      .tuple(space, fc.tuple(...items.map((item) => fc.tuple(space, item, space))), comments ? fc.boolean() : fc.constant(false))
      .map(([empty, all, trailing]) =>
        all.length === 0
          ? `${open}${empty}${close}`
          : `${open}${all.map(([before, item, after]) => before + item + after).join(",")}${trailing ? "," : ""}${close}`,
      );
  if (Array.isArray(value))
    return list(
      "[",
      value.map((item) => jsonText(item, comments)),
      "]",
    );
  if (typeof value === "object" && value !== null) {
    const items = Object.entries(value).map(([key, item]) =>
      fc.tuple(space, jsonText(item as fc.JsonValue, comments)).map(([before, text]) => `${JSON.stringify(key)}:${before}${text}`),
    );
    return list("{", items, "}");
  }
  return fc.constant(JSON.stringify(value));
}

const group = fc.record({
  matcher: fc.constantFrom("*", "Bash"),
  hooks: fc.array(fc.record({ type: fc.constant("command"), command: fc.constantFrom("echo hi", "relay-other hook x", "my relay") }), {
    maxLength: 2,
  }),
});
const settings = fc.record(
  {
    model: fc.string(),
    nested: fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<fc.JsonValue>,
    mcpServers: fc.dictionary(
      fc.constantFrom("github", "files", "Relay"),
      fc.record({ command: fc.string(), args: fc.array(fc.string(), { maxLength: 2 }) }),
    ),
    hooks: fc.record(
      {
        SessionStart: fc.array(group, { maxLength: 2 }),
        Stop: fc.array(group, { maxLength: 2 }),
        BeforeAgent: fc.array(group, { maxLength: 1 }),
        PreToolUse: fc.array(group, { maxLength: 2 }),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
) as unknown as fc.Arbitrary<fc.JsonValue>;
const settingsText = (comments: boolean): fc.Arbitrary<string> =>
  settings.chain((value) =>
    fc.tuple(fc.constantFrom("", "\uFEFF"), blank(comments), jsonText(value, comments), blank(comments)).map((parts) => parts.join("")),
  );
/** What a text says, in plain values. */
const meaning = (text: string): Record<string, unknown> =>
  Object.fromEntries(entriesAt(text, [], LENIENT).map(({ key, value }) => [key, value]));

test.each(edits())("%s: made where nothing was, and gone again", (_name, edit) => {
  const made = edit.add(null);
  expect(edit.add(made)).toBe(made);
  expect(edit.remove(made)).toBeNull();
});

test.each(jsonEdits)("%s: whatever the file is like, it can be added, again, and taken out byte for byte", (name, edit) => {
  fc.assert(
    fc.property(settingsText(name.startsWith("gemini")), (text) => {
      const added = edit.add(text);
      expect(edit.add(added)).toBe(added);
      expect(edit.remove(added)).toBe(text);
      // Everything of theirs is where it was, in order.
      let at = 0;
      for (const character of added) if (character === text[at]) at += 1;
      expect(at).toBe(text.length);
      const [before, after] = [meaning(text), meaning(added)];
      for (const [key, value] of Object.entries(before)) {
        if (key !== "hooks" && key !== "mcpServers") expect(after[key]).toEqual(value);
        else
          for (const [inner, item] of Object.entries(value as object)) {
            const now = (after[key] as Record<string, unknown>)[inner];
            if (Array.isArray(item)) expect((now as unknown[]).slice(0, item.length)).toEqual(item);
            else expect(now).toEqual(item);
          }
      }
    }),
    RUNS,
  );
});

test.each(jsonEdits)("%s: what is theirs may change meanwhile, and stays", (name, edit) => {
  fc.assert(
    fc.property(settingsText(name.startsWith("gemini")), fc.string(), (text, value) => {
      const changed = putIn(edit.add(text), ["later"], { key: "added by hand", value }, LENIENT);
      const left = edit.remove(changed) as string;
      expect(left).not.toMatch(/"relay"|relay hook|"hook",/);
      expect(meaning(left)).toEqual({
        ...meaning(text),
        later: { ...((meaning(text)["later"] as object | undefined) ?? {}), "added by hand": value },
      });
    }),
    RUNS,
  );
});

test("entries go in and out at any path, in both dialects", () => {
  fc.assert(
    fc.property(settingsText(true), fc.array(fc.constantFrom("a", "b", "mcpServers"), { maxLength: 3 }), (text, path) => {
      fc.pre(
        path.every((_name, at) => {
          try {
            entriesAt(text, path.slice(0, at + 1), LENIENT);
            return true;
          } catch {
            return false;
          }
        }),
      );
      const inside = putIn(text, path, { key: "own", value: { x: [1] } }, LENIENT);
      expect(entriesAt(inside, path, LENIENT)).toContainEqual({ key: "own", value: { x: [1] } });
      expect(takeOut(inside, path, ({ key }) => key === "own", LENIENT)).toBe(text);
    }),
    RUNS,
  );
});

test("what another version wrote, or with other options, is replaced and not doubled", () => {
  for (const [name, before] of edits({ starter: { program: "/opt/node 20/bin/node", args: ["/opt/relay.cjs"] }, part: "web" })) {
    const [, edit] = edits().find(([other]) => other === name) as [string, FileEdit];
    const [theirs, added] = name.endsWith(".toml")
      ? ['model = "x"\n', null]
      : name.endsWith(".json")
        ? ['{\n  "model": "x"\n}\n', null]
        : ["# Hello\n", null];
    const old = before.add(theirs);
    const now = edit.add(old);
    expect(added ?? now, name).toBe(edit.add(theirs));
    expect(edit.remove(now), name).toBe(theirs);
    expect(edit.remove(old), name).toBe(theirs);
  }
});

describe("a file that is not what it should be", () => {
  test.each([
    ["claude .mcp.json", '{\n  "mcpServers": {,}\n}', 2],
    ["claude .mcp.json", '{\n  // a comment\n  "a": 1\n}', 2],
    ["claude .mcp.json", "[]", 1],
    ["claude .mcp.json", "", 1],
    ["claude .mcp.json", '{\n"mcpServers": 3}', 2],
    ["claude .mcp.json", '{\n "mcpServers": {\n  "relay": { "command": "other-relay" } } }', 3],
    ["claude .claude/settings.local.json", '{\n"hooks": {\n"Stop": {} } }', 3],
    ["codex hooks.json", '{"hooks": []}', 1],
    ["codex config.toml", 'model = "x"\n[mcp_servers\n', 2],
    ["codex config.toml", 'a = 1\n[mcp_servers.relay]\ncommand = "other"\n', 2],
    ["codex config.toml", 'mcp_servers = { other = { command = "x" } }\n', 1],
    ["gemini .gemini/settings.json", '{ // fine\n "a": 1,\n "b": }', 3],
  ])("%s: %j is refused with its line", (name, text, line) => {
    const [, edit] = edits().find(([other]) => other === name) as [string, FileEdit];
    expect(() => edit.add(text)).toThrow(expect.objectContaining({ name: "TextFault", line }));
  });
});

test("a server of the user's own that is Relay stays as it is", () => {
  const [, toml] = edits().find(([name]) => name.endsWith(".toml")) as [string, FileEdit];
  const own = '# mine\n[mcp_servers.relay]\ncommand = "relay"\nargs = ["mcp", "--part", "web"]\n';
  expect(toml.add(own)).toBe(own);
  expect(toml.remove(own)).toBe(own);
});

test("blocks go in and out of any text", () => {
  for (const markers of [MARKDOWN, TOML]) {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("a", "\n", "\r\n", "\r", " ", "# x", "é"), { maxLength: 12 }), (pieces) => {
        const text = pieces.join("");
        const added = withBlock(text, markers, "one\ntwo");
        expect(added.startsWith(text)).toBe(true);
        expect(withBlock(added, markers, "one\ntwo")).toBe(added);
        expect(withoutBlock(added, markers)).toBe(text);
        const changed = withBlock(added, markers, "three");
        expect(withoutBlock(`${changed}after\n`, markers)).toBe(`${text}after\n`);
      }),
      RUNS,
    );
  }
});

test.each([
  [{ command: "relay", args: ["mcp"] }, true],
  [{ command: "/usr/bin/node", args: ["/a b/dist/relay.cjs", "mcp", "--part", "web"] }, true],
  [{ command: "'/usr/my bin/node' /x/relay.cjs mcp" }, true],
  [{ command: "git-relay mcp" }, true],
  [{ command: "relay", args: ["hook"] }, false],
  [{ command: "my-relay", args: ["mcp"] }, false],
  [{ command: "npx", args: ["mcp"] }, false],
  [null, false],
])("%j starts Relay's server: %s", (entry, expected) => {
  expect(startsRelay(entry, "mcp")).toBe(expected);
});

test("a marker that lost the other one is somebody's text, and so is what follows it", () => {
  for (const markers of [MARKDOWN, TOML]) {
    const { begin, joined, end } = markers;
    for (const left of [begin, joined, end]) {
      for (const text of [`# mine\n${left}\nkept\n`, `${left}\r\nkept\r\n`, `${end}\n${left}\nkept`, `${left}\n${left}\nkept\n`]) {
        const added = withBlock(text, markers, "own");
        expect(added.startsWith(text)).toBe(true);
        expect(withBlock(added, markers, "own")).toBe(added);
        expect(withBlock(added, markers, "other").startsWith(text)).toBe(true);
        expect(withoutBlock(added, markers)).toBe(text);
      }
    }
  }
});

test("a difference shows the changed lines and three around them", () => {
  const lines = Array.from({ length: 20 }, (_, at) => `line ${at}`);
  const changed = [...lines.slice(0, 10), "new", ...lines.slice(11)];
  expect(diffText(lines.join("\n"), changed.join("\n")).split("\n")).toEqual(
    ["…", " line 7", " line 8", " line 9", "-line 10", "+new", " line 11", " line 12", " line 13", "…"].slice(1),
  );
  expect(diffText("a\n", "a\n")).not.toMatch(/^[+-]/m);
});
