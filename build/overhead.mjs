/** What Relay adds to the context of an agent's session, counted in what the built command really says. */
import { readFileSync, writeFileSync } from "node:fs";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { call, GREETING, inHome } from "./usual-starts.mjs";

/** The sets of tool groups that agents are served, and what serves them. */
const SERVED = [
  ["room", "relay setup"],
  ["room,board", "relay setup --board"],
  ["room,plugin", "the plugin for Claude Code"],
  ["team", "a position of an office"],
];
const LIST = [call(1, "initialize", GREETING), call(2, "tools/list", {})].join("");

const count = (value) => encode(typeof value === "string" ? value : JSON.stringify(value)).length;

/**
 * Writes the table that `relay stats` shows, in tokens. `protocol/home/usage/overhead.ts` reads it.
 * @param relay the file that starts the command
 */
export async function writeOverhead(relay, file) {
  await inHome(relay, async (run, start) => {
    const served = await Promise.all(SERVED.map(([groups, by]) => countServed(start, groups, by)));
    const said = (moment) => {
      const { additionalContext } = JSON.parse(run("web", ["hook", moment, "--agent", "claude"], "{}")).hookSpecificOutput;
      // A message has another name each time: without it two builds would count differently.
      return count(additionalContext.replace(/^- \S+/m, "- k3f9x2ab-1"));
    };
    const sessionStart = said("session-start");
    run("api", ["send", "web", "The price", "Which field holds the price?", "--json"]);
    const lines = count(readFileSync("templates/agent-block.md", "utf8"));
    writeFileSync(file, JSON.stringify({ tokenizer: "o200k_base", served, lines, sessionStart, nudge: said("prompt") }));
  });
}

/** What a server lists, as clients pass it on to their model, and its instructions. */
async function countServed(start, groups, by) {
  const answers = (await start("web", ["mcp", "--tools", groups], LIST))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const { tools } = answers.find(({ id }) => id === 2).result;
  const toolTokens = tools.reduce((sum, { name, description, inputSchema }) => sum + count({ name, description, inputSchema }), 0);
  return { groups, by, tools: tools.length, toolTokens, instructions: count(answers.find(({ id }) => id === 1).result.instructions) };
}
