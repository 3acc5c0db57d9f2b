/** A process that does the files of a send, an inbox and an ack by bare calls, one for each line that it reads: no server, no protocol. */
import fs from "node:fs";
import path from "node:path";
import { bareAck, bareInbox, bareSend, layBare } from "./bare.mjs";
import { dice, messageOf } from "./messages.mjs";

const [home, part] = process.argv.slice(2);
const root = path.join(home, part);
const random = dice(Number(part));
layBare(root);

const acts = {
  send: () => {
    const place = { day: "2026-01-31", threadRandom: random.text(8), n: 1, atMs: Date.now() };
    bareSend(root, messageOf(random, place, "api", ["web"]));
  },
  inbox: () => bareInbox(root),
  ack: () => bareAck(root),
};

let rest = "";
process.stdin.setEncoding("utf8").on("data", (text) => {
  const lines = (rest + text).split("\n");
  rest = lines.pop();
  for (const name of lines) fs.writeSync(1, `${JSON.stringify(acts[name]() ?? null)}\n`);
});
