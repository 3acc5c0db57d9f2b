/** What the breaker of loops costs a send: two servers on two homes, one of them built without it, each asked in turn. */
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { emptyHome } from "./rig/homes.mjs";
import { interleave, p50, row, scratch } from "./rig/measure.mjs";
import { dice, messageOf } from "./rig/messages.mjs";
import { startServer } from "./rig/server.mjs";

const ROUNDS = 800;
/** Parts that send in turn, so that each has said about as much as an agent may in ten minutes. */
const SENDERS = Array.from({ length: 6 }, (_, at) => `p${at}`);
const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** In each round a send with the breaker, and one without it. */
export async function measureLoop() {
  const random = dice(1);
  const servers = {
    held: await startServer(emptyHome("web", ...SENDERS), { program: [await serverOf([])] }),
    free: await startServer(emptyHome("web", ...SENDERS), { program: [await serverOf([withoutBreaker])] }),
  };
  const send = async (server, round) => {
    const from = SENDERS[(round + 1) % SENDERS.length];
    const { body } = messageOf(random, { day: "2026-01-31", threadRandom: random.text(8), n: 1, atMs: Date.now() }, from, ["web"]);
    const started = performance.now();
    await server.must("send", { agent_id: from, to: ["web"], subject: `${round}`, body });
    return performance.now() - started;
  };
  const { held, free } = await interleave(ROUNDS, {
    held: (round) => send(servers.held, round),
    free: (round) => send(servers.free, round),
  });
  for (const server of Object.values(servers)) await server.close();
  const baseline = { what: "the same without the breaker", figure: p50(free) };
  return [row("`send` with the breaker of loops, p50", p50(held), { baseline, bars: { ratio: 1.05 } })];
}

/** A server of the room, as the command serves it. */
async function serverOf(plugins) {
  const outfile = path.join(scratch(), "server.mjs");
  await build({
    stdin: {
      contents: 'import { serve } from "./mcp/server.ts"; await serve({ version: "0", groups: ["room"] });',
      resolveDir: ROOT,
      sourcefile: "serve.ts",
    },
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    loader: { ".md": "text", ".yml": "text", ".service": "text" },
    define: { RELAY_VERSION: '"0"' },
    banner: { js: 'import{createRequire as __cr}from"node:module";const require=__cr(import.meta.url);' },
    logLevel: "warning",
    plugins,
  });
  return outfile;
}

/** Leaves the breaker out: it lets everything pass, and notes nothing. */
const withoutBreaker = {
  name: "without the breaker",
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]home[/\\]loop\.ts$/ }, () => ({
      contents: "export const breakLoop = () => {}; export const noteSaid = () => {};",
    }));
  },
};
