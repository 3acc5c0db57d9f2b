/** Eight processes that reply into one thread at once, against one process that writes as much alone. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { emptyHome } from "./rig/homes.mjs";
import { childEnv, interleave, p50, relay, row } from "./rig/measure.mjs";

const WRITER = fileURLToPath(new URL("./rig/writer.mjs", import.meta.url));
const WRITERS = 8;
const REPLIES = 200;
const TOTAL = WRITERS * REPLIES;
const ROUNDS = 3;

/** Writes the same number of replies both ways, in turn. */
export async function measureWriters() {
  const samples = await interleave(ROUNDS, { one: () => write(1), many: () => write(WRITERS) });
  const rate = (list) => TOTAL / (p50(list) / 1_000);
  return [
    row(`replies into one thread, ${WRITERS} processes × ${REPLIES}, all ${TOTAL} there`, rate(samples.many), {
      unit: "a second",
      baseline: { what: `one process × ${TOTAL}`, figure: rate(samples.one) },
      bars: { least: 0.5 },
    }),
  ];
}

/** Milliseconds from the word to begin until the last process ended. Their starts do not count. */
async function write(writers) {
  const parts = Array.from({ length: writers }, (_, at) => `writer-${at + 1}`);
  const folder = emptyHome("asker", ...parts);
  const { threadId } = relay(folder, "send", parts.join(","), "Please answer", "All of you.", "--part", "asker");
  const children = parts.map((part) =>
    spawn(process.execPath, [WRITER, folder, part, threadId, String(TOTAL / writers)], {
      env: childEnv,
      stdio: ["pipe", "pipe", "inherit"],
    }),
  );
  await Promise.all(children.map((child) => once(child.stdout, "data")));
  const ended = children.map((child) => once(child, "close"));
  const started = performance.now();
  for (const child of children) child.stdin.write("go\n");
  const codes = (await Promise.all(ended)).map(([code]) => code);
  const took = performance.now() - started;
  const { threads } = relay(folder, "threads", "--part", "asker");
  const written = threads[0].messages - 1;
  if (codes.some((code) => code !== 0) || written !== TOTAL)
    throw new Error(`${written} of ${TOTAL} replies are there, exit codes ${codes}`);
  return took;
}
