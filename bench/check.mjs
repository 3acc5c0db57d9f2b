/** What checking costs, of a home of 100,000 messages (or as many as RECORDED_MESSAGES says): as CI does it, as a folder and as a commit, and by `doctor`. */
import fs from "node:fs";
import path from "node:path";
import { keptAgedHome } from "./rig/aged.mjs";
import { interleave, p50, RELAY, row, run } from "./rig/measure.mjs";

const MESSAGES = Number(process.env.RECORDED_MESSAGES ?? 100_000);
const ROUNDS = 3;
const MOST_MS = 8_000;
const number = new Intl.NumberFormat("en");

/** Checks in turn, against reading the same files by git alone. */
export async function measureCheck() {
  const folder = await keptAgedHome(MESSAGES);
  const home = path.join(folder, ".relay");
  const recorded = path.join(home, "..", "recorded");
  if (!fs.existsSync(recorded)) {
    // Packing in the background would be measured with what it stands beside.
    run("git", ["config", "gc.auto", "0"], home);
    run(process.execPath, [RELAY, "record"], folder);
    run("git", ["gc", "--quiet"], home);
    fs.writeFileSync(recorded, "");
  }
  const look = (command, ...args) => {
    const answer = JSON.parse(run(process.execPath, [RELAY, command, "--json", ...args], folder));
    if (!answer.ok || (answer.files ?? MESSAGES) < MESSAGES) throw new Error(`${command}: ${JSON.stringify(answer).slice(0, 300)}`);
  };
  const samples = await interleave(ROUNDS, {
    git: () => void run("sh", ["-c", "git ls-tree -r HEAD | cut -c13-52 | git cat-file --batch > /dev/null"], home),
    folder: () => look("check"),
    commit: () => look("check", "--ref", "relay"),
    doctor: () => look("doctor"),
  });
  const baseline = { what: "`git cat-file` of every file alone", figure: p50(samples.git) };
  const bars = { most: MOST_MS };
  const what = `a home of ${number.format(MESSAGES)} messages`;
  return [
    row(`\`relay check\`, ${what}, p50`, p50(samples.folder), { baseline, bars }),
    row(`\`relay check --ref\`, the same as a commit, p50`, p50(samples.commit), { baseline, bars }),
    row(`\`relay doctor\`, ${what}, p50`, p50(samples.doctor), { baseline, bars }),
  ];
}
