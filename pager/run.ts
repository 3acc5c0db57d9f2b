/** `relay pager`: watches the home, checks it at intervals and logs, until a signal ends it. spec/waking.md, "The pager". */

import { log } from "../protocol/core/home/process-log.ts";
import { asRefusal } from "../protocol/core/perform.ts";
import type { World } from "../protocol/index.ts";
import { watchFolders } from "../protocol/store/watch.ts";
import { leaveRecorder } from "../protocol/sync/sync/leave-recorder.ts";
import { registerPager } from "../protocol/wake/files/who-rings.ts";
import { createBlockedWatch } from "./blocked.ts";
import { createHealth } from "./health.ts";
import { createNotifier } from "./notifier.ts";
import { createOfficeWatch } from "./office.ts";
import { createPager } from "./pager.ts";
import { createRecorder } from "./recorder.ts";
import type { Tell } from "./ring-part.ts";
import { rungsOf } from "./rungs.ts";

/** What `relay pager` was told. */
export interface RunOptions {
  world: World;
  /** Only these parts; all for null. */
  parts: string[] | null;
  /** One scan, and the rings that follow from it; for cron. */
  once: boolean;
  /** Gets each line of the log too. */
  print: (line: Record<string, unknown>) => void;
  /** Ends it. */
  signal: AbortSignal;
}

/** Scans are made at least this often, whatever the watchers say. */
const BEAT_MS = 4_500;
/** The wall clock and the one that only runs may differ by this much from one scan to the next. */
const JUMP_MS = 10_000;

/** Names for what keeps the system from watching. */
const LIMITS: Record<string, string> = {
  ENOSPC: "the limit of inotify watches is reached (fs.inotify.max_user_watches)",
  EMFILE: "the limit of inotify instances is reached (fs.inotify.max_user_instances)",
};

/** Runs a pager until its signal says so. @throws Refusal where there is no home */
export async function runPager({ world, parts, once, print, signal }: RunOptions): Promise<void> {
  const tell: Tell = (type, more) => {
    const line = { type, ...more };
    log(world, "pager", line);
    print(line);
  };
  world.home().config();
  const rungs = rungsOf(world);
  let watching: Awaited<ReturnType<typeof watchFolders>> | undefined;
  const recorder = createRecorder(world, tell);
  const health = createHealth(world, parts, tell);
  const blocked = createBlockedWatch(world, parts, tell);
  const notifier = createNotifier(world, tell);
  const office = createOfficeWatch(tell);
  const scanned = (own: World): void => {
    recorder.check(own);
    health.check(own);
    blocked.check(own);
    notifier.check(own);
    office.check(own);
  };
  const pager = createPager({ world, rungs, parts, once, tell, rang: () => watching?.ring(), ...(once ? {} : { scanned }) });
  if (once) {
    await pager.scan();
    await pager.idle();
    notifier.check(world);
    office.check(world);
    // No other scan follows that could tell what is cut off here. A command that hangs has a limit of its own.
    const isEnded = new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    if (!signal.aborted) await Promise.race([notifier.idle(), isEnded]);
    await notifier.close();
    await leaveRecorder(world).catch(() => {});
    return;
  }
  const release = registerPager(
    world,
    parts,
    rungs.map(({ name }) => name),
  );
  tell("started", { home: world.home().store.root, parts });
  const jumped = clockWatcher(world, tell);
  let timer: NodeJS.Timeout | undefined;
  let problem: string | null = null;
  const scan = async (): Promise<void> => {
    jumped();
    clearTimeout(timer);
    try {
      const dueMs = await pager.scan();
      watching?.rearm(pager.folders());
      problem = null;
      // A timer may ring early; the scan then finds nothing due and sets it again.
      if (dueMs !== null && dueMs < BEAT_MS) timer = setTimeout(() => watching?.ring(), dueMs + 1);
    } catch (error) {
      const said = asRefusal(world, error).message;
      if (said !== problem) tell("fault", { problem: said });
      problem = said;
    }
  };
  await scan();
  watching = await watchFolders(pager.folders(), scan, BEAT_MS, (code) =>
    code === null
      ? tell("watching", {})
      : tell("not_watching", {
          code,
          problem: `${LIMITS[code] ?? "the system gives no watch"}; the pager checks every ${BEAT_MS / 1_000} s instead`,
        }),
  );
  await new Promise<void>((resolve) => (signal.aborted ? resolve() : signal.addEventListener("abort", () => resolve(), { once: true })));
  clearTimeout(timer);
  const lastly = [
    () => watching?.close(),
    () => pager.close(),
    () => health.close(),
    () => blocked.close(),
    () => notifier.close(),
    () => recorder.close(),
  ];
  // Whatever fails to end keeps nothing else from ending.
  for (const end of lastly)
    await Promise.resolve()
      .then(end)
      .catch((error: unknown) => tell("fault", { problem: asRefusal(world, error).message }));
  release();
  tell("ended", {});
}

/** Tells when the wall clock jumped: the machine slept, or somebody set it. */
function clockWatcher(world: World, tell: Tell): () => void {
  let wall = world.now();
  let running = performance.now();
  return () => {
    const now = world.now();
    const jumpMs = now - wall - (performance.now() - running);
    wall = now;
    running = performance.now();
    if (Math.abs(jumpMs) > JUMP_MS) tell("clock_jumped", { seconds: Math.round(jumpMs / 1_000) });
  };
}
