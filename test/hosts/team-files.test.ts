import fs from "node:fs";
import { expect, test } from "vitest";
import { promptToStart, type ResolvedAgent, resolveTeam, withKnownTools } from "../../protocol/agents/nouns/agent.ts";
import { suggest } from "../../protocol/agents/nouns/suggest-agents.ts";
import { formatTeam, parseTeam } from "../../protocol/agents/nouns/team.ts";
import { sessionOfTeam, teamPath } from "../../protocol/board/nouns/session.ts";
import { FileError } from "../../protocol/core/format/file-error.ts";
import { operationList } from "../../protocol/index.ts";
import { fc } from "../rig/properties.ts";

const base = (id: string, more = ""): string =>
  `  ${id}:\n    name: N-${id}\n    emoji: "*"\n    tools: [inbox]\n    systemPrompt: "I am {agent_id}"\n${more}`;
const pool = (text: string) => parseTeam(text, "agents.pool.yml");
const team = (text: string) => parseTeam(text, "session-agents-s.yml");
const one = (id: string, source: string, over?: string): ResolvedAgent | undefined =>
  (over === undefined ? resolveTeam(pool(source), null) : resolveTeam(team(over), pool(source))).agents.find((agent) => agent.id === id);

test("a path names its session, and the session its path", () => {
  expect(sessionOfTeam(teamPath("2026-01-31-001-K3F9"))).toBe("2026-01-31-001-K3F9");
  for (const other of ["agents.pool.yml", "session-agents-.yml", "session-agents-a b.yml", "x/session-agents-a.yml"])
    expect(sessionOfTeam(other)).toBeNull();
});

test("blocks are put in, and every prompt has its agent's own id, clones too", () => {
  const source = `shared_blocks:\n  who: "You are {agent_id}, not {{who}}."\nagents:\n  web:\n    name: Web\n    emoji: W\n    tools: []\n    systemPrompt: "{{who}} {agent_id} {{ who }} \${{ github.ref }}"\n  web-2: { extends: web }\n`;
  const told = (id: string): string => `You are ${id}, not {{who}}. ${id} You are ${id}, not {{who}}. \${{ github.ref }}`;
  expect(one("web", source)?.systemPrompt).toBe(told("web"));
  expect(one("web-2", source)).toMatchObject({ systemPrompt: told("web-2"), basePersonaId: "web", name: "Web" });
});

test("a clone inherits what it leaves out; hooks: false takes inherited ones away", () => {
  const more =
    "    language: de\n    review_checklist: list\n    validate_prompt: run it\n    hooks: { before_task: lint, after_task: [a, b] }\n";
  const source = `language: en\nagents:\n${base("web", more)}  two: { extends: web, name: Two }\n  three: { extends: two, hooks: false }\n  four: { extends: web, language: fr, hooks: { after_task: c } }\n${base("plain")}`;
  const hooks = { before_task: ["lint"], after_task: ["a", "b"] };
  expect(one("two", source)).toMatchObject({
    name: "Two",
    language: "de",
    reviewChecklist: "list",
    validatePrompt: "run it",
    tools: ["inbox"],
    hooks,
  });
  expect(one("three", source)).toMatchObject({ name: "Two", hooks: { before_task: [], after_task: [] }, basePersonaId: "two" });
  expect(one("four", source)).toMatchObject({ language: "fr", hooks: { before_task: ["lint"], after_task: ["c"] } });
  expect(one("plain", source)?.language).toBe("en");
  expect(one("plain", source.replace("language: en", "language: '  '"))?.language).toBeUndefined();
  expect(promptToStart({ language: "de", systemPrompt: "## Language\nSay du." })).toBe("## Language\nSay du.");
});

test("a team takes from the pool what it leaves out, and is a file of its own for the rest", () => {
  const source = `language: en\nshared_blocks: { b: of the pool }\nagents:\n${base("web", "    description: D\n")}${base("off", "    disabled: true\n")}`;
  const over = `language: de\nshared_blocks: { c: "of {agent_id}" }\nagents:\n  web:\n  api: { extends: web, systemPrompt: "{{b}} {{c}}" }\n  again: { extends: off }\n  off: { disabled: true }\n`;
  expect(resolveTeam(team(over), pool(source)).agents.map(({ id }) => id)).toEqual(["web", "api", "again"]);
  expect(one("web", source, over)).toMatchObject({ systemPrompt: "I am web", description: "D", language: "de" });
  expect(one("web", source, over)).not.toHaveProperty("basePersonaId");
  expect(one("api", source, over)).toMatchObject({ systemPrompt: "of the pool of api", name: "N-web" });
  expect(one("again", source, over)).toMatchObject({ systemPrompt: "I am again" });
  expect(one("web", source, "agents:\n  web: { extends: web, name: Mine }\n")).toMatchObject({ name: "Mine", basePersonaId: "web" });
});

test("braces that name no block are text, and an empty language is not set", () => {
  const source = `language: en\n${"agents:"}\n${base("web")}  api: { extends: web, language: "", systemPrompt: "{{message}} \${{ github.sha }}" }\n`;
  expect(one("api", source)).toMatchObject({ systemPrompt: `{{message}} \${{ github.sha }}`, language: "en" });
  expect(resolveTeam(pool(source.replace("language: en", 'language: ""')), null)).toMatchObject({ problems: [] });
  expect(one("api", source.replace("language: en", 'language: ""'))?.language).toBeUndefined();
});

test("one bad agent hides no other, and is named with its line", () => {
  const source = `agents:
${base("good")}  Good: {}
  a: { extends: b }
  b: { extends: a }
  self: { extends: self }
  lost: { extends: nowhere }
  bare: { name: B }
  "../x": {}
  human: {}
  typed: { extends: good, tools: inbox }
  heir: { extends: typed }
  hidden: { extends: good, hooks: { before_task: "true \\u202e rm" } }
`;
  const { agents, problems } = resolveTeam(pool(source), null);
  expect(agents.map(({ id }) => id)).toEqual(["good"]);
  const lineOf = (text: string): number => source.slice(0, source.indexOf(text)).split("\n").length;
  const expected: Record<string, [line: string, says: RegExp]> = {
    Good: ["  Good:", /"good" and "Good" differ only in case/],
    a: ["  a:", /circle: a → b → a/],
    b: ["  b:", /circle: b → a → b/],
    self: ["  self:", /circle: self → self/],
    lost: ["  lost:", /"nowhere", which does not exist; known agents: good/],
    bare: ["  bare:", /lacks emoji, tools, systemPrompt/],
    "../x": ['  "../x"', /not an agent id/],
    human: ["  human:", /stands for people/],
    typed: ["  typed:", /tools is not as expected/],
    heir: ["  heir:", /"typed" in agents.pool.yml, is broken/],
    hidden: ["  hidden:", /hooks.before_task is not as expected .a command without hidden characters/],
  };
  expect(problems.map(({ agent }) => agent).sort()).toEqual(Object.keys(expected).sort());
  for (const { agent, line, problem, path } of problems) {
    expect(problem).toMatch((expected[agent] as [string, RegExp])[1]);
    expect([path, line]).toEqual(["agents.pool.yml", lineOf((expected[agent] as [string, RegExp])[0])]);
  }
});

test.each([
  ["agents: [", 1, /./],
  ["a: 1\nagents: [x]\n", 2, /map "agents"/],
  ["", 1, /map "agents"/],
  ["- a", 1, /map "agents"/],
  ["agents:\n", 1, /map "agents"/],
  ["x: &a 1\nagents:\n  web: *a\n", 3, /aliases/],
  ["agents:\n  __proto__: {}\n", 2, /refused/],
  ["agents:\n  web: {}\n  web: {}\n", 3, /unique/i],
  ["agents:\n  web: !!js/function 'x'\n", 2, /./],
  ["agents: {}\nshared_blocks:\n  a: [1]\n", 3, /shared_blocks.a/],
  [`agents: ${"[".repeat(200_000)}`, 1, /./],
])("a file that is not a pool of agents is one error with its line: $2", (source, line, says) => {
  const fault = (() => {
    try {
      return parseTeam(source, "p");
    } catch (error) {
      return error;
    }
  })();
  expect(fault).toBeInstanceOf(FileError);
  expect(fault).toMatchObject({ line, message: expect.stringMatching(says) });
});

test("fields of a later version are not a mistake", () => {
  expect(resolveTeam(pool(`future: { a: 1 }\nagents:\n${base("web", "    colour: red\n")}`), null)).toMatchObject({
    agents: [{ id: "web" }],
    problems: [],
  });
});

test("however agents extend each other, each is resolved with its own id, or is one problem", () => {
  const ids = ["a", "b", "c", "d", "e"];
  const entry = fc.record({ extends: fc.option(fc.constantFrom(...ids, "x")), prompt: fc.boolean(), disabled: fc.boolean() });
  const file = fc.tuple(...ids.map(() => fc.option(entry)));
  type Drawn = { extends: string | null; prompt: boolean; disabled: boolean } | null;
  const written = (drawn: readonly Drawn[]): string =>
    `agents:\n  zero: { disabled: true }\n${drawn
      .map((each, at) => {
        if (each === null) return "";
        const own = each.prompt ? { name: "n", emoji: "e", tools: [], systemPrompt: `by ${ids[at]} for {agent_id}` } : {};
        return `  ${ids[at]}: ${JSON.stringify({ ...own, disabled: each.disabled, ...(each.extends === null ? {} : { extends: each.extends }) })}\n`;
      })
      .join("")}`;
  fc.assert(
    fc.property(file, file, (ofTeam, ofPool) => {
      const [mine, shared] = [team(written(ofTeam)), pool(written(ofPool))];
      const { agents, problems } = resolveTeam(mine, shared);
      const active = ids.filter((_id, at) => ofTeam[at] !== null && ofTeam[at]?.disabled === false);
      expect([...agents.map(({ id }) => id), ...problems.map(({ agent }) => agent)].sort()).toEqual(active);
      for (const { id, systemPrompt } of agents) {
        expect(systemPrompt).toMatch(new RegExp(`^by [a-e] for ${id}$`));
        if (ofTeam[ids.indexOf(id)]?.prompt === true) expect(systemPrompt).toBe(`by ${id} for ${id}`);
      }
    }),
  );
});

test("a team file that Relay writes is read back as the pool's agents", () => {
  const source = `agents:\n${base("web")}${base("shop/api")}${base("1984")}`;
  const { agents, problems } = resolveTeam(team(formatTeam("s", ["shop/api", "1984"])), pool(source));
  expect(problems).toEqual([]);
  expect(agents.map(({ id }) => id).sort()).toEqual(["1984", "shop/api"]);
});

const TOOLS: string[] = operationList.flatMap(({ tool }) => tool?.name ?? []);

test("the pool that Relay makes has twelve roles, each with a prompt that has its own id", () => {
  const { agents, problems } = withKnownTools(
    resolveTeam(parseTeam(fs.readFileSync("templates/agents.pool.yml", "utf8"), "agents.pool.yml"), null),
    TOOLS,
  );
  expect(problems).toEqual([]);
  expect(agents).toHaveLength(12);
  for (const { id, systemPrompt, tags, description } of agents) {
    for (const section of [`You are "${id}"`, "### On Each Spawn", "### Declaring End", "## Rules"])
      expect(systemPrompt).toContain(section);
    expect(tags.length).toBeGreaterThan(0);
    expect(description).not.toBe("");
    for (const [, tool] of systemPrompt.matchAll(/\b([a-z]+_[a-z_]+)\b/g))
      if (tool !== "agent_id") expect(TOOLS, `${id}: ${tool}`).toContain(tool);
  }
  const ids = (task: string): string[] => suggest(task, agents).map(({ id }) => id);
  expect(ids("an API endpoint for prices, with tests")).toEqual(expect.arrayContaining(["backend", "tests", "reviewer"]));
  expect(ids("Fix the layout of the React page")).toEqual(expect.arrayContaining(["frontend", "designer", "reviewer"]));
  expect(ids("qqq")).toEqual(["reviewer"]);
  expect(suggest("x", [])).toEqual([]);
});

test("an agent with an unknown tool is listed, and named; a client's own tools are its own affair", () => {
  const source = `agents:\n${base("web", "").replace("[inbox]", "[inbox, Read, mcp__x__y]")}${base("api", "").replace("[inbox]", "[inbxo]")}`;
  const found = withKnownTools(resolveTeam(pool(source), null), ["inbox"]);
  expect(found.agents.map(({ id }) => id)).toEqual(["web", "api"]);
  expect(found.problems).toMatchObject([
    { agent: "api", line: 7, problem: expect.stringContaining("unknown tools: inbxo; known tools: inbox") },
  ]);
});
