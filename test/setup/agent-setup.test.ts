import { describe, expect, test } from "vitest";
import { HOSTS } from "../../protocol/agents/hosts/index.ts";
import { startsRelay } from "../../protocol/setup/nouns/agent-entries.ts";
import { editsFor, type FileEdit, type SetupOptions } from "../../protocol/setup/nouns/agent-setup.ts";
import { diffText } from "../../protocol/setup/nouns/diff.ts";
import { entriesAt } from "../../protocol/setup/nouns/json-text.ts";
import { MARKS, withBlock, withoutBlock } from "../../protocol/setup/nouns/marked-block.ts";
import { fc, runs } from "../rig/properties.ts";

const LENIENT = { comments: true };
const RUNS = { numRuns: runs(2_000) };
const options = (more: Partial<SetupOptions> = {}): SetupOptions => ({
  starter: { program: "relay", args: [] },
  part: null,
  channel: false,
  allow: false,
  block: "## Relay\n\nLook at your inbox.",
  skill: "<!-- Kept by `relay setup` -->\n",
  ...more,
});
const edits = (more: Partial<SetupOptions> = {}): [string, FileEdit][] =>
  HOSTS.flatMap((host) => editsFor(host, options(more)).map((edit) => [`${host.name} ${edit.path}`, edit] as [string, FileEdit]));
/** A file of the project's that earlier versions wrote, and this one only cleans. */
const CLEANED = "gemini .gemini/settings.json";
const jsonEdits = edits().filter(([name]) => name.endsWith(".json") && name !== CLEANED);
const editNamed = (wanted: string, more: Partial<SetupOptions> = {}): FileEdit =>
  (edits(more).find(([name]) => name === wanted) as [string, FileEdit])[1];
/** The text with Relay's entries. */
const added = (edit: FileEdit, text: string | null): string => edit.add(text) as string;

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

test.each(edits().filter(([, edit]) => edit.add(null) !== null))("%s: made where nothing was, and gone again", (_name, edit) => {
  const made = added(edit, null);
  expect(edit.add(made)).toBe(made);
  expect(edit.remove(made)).toBeNull();
});

test.each(jsonEdits)("%s: whatever the file is like, it can be added, again, and taken out byte for byte", (name, edit) => {
  fc.assert(
    fc.property(settingsText(name.startsWith("gemini")), (text) => {
      const now = added(edit, text);
      expect(edit.add(now)).toBe(now);
      expect(edit.remove(now)).toBe(text);
      // Everything of theirs is where it was, in order.
      let at = 0;
      for (const character of now) if (character === text[at]) at += 1;
      expect(at).toBe(text.length);
      const [before, after] = [meaning(text), meaning(now)];
      for (const [key, value] of Object.entries(before)) {
        if (key !== "hooks" && key !== "mcpServers") expect(after[key]).toEqual(value);
        else
          for (const [inner, item] of Object.entries(value as object)) {
            const kept = (after[key] as Record<string, unknown>)[inner];
            if (Array.isArray(item)) expect((kept as unknown[]).slice(0, item.length)).toEqual(item);
            else expect(kept).toEqual(item);
          }
      }
    }),
    RUNS,
  );
});

test("entries of another version, or with other options, are replaced and not doubled", () => {
  for (const [name, before] of edits({ starter: { program: "/opt/node 20/bin/node", args: ["/opt/relay.cjs"] }, part: "web" })) {
    const edit = editNamed(name);
    if (edit.add(null) === null) continue;
    // A module or a skill is Relay's alone, and so is no file of theirs.
    if (/\.[jt]s$|SKILL\.md$/.test(name)) continue;
    const theirs = name.endsWith(".toml") ? 'model = "x"\n' : name.endsWith(".json") ? '{\n  "model": "x"\n}\n' : "# Hello\n";
    const old = added(before, theirs);
    const now = added(edit, old);
    expect(now, name).toBe(edit.add(theirs));
    expect(edit.remove(now), name).toBe(theirs);
    expect(edit.remove(old), name).toBe(theirs);
  }
});

test("entries of earlier versions in a file of the project for Gemini CLI are taken out, whichever agent is set up", () => {
  const theirs = '{\n  // ours\n  "ui": { "theme": "dark" }\n}\n';
  const before = added(editNamed("gemini settings.json"), theirs).replaceAll(/command -v relay .*? \|\| exit 0; /g, "");
  expect(before).toContain('"relay hook stop');
  expect(editNamed(CLEANED).add(before)).toBe(theirs);
  expect(editNamed(CLEANED).remove(before)).toBe(theirs);
  expect(editNamed(CLEANED).add(theirs)).toBe(theirs);
  expect(editNamed(CLEANED).add(null)).toBeNull();
});

test("a server of another program in a project's file of Gemini CLI, with Relay's name, is refused and not passed over", () => {
  const text = '{"mcpServers":{"relay":{"command":"sh","args":["-c","touch x","relay","mcp"]}}}';
  expect(() => editNamed(CLEANED).add(text)).toThrow(expect.objectContaining({ name: "FileError" }));
  expect(editNamed(CLEANED).remove(text)).toBe(text);
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
    ["gemini settings.json", '{ // fine\n "a": 1,\n "b": }', 3],
  ])("%s: %j is refused with its line", (name, text, line) => {
    const [, edit] = edits().find(([other]) => other === name) as [string, FileEdit];
    expect(() => edit.add(text)).toThrow(expect.objectContaining({ name: "FileError", line }));
  });
});

test("blocks go in and out of any text", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom("a", "\n", "\r\n", "\r", " ", "# x", "é"), { maxLength: 12 }), (pieces) => {
      const text = pieces.join("");
      const now = withBlock(text, "one\ntwo");
      expect(now.startsWith(text)).toBe(true);
      expect(withBlock(now, "one\ntwo")).toBe(now);
      expect(withoutBlock(now, "one\ntwo")).toBe(text);
      const ended = text === "" || text.endsWith("\n") ? text : `${text}${text.includes("\r\n") ? "\r\n" : "\n"}`;
      expect(withoutBlock(`${now}after\n`, "one\ntwo")).toBe(`${ended}after\n`);
    }),
    RUNS,
  );
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
  [{ command: "sh", args: ["-c", "touch x", "relay", "mcp"] }, false],
  [{ command: "./tools/relay", args: ["mcp"] }, false],
  [{ command: "tools/relay", args: ["mcp"] }, false],
  [{ command: "node", args: ["--require", "./evil.cjs", "/opt/relay.cjs", "mcp"] }, false],
  [{ command: "node", args: ["tools/relay.cjs", "mcp"] }, false],
  [{ command: "C:\\node\\node.exe", args: ["C:\\relay\\relay.cjs", "mcp"] }, true],
  [{ command: "command -v relay >/dev/null 2>&1 || exit 0; relay mcp" }, true],
  [{ command: "touch x || exit 0; relay mcp" }, false],
  [{ command: "relay mcp; touch x" }, false],
  [{ command: "relay mcp\ntouch x" }, false],
  [{ command: 'relay mcp "$(touch x)"' }, false],
])("%j starts Relay's server: %s", (entry, expected) => {
  expect(startsRelay(entry, "mcp")).toBe(expected);
});

test("a marker without its pair is the user's text, and so is what follows it", () => {
  const { begin, joined, end } = MARKS;
  for (const left of [begin, joined, end]) {
    for (const text of [`# mine\n${left}\nkept\n`, `${left}\r\nkept\r\n`, `${end}\n${left}\nkept`, `${left}\n${left}\nkept\n`]) {
      const now = withBlock(text, "own");
      expect(now.startsWith(text)).toBe(true);
      expect(withBlock(now, "own")).toBe(now);
      expect(withBlock(now, "other").startsWith(text)).toBe(true);
      expect(withoutBlock(now, "own")).toBe(text);
    }
  }
});

test("the user's lines between the markers stay, whatever Relay's own lines say by then", () => {
  const { begin, end } = MARKS;
  const block = "## Relay: other agents work here too\n\n- one";
  const text = withBlock("# Mine\n", block).replace("- one\n", "- one\n\n- my own rule\n");
  expect(withBlock(text, block)).toBe(`# Mine\n\n${begin}\n${block}\n${end}\n\n- my own rule\n`);
  expect(withoutBlock(text, block)).toBe("# Mine\n\n- my own rule\n");
  const newer = withBlock(text, "## Relay\n- other");
  expect(newer).toContain("- my own rule\n");
  expect(withoutBlock(newer, "## Relay\n- other")).toContain("- my own rule\n");
  expect(withBlock(newer, "## Relay\n- other")).toBe(newer);
});

test("a difference shows the changed lines and three around them", () => {
  const lines = Array.from({ length: 20 }, (_, at) => `line ${at}`);
  const changed = [...lines.slice(0, 10), "new", ...lines.slice(11)];
  expect(diffText(lines.join("\n"), changed.join("\n")).split("\n")).toEqual(
    ["…", " line 7", " line 8", " line 9", "-line 10", "+new", " line 11", " line 12", " line 13", "…"].slice(1),
  );
  expect(diffText("a\n", "a\n")).not.toMatch(/^[+-]/m);
});

test("every block is Relay's, of whatever version, and what stands beside them comes back byte for byte", () => {
  const body = "## Relay\n\nLook.";
  const old = (begin: string): string => `${begin}\nsomething of before\n\n## Relay\n${MARKS.end}\n`;
  const text = `# Rules\n\n${MARKS.begin}\n${body}\n${MARKS.end}\nBetween.\n\n${MARKS.begin}\n${body}\n${MARKS.end}\n`;
  const one = withBlock(text, body);
  expect(one.split(MARKS.end)).toHaveLength(2);
  expect(withBlock(one, body)).toBe(one);
  expect(withoutBlock(text, body)).toBe("# Rules\nBetween.\n");
  for (const begin of ["<!-- relay: begin -->", "<!-- relay: begin v0 -->", MARKS.begin])
    expect(withoutBlock(`# Rules\n\n${old(begin)}`, body)).toBe("# Rules\nsomething of before\n");
});
