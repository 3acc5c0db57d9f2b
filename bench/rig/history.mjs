/** The ratios of earlier versions, in `history.json`: a run says what became worse. Figures of one machine are not kept. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";

const FILE = new URL("../history.json", import.meta.url);
/** So many versions are kept. */
const KEPT = 30;
/** The noise of a busy machine is less than this much of a ratio. */
const WORSE = 1.2;

/** The commit that is measured, `+` where files differ from it. */
function version() {
  const { stdout, status } = spawnSync("git", ["describe", "--always", "--dirty=+"], { encoding: "utf8" });
  return status === 0 ? stdout.trim() : "unknown";
}

/**
 * Keeps the ratios of a run.
 * @param sections title → its rows
 * @returns a line for each ratio that became worse since it was measured last
 */
export function keepRatios(sections) {
  const versions = existsSync(FILE) ? JSON.parse(readFileSync(FILE, "utf8")) : [];
  const name = version();
  const earlier = versions.filter((each) => each.version !== name);
  const now = versions.find((each) => each.version === name) ?? { version: name, ratios: {} };
  const worse = [];
  for (const [title, rows] of sections) {
    for (const { what, ratio, isRate } of rows) {
      if (ratio === "") continue;
      const key = `${title}: ${what}`;
      const figure = Number.parseFloat(ratio);
      const before = earlier.findLast(({ ratios }) => ratios[key] !== undefined);
      const than = before?.ratios[key];
      if (than !== undefined && (isRate ? figure * WORSE < than : figure > than * WORSE))
        worse.push(`worse: ${key}: ${than}× at ${before.version}, ${figure}× now`);
      now.ratios[key] = figure;
    }
  }
  writeFileSync(FILE, `${JSON.stringify([...earlier, now].slice(-KEPT), null, 2)}\n`);
  return worse;
}
