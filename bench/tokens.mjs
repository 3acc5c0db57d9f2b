/** What the tools cost a model before it says a word: tokens of what a client passes on of them, and of the instructions. */
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { emptyHome } from "./rig/homes.mjs";
import { row } from "./rig/measure.mjs";
import { startServer } from "./rig/server.mjs";

/** What is served, to whom, and what it may cost. */
const SERVED = [
  ["`room`, part known", ["--part", "web", "--tools", "room"], 1_000],
  ["`room`, part unknown", ["--tools", "room"], 1_000],
  ["both groups, part known", ["--part", "web"], 1_800],
  ["both groups, part unknown", [], 2_100],
  ["`room` and `plugin`", ["--tools", "room,plugin"], null],
];
const INSTRUCTIONS = 200;
const CYCLE = 173;

/** Counts tokens of each list, and of its instructions, as o200k has them. */
export async function measureTokens() {
  const count = (value) => encode(typeof value === "string" ? value : JSON.stringify(value)).length;
  const rows = [];
  for (const [what, args, most] of SERVED) {
    const server = await startServer(emptyHome("web", "api"), { args });
    const tools = await server.list();
    const cost = tools.reduce((sum, { name, description, inputSchema }) => sum + count({ name, description, inputSchema }), 0);
    rows.push(counted(`tools of ${what}`, cost, most), counted(`instructions for ${what}`, count(server.instructions), INSTRUCTIONS));
    await server.close();
  }
  rows.push(counted("look at one short message and answer it: calls and answers", await cycle(count), CYCLE));
  return rows;
}

/** What passes between a model and its server when it looks, answers and acks; beside it the doorbell of some 27 tokens. */
async function cycle(count) {
  const home = emptyHome("web", "api");
  const [web, api] = [await startServer(home, { args: ["--part", "web"] }), await startServer(home, { args: ["--part", "api"] })];
  await web.must("send", { to: ["api"], subject: "Price?", body: "Which field has the price?" });
  const looked = await api.must("inbox", {});
  const answer = { threadId: looked.messages[0].threadId, body: "It is `amount`.", ack: true };
  const answered = await api.must("reply", answer);
  for (const server of [web, api]) await server.close();
  return [{ name: "inbox", arguments: {} }, looked, { name: "reply", arguments: answer }, answered].reduce(
    (sum, each) => sum + count(each),
    0,
  );
}

function counted(what, tokens, most) {
  return row(what, tokens, { unit: "tokens", bars: most === null ? {} : { most } });
}
