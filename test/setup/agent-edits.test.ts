/** What the user and the agents themselves write into a file after Relay did: all of it stays, and nothing else, when Relay's entries are taken out. */
import { expect, test } from "vitest";
import { HOSTS } from "../../protocol/agents/hosts/index.ts";
import { editsFor, type FileEdit } from "../../protocol/setup/nouns/agent-setup.ts";
import { parseToml } from "../../protocol/setup/nouns/toml-text.ts";
import { fc, runs } from "../rig/properties.ts";

const RUNS = { numRuns: runs(2_000) };
const options = {
  starter: { program: "relay", args: [] },
  part: null,
  channel: false,
  allow: false,
  block: "## Relay\n\n- Look at your inbox.",
  skill: "<!-- Kept by `relay setup` -->\n",
};
const editOf = (file: string, more: object = {}): FileEdit =>
  HOSTS.flatMap((host) => editsFor(host, { ...options, ...more })).find(
    ({ base, path, add }) => `${base} ${path}` === file && add(null) !== null,
  ) as FileEdit;
const ALLOW = { allow: true };

/** What Codex and people have in such a file, piece by piece. */
const ENTRIES = [
  'model = "x" # kept\n',
  "# a comment\n",
  "\n",
  'notify = [\n  "a", # one\n  "b",\n]\n',
  "odd = '''\n[mcp_servers.relay]\n'''\n",
];
const TABLES = [
  '[projects."/a b"]\ntrust_level = "trusted"\n',
  '[tui]\ntheme = "dark" # [not.a.table]\n',
  '[hooks.state."/home/x/.codex/hooks.json:stop:0:0"]\ntrusted_hash = "sha256:1"\n',
  '[mcp_servers.other]\ncommand = "relay"\nargs = ["serve"]\nenv = { A = "]", B = "#" }\n',
  '[profiles.\'relay\']\nmodel = """\n# relay: end\n"""\n',
  '[[skills]]\nname = "one"\n\n[[skills]]\nname = "two"\n',
];
const tomlText = fc
  .tuple(fc.subarray(ENTRIES), fc.shuffledSubarray(TABLES), fc.boolean(), fc.boolean(), fc.boolean())
  .map(([entries, tables, isSpaced, isEnded, isWindows]) => {
    const text = [...entries, ...tables].join(isSpaced ? "\n" : "");
    const unix = isEnded ? text : text.replace(/\n$/, "");
    return isWindows ? unix.replaceAll("\n", "\r\n") : unix;
  });
/** Tables as Codex's editor and people put them in later: before all tables, between two, or at the end. */
const later = (name: string): string => `\n[later.${name}]\nkey = "[mcp_servers.relay]" # ${name}\n`;
const added = (text: string, where: "end" | "above" | "before", name: string): string => {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const piece = later(name).replaceAll("\n", eol);
  const at = where === "above" ? text.search(/^\[projects\./m) : where === "before" ? text.search(/^\[tui\]/m) : -1;
  if (at !== -1) return text.slice(0, at) + piece.slice(eol.length) + eol + text.slice(at);
  return `${text}${text === "" || text.endsWith("\n") ? "" : eol}${piece}`;
};
const changes = fc.array(fc.constantFrom("end", "above", "before", "setup", "allow", "remark"), { maxLength: 6 });

test("Codex's config.toml: whatever is written before, behind and between, setups among it, only Relay's table goes", () => {
  fc.assert(
    fc.property(tomlText, changes, (text, all) => {
      let [now, plain] = [editOf("agent config.toml").add(text) as string, text];
      for (const [at, change] of all.entries()) {
        if (change === "setup") now = editOf("agent config.toml").add(now) as string;
        else if (change === "allow") now = editOf("agent config.toml", ALLOW).add(now) as string;
        // Codex drops comments, and people write some, also into Relay's own table.
        else if (change === "remark") now = now.replace(/^(args = \["mcp"\])\r?$/m, "$1 # mine");
        else [now, plain] = [added(now, change as "end", `n${at}`), added(plain, change as "end", `n${at}`)];
      }
      const again = editOf("agent config.toml").add(now) as string;
      expect(again).toBe(now);
      expect(parseToml(now)["mcp_servers"]).toMatchObject({ relay: { command: "relay", args: ["mcp"] } });
      expect(editOf("agent config.toml").remove(now)).toBe(plain);
    }),
    RUNS,
  );
});

/** What Codex hands on to the server. */
const STATE = 'env_vars = ["XDG_STATE_HOME"]\n';

test("the entries of earlier versions for Codex are taken over, with what Codex wrote between their marks", () => {
  const old = (tables: string): string =>
    `model = "x"\n\n# relay: begin (kept by \`relay setup\`)\n[mcp_servers.relay]\ncommand = "relay"\nargs = ["mcp"]\nenv_vars = ["RELAY_PART", "RELAY_HOME"]\n${tables}# relay: end\n`;
  const theirs = '\n[tui]\ntheme = "dark"\n\n[projects."/x"]\ntrust_level = "trusted"\n\n[hooks.state."h:stop:0:0"]\ntrusted_hash = "1"\n';
  const tools = '\n[mcp_servers.relay.tools.ack]\napproval_mode = "approve"\n';
  const edit = editOf("agent config.toml");
  const now = edit.add(old(tools + theirs));
  expect(now).toBe(`model = "x"\n\n[mcp_servers.relay]\ncommand = "relay"\nargs = ["mcp"]\n${STATE}${tools}${theirs}`);
  expect(edit.add(now)).toBe(now);
  // What is left of a server without a command would keep Codex from starting.
  expect(edit.remove(now as string)).toBe(`model = "x"\n${theirs}`);
  expect(edit.remove(old(theirs))).toBe(`model = "x"\n${theirs}`);
  // `codex mcp add` takes the first mark away, `codex mcp remove relay` the table.
  expect(edit.remove(old("").replace(/# relay: begin.*\n/, ""))).toBe('model = "x"\n');
  expect(edit.add('model = "x"\n# relay: end\n')).toBe(`model = "x"\n\n[mcp_servers.relay]\ncommand = "relay"\nargs = ["mcp"]\n${STATE}`);
  // Other variables are the user's to hand on.
  expect(edit.add('[mcp_servers.relay]\ncommand = "relay"\nargs = ["mcp"]\nenv_vars = ["LANG", "RELAY_PART"]')).toBe(
    '[mcp_servers.relay]\ncommand = "relay"\nargs = ["mcp"]\nenv_vars = ["LANG", "XDG_STATE_HOME"]\n',
  );
});

test("where Codex has no server's command, only what it remembers of its tools, the table is added", () => {
  const left = '[mcp_servers.relay.tools.ack]\napproval_mode = "approve"\n';
  const now = editOf("agent config.toml", ALLOW).add(left) as string;
  expect(parseToml(now)["mcp_servers"]).toEqual({
    relay: {
      command: "relay",
      args: ["mcp"],
      default_tools_approval_mode: "approve",
      env_vars: ["XDG_STATE_HOME"],
      tools: { ack: { approval_mode: "approve" } },
    },
  });
});

/** JSON as programs write it, with a sign in everything that is added later. */
const jsonText = (file: string): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.subarray([
        '"model": "x"',
        '"permissions": {\n    "allow": ["Bash(ls)"]\n  }',
        '"env": { }',
        '"mcpServers": {"a": {"command": "b"}}',
        '"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "echo"}]}]}',
      ]),
      fc.constantFrom(",\n  ", ", ", ","),
      fc.constantFrom("\n", ""),
    )
    .map(
      ([entries, between, end]) =>
        `${file.includes("gemini") ? "// mine\n" : ""}{${between.includes("\n") ? "\n  " : ""}${entries.join(between)}${end}}${end}`,
    );
/** Puts something in where the user's own stands: before a key of theirs, or behind a value. */
function inserted(text: string, name: string, isBefore: boolean): string {
  const place = /"(model|env|a|command": "echo)"/.exec(text);
  if (place === null) return text;
  const at = place.index;
  const isInner = place[1]?.startsWith("command") === true;
  if (isBefore || isInner) return `${text.slice(0, at)}"${name}": [1, {}],${text.slice(at)}`;
  return `${text.slice(0, at)}"${name}" :\t{"relay": "hook"} , ${text.slice(at)}`;
}

test.each(["worktree .mcp.json", "worktree .claude/settings.local.json", "agent hooks.json", "agent settings.json"])(
  "%s: what is put in beside the user's own stays to the byte, setups among it",
  (file) => {
    const isAllowed = !file.includes("settings.json");
    fc.assert(
      fc.property(jsonText(file), fc.array(fc.constantFrom("before", "behind", "setup", "allow"), { maxLength: 6 }), (text, all) => {
        let [now, plain] = [editOf(file).add(text) as string, text];
        for (const [at, change] of all.entries()) {
          if (change === "setup") now = editOf(file).add(now) as string;
          else if (change === "allow" && isAllowed) now = editOf(file, ALLOW).add(now) as string;
          else [now, plain] = [inserted(now, `n${at}`, change === "before"), inserted(plain, `n${at}`, change === "before")];
        }
        expect(editOf(file).add(now)).toBe(now);
        expect(editOf(file).remove(now)).toBe(plain);
      }),
      RUNS,
    );
  },
);

test("an entry in a file of the project is replaced whole: what else it has came with the code", () => {
  const server = editOf("worktree .mcp.json");
  const fresh = server.add(null) as string;
  const altered = fresh.replace('"command"', '"env": { "NODE_OPTIONS": "--require ./evil.cjs" },\n      "cwd": "tools",\n      "command"');
  expect(server.add(altered)).toBe(fresh);
  expect(server.add(fresh)).toBe(fresh);
});

test("the user's additions to Relay's entry in their own file stay through a setup, and a hook of theirs in its group through a removal", () => {
  const server = editOf("agent settings.json");
  const mine = (server.add(null) as string)
    .replace('"command"', '"timeout": 5000,\n      "command"')
    .replace('"mcp"', '"mcp", "--part", "x"');
  expect(server.add(mine)).toBe(mine.replace(/"mcp",[^\]]*/, '"mcp"\n      '));
  const hooks = editOf("agent hooks.json");
  const group = (hooks.add('{"a": 1}\n') as string).replace('"hooks": [', '"hooks": [ { "type": "command", "command": "mine" },');
  const again = hooks.add(group) as string;
  expect(again.match(/relay hook session-start/g)).toHaveLength(1);
  expect(JSON.parse(hooks.remove(again) as string)).toEqual({
    a: 1,
    hooks: { SessionStart: [{ hooks: [{ type: "command", command: "mine" }] }] },
  });
});

test.each(["AGENTS.md", "GEMINI.md"])("%s: lines above, below and between the markers stay", (file) => {
  const line = fc.constantFrom("# Rules", "", "- one", "## Relay", "text  ");
  const place = fc.tuple(fc.constantFrom("above", "below", "within", "setup"), line);
  fc.assert(
    fc.property(fc.array(line, { maxLength: 4 }), fc.boolean(), fc.array(place, { maxLength: 6 }), (lines, isEnded, all) => {
      const edit = editOf(`worktree ${file}`);
      const text = lines.join("\n") + (isEnded ? "\n" : "");
      let now = edit.add(text) as string;
      const [above, below, within]: string[][] = [[], [], []];
      for (const [where, words] of all) {
        if (where === "setup") continue;
        if (where === "above") {
          now = `${words}\n${now}`;
          above?.unshift(words);
        } else if (where === "below") {
          now = `${now}${words}\n`;
          below?.push(words);
        } else {
          now = now.replace("<!-- relay: end -->", `mine: ${words}\n<!-- relay: end -->`);
          within?.push(`mine: ${words}`);
        }
      }
      const joined = (all: string[] | undefined): string => (all ?? []).map((each) => `${each}\n`).join("");
      const behind = joined(within) + joined(below);
      const open = behind !== "" && text !== "" && !text.endsWith("\n") ? "\n" : "";
      expect(edit.remove(now)).toBe(joined(above) + text + open + behind);
      const again = edit.add(now) as string;
      expect(edit.add(again)).toBe(again);
      expect(edit.remove(again)).toBe(joined(above) + text + open + behind);
    }),
    RUNS,
  );
});
