/** A pager in the background: to start it, to end it, to see whether one runs. */
import { spawn } from "node:child_process";
import { logPath } from "../protocol/core/home/process-log.ts";
import { refuse } from "../protocol/core/refusal.ts";
import { EXIT, type World } from "../protocol/index.ts";
import { members } from "../protocol/mail/files/members.ts";
import { holdLock } from "../protocol/store/lock.ts";
import { lifeOf } from "../protocol/store/process.ts";
import { absolute } from "../protocol/store/root.ts";
import { isPagerHere, livePagers, type Pager, stillPagers } from "../protocol/wake/files/who-rings.ts";

/** A pager that was told to begin or end is waited for this long. */
const WAIT_MS = 10_000;

/** What an action prints: in words, or as fields of a JSON object. */
export type Say = (words: string, fields: Record<string, unknown>) => void;

const pidOf = (description: string): number => Number(description.split("-")[0]);

/** Starts a pager in the background, unless one runs; gives the exit code. */
export async function startPager(world: World, parts: string[] | null, say: Say): Promise<number> {
  const before = servesAll(world, parts);
  if (before !== null) {
    say(`A pager runs already: process ${pidOf(before.process)}, since ${before.since}.`, {
      started: false,
      pid: pidOf(before.process),
      since: before.since,
    });
    return EXIT.ok;
  }
  const { root } = world.home().store;
  const args = [process.argv[1] as string, "pager", "run", "--home", root, ...(parts === null ? [] : ["--part", parts.join(",")])];
  const child = spawn(process.execPath, args, { cwd: root, detached: true, stdio: "ignore" });
  const { pid } = child;
  let ended: number | null = null;
  child.once("exit", (code) => {
    ended = code ?? EXIT.failed;
  });
  const there = await waitUntil(() => ended !== null || livePagers(world, null).some(({ process: owner }) => pidOf(owner) === pid));
  child.unref();
  if (!there || ended !== null || pid === undefined)
    throw refuse("internal", { reason: `the pager ended at once (${ended ?? "no answer"}); \`relay pager\` shows why` });
  say(
    `The pager runs: process ${pid}. Its log: ${absolute(world.home().store, logPath("pager", 0))}. \`relay pager stop\` stops it.${ofOthers(world)}`,
    {
      started: true,
      pid,
    },
  );
  return EXIT.ok;
}

/** Starts a pager for all parts in the background, unless one runs, and prints nothing. */
export async function startPagerQuietly(world: World): Promise<void> {
  await holdLock(world.home().store, "pager", () => startPager(world, null, () => {}));
}

/** The live pagers that began for this copy. */
const ownPagers = (world: World, part: string | null): Pager[] => livePagers(world, part).filter((each) => isPagerHere(world, each));

/** Words about what files of the home call pagers though nobody started them here, with a space before; empty where there are none. */
function ofOthers(world: World): string {
  const others = [...livePagers(world, null), ...stillPagers(world)].filter((each) => !isPagerHere(world, each));
  const pids = others.map(({ process: owner }) => pidOf(owner)).join(", ");
  return pids === "" ? "" : ` The home names process ${pids}, which nobody started here as its pager.`;
}

/** A pager that runs for all of these, or where each has one, the first; null when some have none. */
function servesAll(world: World, parts: string[] | null): Pager | null {
  const everywhere = ownPagers(world, null).find((pager) => pager.parts === null);
  if (everywhere !== undefined) return everywhere;
  const wanted = parts ?? members(world).map(({ part }) => part);
  const each = wanted.map((part) => ownPagers(world, part)[0]);
  return each.every((pager) => pager !== undefined) ? (each[0] ?? null) : null;
}

/** Ends every pager of this home; gives the exit code. */
export async function stopPager(world: World, say: Say): Promise<number> {
  const running = [...livePagers(world, null), ...stillPagers(world)].filter((each) => isPagerHere(world, each));
  for (const { process: owner } of running) {
    // Looked at once more: a process id alone may be somebody else's by now.
    if (lifeOf(owner) === "alive") askToEnd(pidOf(owner));
  }
  const gone = await waitUntil(() => running.every(({ process: owner }) => lifeOf(owner) !== "alive"));
  const pids = running.map(({ process: owner }) => pidOf(owner));
  say(
    running.length === 0
      ? `No pager runs here.${ofOthers(world)}`
      : gone
        ? `Stopped: process ${pids.join(", ")}.`
        : `Asked to stop, but still running: process ${pids.join(", ")}.`,
    { stopped: pids, gone },
  );
  return gone ? EXIT.ok : EXIT.failed;
}

/** Tells a process to end, if it did not just now; another user's cannot be told. */
function askToEnd(pid: number): void {
  try {
    process.kill(pid, "SIGTERM");
    // One that was stopped ends once it goes on.
    process.kill(pid, "SIGCONT");
  } catch {
    // Whether it is gone is checked next.
  }
}

/** Prints which pagers run here; gives the exit code. */
export function showPagers(world: World, say: Say, unit: string | null): number {
  const pagers = ownPagers(world, null).map(({ process: owner, parts, since }) => ({ pid: pidOf(owner), parts, since }));
  const still = stillPagers(world).map(({ process: owner, since }) => ({ pid: pidOf(owner), since }));
  const lines = pagers.map(
    ({ pid, parts, since }) => `A pager runs: process ${pid}, since ${since}, for ${parts?.join(", ") ?? "all parts"}.`,
  );
  for (const { pid, since } of still)
    lines.push(`A pager does nothing: process ${pid}, since ${since}. It was stopped, or hangs. \`relay pager stop\` ends it.`);
  if (pagers.length > 1) lines.push("One is enough, and several do no harm.");
  if (pagers.length + still.length === 0) lines.push(`No pager runs here. \`relay pager start\` starts one.${ofOthers(world)}`);
  say([...lines, ...(unit === null ? [] : [`Installed as a service: ${unit}`])].join("\n"), {
    running: pagers.length > 0,
    pagers,
    still,
    unit,
    log: absolute(world.home().store, logPath("pager", 0)),
  });
  return pagers.length > 0 ? EXIT.ok : EXIT.failed;
}

async function waitUntil(isSo: () => boolean): Promise<boolean> {
  for (const end = performance.now() + WAIT_MS; performance.now() < end; ) {
    if (isSo()) return true;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return isSo();
}
