/** Pools and teams as agents of the relay plugin write them: who there is, what each is told, and what is passed on. */
import { expect } from "vitest";
import type { Answer } from "../../rig/clones.ts";
import { type Case, differs, play, type Scene } from "../stage.ts";

/** An agent of a file: what it has beside a name, a sign, tools and a prompt, or instead of them. */
const agent = (id: string, more: Record<string, unknown> = {}): string =>
  `  ${JSON.stringify(id)}: ${JSON.stringify({ name: `The ${id}`, emoji: "*", tools: ["send_message"], systemPrompt: `You are a ${id}.`, ...more })}\n`;
const only = (id: string, what: Record<string, unknown>): string => `  ${JSON.stringify(id)}: ${JSON.stringify(what)}\n`;
const file = (agents: string, more = ""): string => `${more}agents:\n${agents}`;

/** A team of a text, by id, with what is wrong with it. */
const team = async ({ write, ok, session }: Scene, text: string): Promise<{ agents: Record<string, Answer>; problems: string[] }> => {
  write("team", text);
  const { agents, problems = [] } = await ok("orchestrator", "list_agents", { session_id: session });
  return {
    agents: Object.fromEntries(agents.map((each: Answer) => [each.id, each])),
    problems: problems.map(({ problem }: Answer) => problem),
  };
};
const pool = async ({ write, ok }: Scene, text: string): Promise<Record<string, Answer>> => {
  write("pool", text);
  return Object.fromEntries((await ok("orchestrator", "list_pool_agents")).agents.map((each: Answer) => [each.id, each]));
};
/** A file of one good agent and one that is not: the good one is there all the same, and the other is among the problems. */
const reported =
  (bad: string, words: string | RegExp): Case =>
  async (scene) => {
    const { agents, problems } = await team(scene, file(agent("good") + bad));
    expect(Object.keys(agents)).toEqual(["good"]);
    expect(problems).toEqual([expect.stringMatching(words)]);
  };

play({
  "an agent of a team has its name, sign, tools and prompt": async (scene) => {
    const { agents, problems } = await team(scene, file(agent("scout", { tools: ["send_message", "get_messages"] })));
    expect(agents["scout"]).toMatchObject({ name: "The scout", emoji: "*", tools: ["send_message", "get_messages"] });
    expect(agents["scout"].systemPrompt).toBe("You are a scout.");
    expect(problems).toEqual([]);
  },
  "an agent takes from another of its file what it leaves out": async (scene) => {
    const { agents } = await team(scene, file(agent("scout") + only("second", { extends: "scout", name: "Second" })));
    expect(agents["second"]).toMatchObject({ name: "Second", emoji: "*", systemPrompt: "You are a scout.", basePersonaId: "scout" });
  },
  "an agent takes from the pool what it leaves out": async (scene) => {
    await pool(scene, file(agent("scout")));
    const { agents } = await team(scene, file(only("second", { extends: "scout", name: "Second" })));
    expect(agents["second"]).toMatchObject({ name: "Second", emoji: "*", systemPrompt: "You are a scout." });
  },
  "an agent of the pool is in a team by its id alone": async (scene) => {
    await pool(scene, file(agent("scout")));
    expect((await team(scene, file("  scout: {}\n"))).agents["scout"]).toMatchObject({ name: "The scout" });
  },
  "an agent that extends its own id means the pool's": async (scene) => {
    await pool(scene, file(agent("scout")));
    const { agents } = await team(scene, file(only("scout", { extends: "scout", name: "Ours" })));
    expect(agents["scout"]).toMatchObject({ name: "Ours", systemPrompt: "You are a scout." });
  },
  "its own file goes before the pool": async (scene) => {
    await pool(scene, file(agent("scout", { emoji: "p" })));
    const { agents } = await team(scene, file(agent("scout", { emoji: "t" }) + only("second", { extends: "scout" })));
    expect(agents["second"]).toMatchObject({ emoji: "t" });
  },
  "an agent that is disabled is not in the team": async (scene) => {
    const { agents } = await team(scene, file(agent("scout") + agent("idle", { disabled: true })));
    expect(Object.keys(agents)).toEqual(["scout"]);
  },
  "an agent that is disabled can be extended": differs("the prompt of a clone", async (scene) => {
    const { agents } = await team(scene, file(agent("base", { disabled: true }) + only("second", { extends: "base" })));
    expect(Object.keys(agents)).toEqual(["second"]);
  }),
  "an agent that lacks what it must have is reported, with what": differs(
    "an agent that is broken",
    reported(only("half", { name: "Half" }), /"half".*emoji, tools, systemPrompt/),
  ),
  "an agent that extends one that is not there is reported, with those that there are": differs(
    "an agent that is broken",
    reported(only("ghost", { extends: "nobody" }), /"ghost".*"nobody".*good/),
  ),
  "an agent that extends itself through another is reported": differs("an agent that is broken", async (scene) => {
    const { problems } = await team(scene, file(only("a", { extends: "b" }) + only("b", { extends: "a" })));
    expect(problems.join()).toContain("circle");
  }),
  "an id with a blank is reported": differs("an agent that is broken", reported(agent("bad id"), /"bad id" is not an agent id/)),
  "an id that leads out of the folder is reported": differs(
    "an agent that is broken",
    reported(agent("../up"), /"..\/up" is not an agent id/),
  ),
  "an id with a blank that extends another is reported": differs(
    "an agent that is broken",
    reported(only("bad id", { extends: "good" }), /"bad id" is not an agent id/),
  ),
  "an id with a slash is an id": differs("ids with a slash", async (scene) => {
    expect(Object.keys((await team(scene, file(agent("atlas/scout")))).agents)).toEqual(["atlas/scout"]);
  }),
  "a tool that there is none of is reported, and its agent is there": differs("an unknown tool", async (scene) => {
    const { agents, problems } = await team(scene, file(agent("scout", { tools: ["send_message", "fly_away", "dig"] })));
    expect(Object.keys(agents)).toEqual(["scout"]);
    expect(problems).toEqual([expect.stringMatching(/fly_away, dig/)]);
  }),
  "an agent may have no tools": async (scene) =>
    expect((await team(scene, file(agent("quiet", { tools: [] })))).agents["quiet"]).toMatchObject({ tools: [] }),
  "tools of another program are not reported": async (scene) =>
    expect((await team(scene, file(agent("scout", { tools: ["Read", "mcp__other__tool"] })))).problems).toEqual([]),
  "keys with nothing behind them say nothing, in any place": async (scene) => {
    const nothing = { description: "", language: "", extends: "", validate_prompt: "", review_checklist: null, tags: null, hooks: null };
    const { agents, problems } = await team(scene, file(agent("scout", nothing), "language:\nreview_checklist: ''\nshared_blocks:\n"));
    expect(problems).toEqual([]);
    expect(agents["scout"]).toMatchObject({ name: "The scout", description: "", systemPrompt: "You are a scout." });
    expect(agents["scout"]).not.toHaveProperty("language");
  },
  "an empty prompt of one that extends another is the other's": async (scene) => {
    const { agents } = await team(scene, file(agent("scout") + only("second", { extends: "scout", systemPrompt: "", name: "" })));
    expect(agents["second"]).toMatchObject({ name: "The scout", systemPrompt: "You are a scout." });
  },
  "an empty prompt alone is none": differs(
    "an agent that is broken",
    reported(agent("mute", { systemPrompt: "" }), /"mute".*systemPrompt/),
  ),

  "an agent may have a language of its own": async (scene) => {
    const { agents } = await team(scene, file(agent("scout", { language: "Korean" }) + agent("guide")));
    expect(agents["scout"]).toMatchObject({ language: "Korean" });
    expect(agents["guide"]).not.toHaveProperty("language");
  },
  "the language of a file is that of all its agents": async (scene) => {
    const { agents } = await team(scene, file(agent("scout") + agent("guide"), "language: English\n"));
    for (const id of ["scout", "guide"]) expect(agents[id]).toMatchObject({ language: "English" });
  },
  "an agent's language goes before that of its file": async (scene) => {
    const { agents } = await team(scene, file(agent("scout", { language: "Korean" }) + agent("guide"), "language: English\n"));
    expect([agents["scout"].language, agents["guide"].language]).toEqual(["Korean", "English"]);
  },
  "the pool's language is that of agents from the pool": async (scene) => {
    await pool(scene, file(agent("scout"), "language: Korean\n"));
    expect((await team(scene, file("  scout: {}\n"))).agents["scout"]).toMatchObject({ language: "Korean" });
  },
  "the team's language goes before the pool's": async (scene) => {
    await pool(scene, file(agent("scout"), "language: Korean\n"));
    expect((await team(scene, file("  scout: {}\n", "language: English\n"))).agents["scout"]).toMatchObject({ language: "English" });
  },
  "an agent that extends another has its language": async (scene) => {
    const { agents } = await team(scene, file(agent("scout", { language: "Korean" }) + only("second", { extends: "scout" })));
    expect(agents["second"]).toMatchObject({ language: "Korean" });
  },
  "an agent is told its language before anything else": async (scene) => {
    const { agents } = await team(scene, file(agent("scout", { language: "Korean" })));
    expect(agents["scout"].systemPrompt).toBe("## Language\nYou MUST respond in Korean.\n\nYou are a scout.");
  },
  "without a language nothing is said of one": async (scene) =>
    expect((await team(scene, file(agent("scout")))).agents["scout"].systemPrompt).not.toContain("Language"),

  "the pool lists its agents, with tags and without prompts": async (scene) => {
    const agents = await pool(scene, file(agent("scout", { tags: ["field", "map"] }) + agent("guide")));
    expect(Object.keys(agents)).toEqual(["scout", "guide"]);
    expect(agents["scout"]).toMatchObject({ name: "The scout", tags: ["field", "map"] });
    expect(agents["scout"]).not.toHaveProperty("systemPrompt");
  },
  "an agent without tags has none": async (scene) => expect((await pool(scene, file(agent("scout"))))["scout"]).toMatchObject({ tags: [] }),
  "an agent of the pool that is disabled is not listed": async (scene) =>
    expect(Object.keys(await pool(scene, file(agent("scout") + agent("idle", { disabled: true }))))).toEqual(["scout"]),
  "an agent of the pool may extend another of the pool": async (scene) => {
    const agents = await pool(scene, file(agent("scout", { tags: ["map"] }) + only("second", { extends: "scout", tags: ["map", "old"] })));
    expect(agents["second"]).toMatchObject({ emoji: "*", tags: ["map", "old"] });
  },
  "an agent of the pool needs no certain headings in its prompt": differs("a prompt of the pool without certain headings", async (scene) =>
    expect(Object.keys(await pool(scene, file(agent("scout", { systemPrompt: "Draw." }))))).toEqual(["scout"]),
  ),
  "without a pool it is said how to make one": ({ no }) => no("orchestrator", "list_pool_agents", {}, "no_pool", "agents.pool.yml"),
  "a pool that changed is read anew": async (scene) => {
    await pool(scene, file(agent("scout")));
    expect(Object.keys(await pool(scene, file(agent("guide"))))).toEqual(["guide"]);
  },

  "a block of the file stands where its name stands in braces, with the agent's id": async (scene) => {
    const blocks = { rules: 'Say agent_id "{agent_id}".' };
    const { agents } = await team(
      scene,
      file(agent("scout", { systemPrompt: "Look.\n{{rules}}" }), `shared_blocks: ${JSON.stringify(blocks)}\n`),
    );
    expect(agents["scout"].systemPrompt).toBe('Look.\nSay agent_id "scout".');
  },
  "a prompt of its own has the blocks with its own id": async (scene) => {
    const text = file(
      agent("scout", { systemPrompt: "{{core}}" }) + only("second", { extends: "scout", systemPrompt: "Mine: {{core}}" }),
      'shared_blocks: { core: "for {agent_id}" }\n',
    );
    const { agents } = await team(scene, text);
    expect([agents["scout"].systemPrompt, agents["second"].systemPrompt]).toEqual(["for scout", "Mine: for second"]);
  },
  "a prompt that is taken from another has one's own id": differs("the prompt of a clone", async (scene) => {
    const { agents } = await team(
      scene,
      file(
        agent("scout", { systemPrompt: "{{core}}" }) + only("second", { extends: "scout" }),
        'shared_blocks: { core: "for {agent_id}" }\n',
      ),
    );
    expect(agents["second"].systemPrompt).toBe("for second");
  }),
  "a block of the pool stands in a prompt of the pool": async (scene) => {
    await pool(scene, file(agent("scout", { systemPrompt: "{{core}}" }), 'shared_blocks: { core: "of the pool" }\n'));
    expect((await team(scene, file("  scout: {}\n"))).agents["scout"].systemPrompt).toBe("of the pool");
  },
  "braces around what is no block are text": differs("braces that name no block", async (scene) => {
    const systemPrompt = `{{nothing}} and \${{ github.sha }}`;
    expect((await team(scene, file(agent("scout", { systemPrompt })))).agents["scout"].systemPrompt).toBe(systemPrompt);
  }),
  "blocks and checklists go together through what extends": async (scene) => {
    const head = 'shared_blocks: { rules: "id {agent_id}" }\nreview_checklist: "of all"\n';
    const { agents } = await team(
      scene,
      file(agent("scout", { systemPrompt: "{{rules}}", review_checklist: "of scouts" }) + only("second", { extends: "scout" }), head),
    );
    expect(agents["scout"]).toMatchObject({ systemPrompt: "id scout", review_checklist: "of scouts" });
    expect(agents["second"]).toMatchObject({ review_checklist: "of scouts" });
  },
  "a file without blocks has prompts as they are": async (scene) =>
    expect((await team(scene, file(agent("scout")))).agents["scout"].systemPrompt).toBe("You are a scout."),

  "a checklist of the file is that of all its agents": async (scene) => {
    const { agents } = await team(scene, file(agent("scout") + agent("guide"), 'review_checklist: "- [ ] north is up"\n'));
    for (const id of ["scout", "guide"]) expect(agents[id]).toMatchObject({ review_checklist: "- [ ] north is up" });
  },
  "an agent's checklist goes before that of its file": async (scene) => {
    const { agents } = await team(scene, file(agent("scout", { review_checklist: "own" }) + agent("guide"), "review_checklist: of all\n"));
    expect([agents["scout"].review_checklist, agents["guide"].review_checklist]).toEqual(["own", "of all"]);
  },
  "without a checklist there is none": async (scene) =>
    expect((await team(scene, file(agent("scout")))).agents["scout"]).not.toHaveProperty("review_checklist"),
  "who extends another has the checklist of the file": async (scene) => {
    const { agents } = await team(scene, file(agent("scout") + only("second", { extends: "scout" }), "review_checklist: of all\n"));
    expect(agents["second"]).toMatchObject({ review_checklist: "of all" });
  },
  "who extends another has its checklist before that of the file": async (scene) => {
    const { agents } = await team(
      scene,
      file(agent("scout", { review_checklist: "own" }) + only("second", { extends: "scout" }), "review_checklist: of all\n"),
    );
    expect(agents["second"]).toMatchObject({ review_checklist: "own" });
  },
  "who extends another may have a checklist of its own": async (scene) => {
    const { agents } = await team(
      scene,
      file(agent("scout", { review_checklist: "own" }) + only("second", { extends: "scout", review_checklist: "mine" })),
    );
    expect([agents["scout"].review_checklist, agents["second"].review_checklist]).toEqual(["own", "mine"]);
  },

  "the team of a session that can be none is refused": ({ no }) => no("lead", "list_agents", { session_id: "../up" }, "bad_session"),
  "the team of a session with blanks in its id is refused": ({ no }) => no("lead", "list_agents", { session_id: "a b" }, "bad_session"),
  "the team of a session with a slash in its id is refused": ({ no }) => no("lead", "list_agents", { session_id: "a/b" }, "bad_session"),
  "the team of a session of dots is refused": ({ no }) => no("lead", "list_agents", { session_id: ".." }, "bad_session"),
  "the team of a session that has none is refused, with the path of its file": ({ no }) =>
    no("lead", "list_agents", { session_id: "teamless" }, "no_team", "session-agents-teamless.yml"),
  "without a session the team is that of the current one": async ({ ok }) =>
    expect((await ok("lead", "list_agents")).agents).toHaveLength(6),
  "where the current session has no team the list is empty": async ({ ok }) => {
    await ok("lead", "start_session");
    expect((await ok("lead", "list_agents")).agents).toEqual([]);
  },
  "the same team is answered twice alike": async ({ ok }) =>
    expect(await ok("lead", "list_agents")).toEqual(await ok("lead", "list_agents")),
  "a team that changed is read anew": async (scene) => {
    await team(scene, file(agent("scout")));
    expect(Object.keys((await team(scene, file(agent("guide")))).agents)).toEqual(["guide"]);
  },
  "a file that is no YAML is refused with its line, where none was read before": async ({ write, no, session }) => {
    write({ session: `${session}-new` }, "agents:\n  scout: {\n");
    await no("lead", "list_agents", { session_id: `${session}-new` }, "malformed_file", "session-agents-");
  },
  "each session has its own team": async (scene) => {
    const session_id = await scene.other("b");
    await team(scene, file(agent("scout")));
    expect((await scene.ok("lead", "list_agents", { session_id })).agents).toHaveLength(6);
  },
});
