/**
 * What it costs to guard what comes: a branch of 10,000 commits and 100,000 files, looked over whole as a clone does that
 * joins; one commit that adds mail, and one that deletes 2,700 files. The guard alone, in a process of its own.
 */
import { spawnSync } from "node:child_process";
import path from "node:path";
import { build } from "esbuild";
import { childEnv, interleave, p50, row, run, scratch } from "./rig/measure.mjs";

const COMMITS = 10_000;
/** Messages of a commit, each with its ack. */
const MESSAGES = 5;
const DELETED = 2_700;
const ROUNDS = 5;
const CONFIG = "format: 2\nproject:\n  id: p-bench\n  name: bench\nmain: main\nparts:\n  main: {}\n  web: {}\n  human: {}\n";

const letters = (number, length) => number.toString(16).padStart(length, "0").slice(-length);

/** The files of a message: the message itself and its ack. */
function filesOf(commit, at) {
  const day = new Date(Date.UTC(2026, 0, 1) + Math.floor(commit / 30) * 86_400_000).toISOString().slice(0, 10);
  const [random, token] = [letters(commit, 8), `1kg9p6je0${letters(commit * MESSAGES + at, 5)}`];
  const [thread, plain] = [`t-${day.replaceAll("-", "")}-${random}`, day.replaceAll("-", "")];
  return [`threads/${day}/${thread}/${at + 1}-${token}.md`, `inbox/web/read/${day}/m-${plain}-${random}-${at + 1}-${token}.md`];
}

/** A bare repository with the branch, and the commits that come on top of it. */
function makeBranch() {
  const hub = scratch();
  run("git", ["init", "--quiet", "--bare", hub], hub);
  const head = (ref, message, from) =>
    `commit refs/heads/${ref}\ncommitter Bench <bench@example.com> 1767225600 +0000\ndata ${message.length}\n${message}\n${from}`;
  const inline = (at, text) => `M 100644 inline ${at}\ndata ${Buffer.byteLength(text)}\n${text}\n`;
  const steps = [head("relay", "relay: make the home", ""), inline("relay.yml", CONFIG)];
  const all = [];
  for (let commit = 1; commit <= COMMITS; commit += 1) {
    steps.push(head("relay", "relay: 5 messages (web)", ""));
    for (let at = 0; at < MESSAGES; at += 1) {
      const paths = filesOf(commit, at);
      all.push(...paths);
      for (const each of paths) steps.push(inline(each, `---\nid: "${commit}-${at}"\n---\nwords\n`));
    }
  }
  steps.push(head("mail", "relay: 5 messages (web)", "from refs/heads/relay\n"));
  for (let at = 0; at < MESSAGES; at += 1) for (const each of filesOf(COMMITS + 1, at)) steps.push(inline(each, "words\n"));
  steps.push(head("deleting", "relay: 1 message (web)", "from refs/heads/relay\n"));
  for (const each of all.slice(0, DELETED)) steps.push(`D ${each}\n`);
  const { status, stderr } = spawnSync("git", ["fast-import", "--quiet"], { cwd: hub, env: childEnv, input: steps.join("") });
  if (status !== 0) throw new Error(`git fast-import: ${stderr}`);
  return hub;
}

/** Guards in a child; gives what it took in milliseconds, and the most memory it had in megabytes. */
async function guarder(hub) {
  const outfile = path.join(scratch(), "guard.mjs");
  const source = `
    import { guardIncoming } from "./protocol/sync/guard/guard-push.ts";
    import { isCarried } from "./protocol/core/tree/layout.ts";
    import { usePackages } from "./protocol/packages.ts";
    usePackages();
    const [gitDir, base, theirs] = process.argv.slice(2);
    const known = base === "none" ? null : base;
    const started = performance.now();
    const { broughtBack } = await guardIncoming({ gitDir, workTree: gitDir }, { base: known, known, theirs, isWelcome: isCarried });
    const ms = performance.now() - started;
    console.log(JSON.stringify({ ms, megabytes: process.resourceUsage().maxRSS / 1024, deleted: broughtBack?.deleted ?? 0 }));`;
  const resolveDir = new URL("..", import.meta.url).pathname;
  const banner = { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' };
  await build({
    stdin: { contents: source, resolveDir, loader: "ts" },
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    banner,
    logLevel: "error",
  });
  const commit = (ref) => run("git", ["rev-parse", ref], hub).trim();
  return (base, theirs, deleted = 0) => {
    const answer = JSON.parse(run(process.execPath, [outfile, hub, base === null ? "none" : commit(base), commit(theirs)], hub));
    if (answer.deleted !== deleted) throw new Error(`the guard brought back ${answer.deleted} files, not ${deleted}`);
    return answer;
  };
}

/** Measures the guard against git's own walk over the same commits. */
export async function measureGuard() {
  const hub = makeBranch();
  const guard = await guarder(hub);
  const log = (...range) => void run("sh", ["-c", `git log -m --root --raw -z --no-renames ${range.join(" ")} | wc -c`], hub);
  let megabytes = 0;
  const timed = (base, theirs, deleted) => {
    const answer = guard(base, theirs, deleted);
    megabytes = Math.max(megabytes, answer.megabytes);
    return answer.ms;
  };
  const samples = await interleave(ROUNDS, {
    git: () => log("relay"),
    whole: () => timed(null, "relay"),
    step: () => log("relay..mail"),
    mail: () => timed("relay", "mail"),
    deleting: () => timed("relay", "deleting", DELETED),
  });
  const step = { what: "`git log` of the one commit", figure: p50(samples.step) };
  return [
    row("guarding 10,000 commits and 100,000 files as a clone that joins, p50", p50(samples.whole), {
      baseline: { what: "`git log` of the same", figure: p50(samples.git) },
      bars: { ratio: 8, most: 2_000 },
    }),
    row("guarding one commit of five messages, p50", p50(samples.mail), { baseline: step, bars: { most: 400 } }),
    row("guarding one commit that deletes 2,700 files, and bringing them back, p50", p50(samples.deleting), { baseline: step }),
    row("the most memory of these", megabytes, { unit: "MB", bars: { most: 300 } }),
  ];
}
