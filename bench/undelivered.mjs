/** What a pager costs while mail waits that nothing can deliver: nobody is there to be rung, or what is there must not be typed into. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { emptyHome } from "./rig/homes.mjs";
import { childEnv, RELAY, relay, row, run, scratch } from "./rig/measure.mjs";
import { cpuSeconds, ended, startPager } from "./rig/pagers.mjs";

const PARTS = 200;
const SECONDS = 180;
/** So long the first tries take, a screen until it is quiet, and the program until what its start left is collected. */
const SETTLED_MS = 60_000;
/** Of a core, in hundredths; many parts are allowed what they cost without mail. */
const MOST = { one: 0.1, many: 1 };
/** A message is to so many at the most. */
const AT_ONCE = 64;
const PROMPT = fileURLToPath(new URL("prompt.mjs", import.meta.url));

/** One pager for each kind of such mail, all in the same minute. */
export async function measureUndelivered() {
  childEnv.XDG_STATE_HOME = scratch();
  const socket = `relay-bench-${process.pid}`;
  childEnv.RELAY_TMUX_SOCKET = socket;
  const kinds = [
    ["no way to ring", unreachable(1)],
    [`no way to ring any of ${PARTS} parts`, unreachable(PARTS)],
    ["a command that fails", failing()],
    ...(spawnSync("tmux", ["-V"]).status === 0
      ? [
          ["a half-typed line", inTerminal(socket, "half a thought")],
          ["an open dialog", inTerminal(socket, "dialog\r")],
        ]
      : []),
  ];
  const pagers = [];
  try {
    for (const [what, folder] of kinds) pagers.push({ what, pager: await startPager(folder) });
    await pause(SETTLED_MS);
    const before = pagers.map(({ pager }) => cpuSeconds(pager.pid));
    await pause(SECONDS * 1_000);
    return pagers.map(({ what, pager }, at) => {
      const share = ((cpuSeconds(pager.pid) - before[at]) / SECONDS) * 100;
      return row(`mail that waits, ${what}: of a core, over ${SECONDS} s`, share, {
        unit: "%",
        bars: { most: what.includes(`${PARTS}`) ? MOST.many : MOST.one },
      });
    });
  } finally {
    for (const { pager } of pagers) await ended(pager);
    spawnSync("tmux", ["-L", socket, "kill-server"]);
    delete childEnv.RELAY_TMUX_SOCKET;
  }
}

/** A home of so many parts with a message for each. */
function waiting(parts) {
  const names = Array.from({ length: parts }, (_, at) => `p${at}`);
  const folder = emptyHome(...names);
  for (let at = 0; at < parts; at += AT_ONCE) {
    relay(folder, "send", names.slice(at, at + AT_ONCE).join(","), "A subject", "A text.", "--part", "main");
  }
  return folder;
}

const unreachable = (parts) => waiting(parts);

function failing() {
  const folder = waiting(1);
  relay(folder, "part", "deliver", "p0", "exec", "--json", "--", "false");
  return folder;
}

/** A part in tmux at whose prompt something stands. */
function inTerminal(socket, typed) {
  const folder = waiting(1);
  const entered = path.join(scratch(), "entered");
  fs.writeFileSync(entered, "");
  run(process.execPath, [RELAY, "up", "--part", "p0", "--", process.execPath, PROMPT, entered], folder);
  const [pane] = run("tmux", ["-L", socket, "list-panes", "-a", "-F", "#{pane_id} #{@relay_home}"], folder)
    .split("\n")
    .filter((line) => line.endsWith(path.join(folder, ".relay")))
    .map((line) => line.split(" ")[0]);
  spawnSync("sleep", ["1"]);
  run("tmux", ["-L", socket, "send-keys", "-t", pane, "-l", typed], folder);
  return folder;
}
