/** What Relay costs a model, in the tokens of o200k, counted in what the agents really send. */
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { expect, test } from "vitest";
import { answered, looksAndAnswers } from "../models/scripts.ts";
import { type AgentName, callsOf, type Seen } from "../models/seen.ts";
import { connect } from "../rig/processes.ts";
import { repository } from "../rig/scratch.ts";
import { describeWith, Stage } from "./stage.ts";

const RUNS: [AgentName, string[]][] = [
  ["claude", ["-p", "--settings", '{"enableAllProjectMcpServers":true}']],
  ["codex", ["exec", "--dangerously-bypass-hook-trust"]],
  ["gemini", ["-p"]],
];

/** As a pager types it, without the name of the wake. */
const WOKEN = "Relay: 1 unread message for web. Read now: relay next, or the next tool.";

const tokens = (value: unknown): number => encode(typeof value === "string" ? value : JSON.stringify(value)).length;

/** What of a tool comes from Relay: its name as the server has it, and not what the agent adds to it. */
function shown({ tools }: Seen): unknown[] {
  return tools
    .filter(({ server }) => server === "relay")
    .map(({ name, wire }) => {
      const { description, ...rest } = wire as Record<string, unknown>;
      const schema = structuredClone(rest["input_schema"] ?? rest["parameters"] ?? rest["parametersJsonSchema"]) as { properties?: object };
      // Gemini CLI's own.
      delete (schema.properties as Record<string, unknown> | undefined)?.["wait_for_previous"];
      return { name, description, schema };
    });
}

for (const [agent, args] of RUNS) {
  describeWith(agent)(`the cost of Relay for the model of ${agent}`, () => {
    /** A model that was told of one short question, and answered it. */
    async function asked(): Promise<{ stage: Stage; web: string }> {
      const stage = await Stage.open();
      const web = repository();
      await stage.relay(web, "init", "web", "api");
      await stage.relay(web, "setup", agent, "--part", "web", "--allow", "--yes");
      stage.trustFolder(web);
      await stage.relay(web, "send", "web", "The price", "Which field holds the price?", "--part", "api");
      stage.models.play(looksAndAnswers("It is amount, in cents."));
      await stage.run(web, agent, ...args, WOKEN);
      return { stage, web };
    }

    test("at most 1,000 tokens of tools and 200 of instructions before it says a word", async () => {
      const { stage, web } = await asked();
      const seen = stage.models.turns[0]?.seen as Seen;
      const tools = shown(seen);
      const server = await connect(web, { args: ["--tools", "room"], env: stage.env });
      const instructions = server.client.getInstructions() as string;
      await server.close();
      console.log(`tokens at the model of ${agent}: ${tokens(tools)} of tools, ${tokens(instructions)} of instructions`);
      expect(tools.length).toBeGreaterThan(8);
      expect(tokens(tools)).toBeLessThanOrEqual(1_000);
      expect([seen.system, ...seen.texts].join("\n")).toContain(instructions);
      expect(tokens(instructions)).toBeLessThanOrEqual(200);
    });

    test("at most 200 tokens and two calls for a short message: wake, look, answer and ack", async () => {
      const { stage, web } = await asked();
      const calls = stage.models.turns.flatMap(({ answer }) => callsOf(answer));
      const results = stage.models.turns.flatMap(({ seen }) => seen.results.map((text) => JSON.stringify(answered(text) ?? text)));
      const cycle = [WOKEN, ...calls.map(({ tool, args: given }) => tool + JSON.stringify(given ?? {})), ...results].join("\n");
      console.log(`tokens at the model of ${agent}: ${tokens(cycle)} of a cycle`);
      expect(calls.map(({ tool }) => tool)).toEqual(["next", "reply"]);
      expect((await stage.relay(web, "inbox", "--part", "web")).messages).toEqual([]);
      expect(tokens(cycle)).toBeLessThanOrEqual(200);
    });
  });
}
