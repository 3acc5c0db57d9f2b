/** What a home records by itself: once it is quiet, and when a session ends. spec/git.md, "By itself". */

import { feedSign } from "../../core/home/feed.ts";
import { isThere } from "../../core/home/home.ts";
import { log } from "../../core/home/process-log.ts";
import { Refusal } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { commitCommand, findRepository } from "../../git/home/repository.ts";
import { withLock } from "../../store/lock.ts";
import { payFlushes } from "../../store/root.ts";
import { canWrite, holdRecorder, markFailed, mayRecord, noteRecorded, RECORDER_PATH, releaseRecorder } from "./leave-recorder.ts";
import { recordHome } from "./record-home.ts";

/** While it never gets quiet, a home is recorded all the same after so long. */
const MOST_MS = 45_000;
/** Between two looks at the feed. */
const LOOK_MS = 500;

/** Waits until the home is quiet, records it, and ends; at once where another recorder waits. @throws nothing: `run/logs` says what failed */
export async function runRecorder(world: World): Promise<void> {
  const { store } = world.home();
  const isMine = await withLock(store, RECORDER_PATH, () => holdRecorder(store));
  if (!isMine) return;
  await untilQuiet(world);
  // A home that was removed, or moved away, is not made again.
  if (!isThere(world.home())) return;
  releaseRecorder(store);
  if (!world.home().config().record.auto) return;
  const tell = (line: Record<string, unknown>): void => log(world, "recorder", line);
  try {
    const recorded = await recordHome(world);
    if (recorded === null) return;
    const { commit, who, restored } = recorded;
    if (commit !== null) tell({ type: "recorded", commit, parts: who });
    if (restored.length > 0) tell({ type: "restored", files: restored.length, first: restored[0] });
  } catch (error) {
    if (!isThere(world.home())) return;
    const code = error instanceof Refusal ? { code: error.code } : {};
    tell({ type: "fault", problem: (error as Error).message, ...code });
    markFailed(store);
  }
}

/** By a clock that only runs: the machine's own may be set. */
async function untilQuiet(world: World): Promise<void> {
  const begunMs = performance.now();
  let sign = feedSign(world);
  let lastMs = begunMs;
  for (;;) {
    const quietMs = world.home().config().record.debounceS * 1_000;
    const restMs = Math.min(lastMs + quietMs, begunMs + MOST_MS) - performance.now();
    if (restMs <= 0) return;
    await new Promise((resolve) => setTimeout(resolve, Math.min(restMs, LOOK_MS)));
    if (!isThere(world.home())) return;
    const now = feedSign(world);
    if (now === sign) continue;
    sign = now;
    lastMs = performance.now();
  }
}

/**
 * Records before a call is answered, as at the end of a session. A record that fails fails no call.
 * @returns whether it is recorded; what to warn of: that it is not yet, and why; of a home that is files of the code, what to type
 */
export async function recordNow(world: World): Promise<{ recorded?: true; warning?: string }> {
  const { store } = world.home();
  const { inTree, record } = world.home().config();
  if (inTree) return { warning: `the home is files of the code, and Relay commits none of them: \`${commitCommand(store.root)}\` does` };
  if (!record.auto || !mayRecord(world)) return {};
  const repository = findRepository(world);
  if (repository === null) return {};
  if (!canWrite(repository.gitDir)) return { warning: `not recorded yet: ${repository.gitDir} cannot be written from here` };
  try {
    payFlushes(store);
    releaseRecorder(store);
    await recordHome(world);
    noteRecorded(store);
    return { recorded: true };
  } catch (error) {
    return { warning: `not recorded yet: ${(error as Error).message}` };
  }
}
