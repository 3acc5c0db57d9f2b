/** What every measure uses: clean children, scratch folders, interleaved samples, and rows for the table. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** The built command. */
export const RELAY = fileURLToPath(new URL("../../dist/relay.cjs", import.meta.url));

/**
 * The environment of every child: without what would change how Node starts (NODE_EXTRA_CA_CERTS alone costs more than
 * a command), or which home and part Relay finds.
 */
const outer = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(NODE|RELAY|GIT)_/.test(name)));
// What records beside a measure would be measured with it.
export const childEnv = { ...outer, RELAY_NO_RECORDER: "1" };

const scratched = [];

/** A new empty folder under the system's folder for temporary files; `clearScratch` removes it. */
export function scratch() {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "relay-bench-")));
  scratched.push(folder);
  return folder;
}

/** Removes every scratch folder. */
export function clearScratch() {
  for (const folder of scratched.splice(0)) fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** Runs a program to its end; gives what it printed. Throws when it fails. */
export function run(command, args, cwd, env = childEnv) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, env, encoding: "utf8", maxBuffer: 1 << 28 });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${path.basename(command)} ${args.join(" ")} ended with ${status}: ${stdout}${stderr}`);
  return stdout;
}

/** Runs the command; gives its JSON answer. */
export const relay = (cwd, ...args) => JSON.parse(run(process.execPath, [RELAY, ...args, "--json"], cwd));

/**
 * Takes samples of several things in turn, so that noise hits all alike. One round before the first is not counted.
 * @param rounds how many samples of each
 * @param things name → what is timed; it may give its own time in milliseconds
 * @returns name → samples in milliseconds, sorted
 */
export async function interleave(rounds, things) {
  const samples = Object.fromEntries(Object.keys(things).map((name) => [name, []]));
  for (let round = -1; round < rounds; round += 1) {
    for (const [name, thing] of Object.entries(things)) {
      const started = performance.now();
      const own = await thing(round);
      const took = performance.now() - started;
      if (round >= 0) samples[name].push(typeof own === "number" ? own : took);
    }
  }
  for (const list of Object.values(samples)) list.sort((a, b) => a - b);
  return samples;
}

/** The value below which a share of sorted samples lies. */
export const quantile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];

/** The middle of sorted samples. */
export const p50 = (sorted) => quantile(sorted, 0.5);

/** What all but the slowest hundredth of sorted samples stay below. */
export const p99 = (sorted) => quantile(sorted, 0.99);

/**
 * A row of the table.
 * @param what what was measured
 * @param measured the figure, in `unit`
 * @param baseline what it is compared with: `{ what, figure }`; none for a figure that stands for itself
 * @param bars `ratio` and `most` are upper bounds of the ratio and the figure, `least` is a lower bound of the ratio
 */
export function row(what, measured, { unit = "ms", baseline, bars = {} } = {}) {
  const ratio = baseline === undefined ? null : measured / baseline.figure;
  const checks = [];
  if (bars.ratio !== undefined) checks.push({ text: `≤ ${bars.ratio}×`, met: ratio <= bars.ratio });
  if (bars.least !== undefined) checks.push({ text: `≥ ${bars.least}×`, met: ratio >= bars.least });
  if (bars.most !== undefined) checks.push({ text: `≤ ${bars.most} ${unit}`, met: measured <= bars.most });
  return {
    what,
    baseline: baseline === undefined ? "" : `${baseline.what}: ${shown(baseline.figure)} ${unit}`,
    measured: `${shown(measured)} ${unit}`,
    ratio: ratio === null ? "" : `${shown(ratio)}×`,
    bar: checks.map(({ text }) => text).join(", "),
    met: checks.length === 0 ? null : checks.every(({ met }) => met),
    // A rate is better when it is higher: its bar says so, or its unit.
    isRate: bars.least !== undefined || unit.endsWith("a second"),
  };
}

/** A figure with as many digits as say something. */
function shown(figure) {
  return figure >= 100 ? String(Math.round(figure)) : figure >= 10 ? figure.toFixed(1) : figure.toFixed(2);
}
