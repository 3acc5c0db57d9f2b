/** What takes long to lay is kept for the next run: under RELAY_BENCH_KEPT, or `relay-bench-kept` in the folder for temporary files. */
import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

const ROOT = process.env.RELAY_BENCH_KEPT ?? path.join(fs.realpathSync(os.tmpdir()), "relay-bench-kept");

/** What a home is laid by: with any of it changed, it is laid anew. */
const LAID_BY = ["aged.mjs", "boards.mjs", "homes.mjs", "lay-threads.mjs", "messages.mjs"];
const rig = createHash("sha256");
for (const name of LAID_BY) rig.update(fs.readFileSync(new URL(name, import.meta.url)));
const RIG = rig.digest("hex").slice(0, 8);

/**
 * A folder that is filled once, and there for every later run.
 * @param name what it holds
 * @param fill fills the folder, which is empty
 * @param version tells it from one that was filled otherwise, which is removed
 */
export async function kept(name, fill, version = RIG) {
  const folder = path.join(ROOT, `${name}-${version}`);
  const mark = `${folder}.filled`;
  if (fs.existsSync(mark)) return folder;
  fs.mkdirSync(ROOT, { recursive: true });
  for (const other of fs.readdirSync(ROOT))
    if (other.startsWith(`${name}-`)) fs.rmSync(path.join(ROOT, other), { recursive: true, force: true, maxRetries: 5 });
  fs.mkdirSync(folder);
  const started = performance.now();
  await fill(folder);
  fs.writeFileSync(mark, "");
  process.stderr.write(`laid ${folder} in ${Math.round((performance.now() - started) / 1_000)} s\n`);
  return folder;
}
