/** What the tools cost a model before it says a word: tokens of what a client passes on of them, and of the instructions. */
import { emptyHome } from "./homes.mjs";
import { row } from "./measure.mjs";
import { startServer } from "./server.mjs";

const TOKENIZER = "gpt-tokenizer/encoding/o200k_base";
/** What is served, to whom, and what it may cost. */
const SERVED = [
  ["`room`, part known", ["--part", "web", "--tools", "room"], 1_000],
  ["`room`, part unknown", ["--tools", "room"], 1_000],
  ["both groups, part known", ["--part", "web"], 3_000],
  ["both groups, part unknown", [], 3_000],
  ["`room` and `plugin`", ["--tools", "room,plugin"], null],
];
const INSTRUCTIONS = 200;

/** Counts tokens of each list, and of its instructions, as o200k has them. */
export async function measureTokens() {
  const { encode } = await import(TOKENIZER);
  const count = (value) => encode(typeof value === "string" ? value : JSON.stringify(value)).length;
  const rows = [];
  for (const [what, args, most] of SERVED) {
    const server = await startServer(emptyHome("web", "api"), { args });
    const tools = await server.list();
    const cost = tools.reduce((sum, { name, description, inputSchema }) => sum + count({ name, description, inputSchema }), 0);
    rows.push(counted(`tools of ${what}`, cost, most), counted(`instructions for ${what}`, count(server.instructions), INSTRUCTIONS));
    await server.close();
  }
  return rows;
}

function counted(what, tokens, most) {
  return row(what, tokens, { unit: "tokens", bars: most === null ? {} : { most } });
}
