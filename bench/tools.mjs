/** What a tool call costs an agent: over stdin and stdout of a real server, one call after the other. */
import { bareSend, layBare } from "./rig/bare.mjs";
import { emptyHome } from "./rig/homes.mjs";
import { interleave, p50, p99, row, scratch } from "./rig/measure.mjs";
import { dice, messageOf } from "./rig/messages.mjs";
import { startServer } from "./rig/server.mjs";

const ROUNDS = 1_000;
const FEW = 4;
const MANY = 30;

/** In each round a bare send, an empty call, and a message on its way through the tools. */
export async function measureTools() {
  const random = dice(1);
  const draft = () => messageOf(random, { day: "2026-01-31", threadRandom: random.text(8), n: 1, atMs: Date.now() }, "api", ["web"]);
  const bare = scratch();
  layBare(bare);
  const server = await startServer(emptyHome("web", "api", "docs"));
  const letter = (to) => ({ agent_id: "api", to: [to], subject: "About it", body: draft().body });
  for (let sent = 0; sent < MANY; sent += 1) await server.must("send", letter("docs"));
  for (let sent = 0; sent < FEW; sent += 1) await server.must("send", letter("web"));
  let asked;
  let answered;
  const samples = await interleave(ROUNDS, {
    bare: () => timed(bareSend, bare, draft()),
    empty: () => timed(server.empty),
    send: () => timed(async (input) => (asked = await server.must("send", input)), letter("web")),
    few: () => timed(server.must, "inbox", { agent_id: "web" }),
    reply: () =>
      timed(async (input) => (answered = await server.must("reply", input)), {
        agent_id: "web",
        threadId: asked.threadId,
        body: draft().body,
      }),
    ack: () => timed(server.must, "ack", { agent_id: "web", messageId: asked.messageId }),
    many: () => timed(server.must, "inbox", { agent_id: "docs" }),
    // Not shown: it keeps the sender's inbox as small in the last round as in the first.
    clear: () => server.must("ack", { agent_id: "api", messageId: answered.messageId }),
  });
  const { unread } = await server.must("inbox", { agent_id: "web" });
  await server.close();
  if (unread !== FEW) throw new Error(`${unread} messages are unread, expected ${FEW}`);
  return rows(samples);
}

/** Milliseconds of one step, without what was prepared for it. */
async function timed(step, ...input) {
  const started = performance.now();
  await step(...input);
  return performance.now() - started;
}

function rows({ bare, empty, send, few, many, ack, reply }) {
  const one = (of) => ({ what: "empty call", figure: of(empty) });
  const write = (of) => ({ what: "bare files + empty call", figure: of(bare) + of(empty) });
  return [
    row("empty tool call, p50", p50(empty)),
    row("empty tool call, p99", p99(empty)),
    row("`send` to one part, p50", p50(send), { baseline: write(p50), bars: { ratio: 1.2 } }),
    row("`send` to one part, p99", p99(send), { baseline: write(p99) }),
    row("`reply` to one part, p50", p50(reply), { baseline: write(p50), bars: { ratio: 1.2 } }),
    row("`reply` to one part, p99", p99(reply), { baseline: write(p99) }),
    row(`\`inbox\`, ${FEW + 1} unread, p50`, p50(few), { baseline: one(p50), bars: { ratio: 2 } }),
    row(`\`inbox\`, ${FEW + 1} unread, p99`, p99(few), { baseline: one(p99) }),
    row(`\`inbox\`, ${MANY} unread, p50`, p50(many), { baseline: one(p50) }),
    row(`\`inbox\`, ${MANY} unread, p99`, p99(many), { baseline: one(p99) }),
    row("`ack` of one message, p50", p50(ack), { baseline: one(p50), bars: { ratio: 2.2 } }),
    row("`ack` of one message, p99", p99(ack), { baseline: one(p99) }),
  ];
}
