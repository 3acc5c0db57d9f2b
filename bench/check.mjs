/** What checking costs as CI does it: a home of 100,000 messages as a folder, and as a commit that is not checked out. */
import path from "node:path";
import { makeHome } from "./rig/homes.mjs";
import { interleave, p50, RELAY, row, run } from "./rig/measure.mjs";

const LARGEST = 100_000;
const ROUNDS = 3;
const MOST_MS = 20_000;

/** Checks both in turn, against reading the same files by git alone. */
export async function measureCheck() {
  const folder = makeHome(LARGEST);
  const home = path.join(folder, ".relay");
  run("git", ["add", "--all"], home);
  run("git", ["commit", "--quiet", "--message", "all"], home);
  const check = (...args) => {
    const answer = JSON.parse(run(process.execPath, [RELAY, "check", "--json", ...args], folder));
    if (!answer.ok || answer.files < LARGEST) throw new Error(`check: ${JSON.stringify(answer).slice(0, 300)}`);
  };
  const samples = await interleave(ROUNDS, {
    git: () => void run("sh", ["-c", "git ls-tree -r HEAD | cut -c13-52 | git cat-file --batch > /dev/null"], home),
    folder: () => check(),
    commit: () => check("--ref", "relay"),
  });
  const baseline = { what: "`git cat-file` of every file alone", figure: p50(samples.git) };
  const bars = { most: MOST_MS };
  return [
    row("`relay check`, a home of 100,000 messages, p50", p50(samples.folder), { baseline, bars }),
    row("`relay check --ref`, the same as a commit, p50", p50(samples.commit), { baseline, bars }),
  ];
}
