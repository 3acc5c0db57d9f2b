/** `relay pager`: in the foreground, or as a service of this machine. */
import { spawn } from "node:child_process";
import { runPager } from "../pager/run.ts";
import { createWorld, EXIT, type World } from "../protocol/index.ts";
import { absolute, holdLock, lifeOf, livePagers, logPath, members, type Pager, refuse, requireMembers } from "../protocol/internal.ts";
import type { Common } from "./commands.ts";
import { plainStyleFor } from "./print/style.ts";
import { plainLine } from "./print/words.ts";

/** What `relay pager` takes. */
export interface PagerFlags extends Common {
  once?: boolean;
  dryRun?: boolean;
}

/** A pager that was told to begin or end is waited for this long. */
const WAIT_MS = 10_000;

/** Does what was asked; gives the exit code. */
export async function pager(action: "run" | "start" | "stop" | "status" | "install" | "uninstall", options: PagerFlags): Promise<number> {
  const parts = options.part?.split(",") ?? null;
  const world = createWorld({ home: options.home });
  world.home().config();
  if (parts !== null) requireMembers(world, parts);
  const say = (words: string, fields: Record<string, unknown>): void => {
    process.stdout.write(options.json === true ? `${JSON.stringify({ schema: 1, success: true, ...fields })}\n` : `${words}\n`);
  };
  switch (action) {
    case "run":
      return run(world, parts, options);
    case "start":
      // One at a time: of several who start it at once one does, and the others find it.
      return holdLock(world.home().store, "pager", () => start(world, parts, say));
    case "stop":
      return stop(world, say);
    case "status":
      return status(world, say, (await import("./service.ts")).unitsThere(world));
    case "install":
    case "uninstall": {
      const { install, uninstall } = await import("./service.ts");
      return (action === "install" ? install : uninstall)(world, options.dryRun === true, say);
    }
  }
}

/** What an action prints: in words, or as fields of a JSON object. */
export type Say = (words: string, fields: Record<string, unknown>) => void;

async function run(world: World, parts: string[] | null, options: PagerFlags): Promise<number> {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stop.abort());
  const style = plainStyleFor(process.stdout, process.env, Date.now());
  const print = (line: Record<string, unknown>): void => {
    if (options.json === true) process.stdout.write(`${JSON.stringify({ at: new Date().toISOString(), ...line })}\n`);
    else {
      const { type, ...rest } = line;
      const words = Object.entries(rest).flatMap(([name, value]) =>
        value === null || value === undefined ? [] : [`${name}=${plainLine(String(value))}`],
      );
      process.stdout.write(`${style.dim(new Date().toTimeString().slice(0, 8))}  ${style.bold(String(type))}  ${words.join("  ")}\n`);
    }
  };
  let printed = 0;
  const count = (line: Record<string, unknown>): void => {
    printed += 1;
    print(line);
  };
  await runPager({ world, parts, once: options.once === true, print: count, signal: stop.signal });
  if (options.once === true && printed === 0) process.stderr.write("Nothing is to be rung.\n");
  return EXIT.ok;
}

const pidOf = (description: string): number => Number(description.split("-")[0]);

async function start(world: World, parts: string[] | null, say: Say): Promise<number> {
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
  say(`The pager runs: process ${pid}. Its log: ${absolute(world.home().store, logPath("pager", 0))}. \`relay pager stop\` ends it.`, {
    started: true,
    pid,
  });
  return EXIT.ok;
}

/** Starts a pager for all parts in the background, unless one runs, and prints nothing. */
export async function startQuietly(world: World): Promise<void> {
  await holdLock(world.home().store, "pager", () => start(world, null, () => {}));
}

/** A pager that runs for all of these, or where each has one, the first; null when some have none. */
function servesAll(world: World, parts: string[] | null): Pager | null {
  const everywhere = livePagers(world, null).find((pager) => pager.parts === null);
  if (everywhere !== undefined) return everywhere;
  const wanted = parts ?? members(world).map(({ part }) => part);
  const each = wanted.map((part) => livePagers(world, part)[0]);
  return each.every((pager) => pager !== undefined) ? (each[0] ?? null) : null;
}

async function stop(world: World, say: Say): Promise<number> {
  const running = livePagers(world, null);
  for (const { process: owner } of running) {
    // Looked at once more: a process id alone may be somebody else's by now.
    if (lifeOf(owner) === "alive") askToEnd(pidOf(owner));
  }
  const gone = await waitUntil(() => running.every(({ process: owner }) => lifeOf(owner) !== "alive"));
  const pids = running.map(({ process: owner }) => pidOf(owner));
  say(
    running.length === 0
      ? "No pager runs here."
      : gone
        ? `Ended: process ${pids.join(", ")}.`
        : `Told to end, and not gone yet: process ${pids.join(", ")}.`,
    { stopped: pids, gone },
  );
  return gone ? EXIT.ok : EXIT.failed;
}

/** Tells a process to end, if it did not just now; another user's cannot be told. */
function askToEnd(pid: number): void {
  try {
    process.kill(pid, "SIGTERM");
  } catch {
    // Whether it is gone is looked at next.
  }
}

function status(world: World, say: Say, units: readonly { file: string }[]): number {
  const pagers = livePagers(world, null).map(({ process: owner, parts, since }) => ({ pid: pidOf(owner), parts, since }));
  const lines = pagers.map(
    ({ pid, parts, since }) => `A pager runs: process ${pid}, since ${since}, for ${parts?.join(", ") ?? "all parts"}.`,
  );
  if (pagers.length > 1) lines.push("One is enough; several do no harm.");
  if (pagers.length === 0) lines.push("No pager runs here. `relay pager start` starts one.");
  say([...lines, ...units.map(({ file }) => `Installed as a service: ${file}`)].join("\n"), {
    running: pagers.length > 0,
    pagers,
    units: units.map(({ file }) => file),
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
