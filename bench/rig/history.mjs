/** The ratios of earlier versions, in `history.json`: a run says what became worse. Figures of one machine are not kept. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const FILE = new URL("../history.json", import.meta.url);
/** So many versions are kept. */
const KEPT = 30;
/** The noise of a busy machine is less than this much of a ratio. */
const WORSE = 1.2;

/** What a run writes itself. */
const WRITTEN = ["bench/RESULTS.md", "bench/history.json"];
const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The commit that is measured, `+` where files of the project differ from it. */
export function version() {
  const git = (...args) => spawnSync("git", args, { cwd: ROOT, encoding: "utf8" });
  const { stdout, status } = git("describe", "--always");
  if (status !== 0) return "unknown";
  const isChanged = git("status", "--porcelain", "--", ".", ...WRITTEN.map((file) => `:!${file}`)).stdout !== "";
  return stdout.trim() + (isChanged ? "+" : "");
}

/**
 * Keeps the ratios of one measure.
 * @param title of its section
 * @returns a line for each ratio that became worse since it was measured last
 */
export function keepRatios(title, rows) {
  const versions = existsSync(FILE) ? JSON.parse(readFileSync(FILE, "utf8")) : [];
  const name = version();
  const earlier = versions.filter((each) => each.version !== name);
  const now = versions.find((each) => each.version === name) ?? { version: name, ratios: {} };
  const worse = [];
  for (const { what, ratio, isRate } of rows) {
    if (ratio === "") continue;
    const key = `${title}: ${what}`;
    const figure = Number.parseFloat(ratio);
    const before = earlier.findLast(({ ratios }) => ratios[key] !== undefined);
    const than = before?.ratios[key];
    if (than !== undefined && (isRate ? figure * WORSE < than : figure > than * WORSE))
      worse.push(`${key}: ${than}× at ${before.version}, ${figure}× now`);
    now.ratios[key] = figure;
  }
  writeFileSync(FILE, `${JSON.stringify([...earlier, now].slice(-KEPT), null, 2)}\n`);
  return worse;
}
