/**
 * The runner of a home: one process that starts the turns which are due, follows them, and ends when nothing is left to do. All that it
 * knows lies on the disk, so the next one goes on where it was killed. spec/office.md, "Runner".
 */

import { log } from "../../protocol/core/home/process-log.ts";
import { asRefusal } from "../../protocol/core/perform.ts";
import { withOwnHome } from "../../protocol/core/world.ts";
import type { World } from "../../protocol/index.ts";
import { seqOf } from "../../protocol/mail/files/arrivals.ts";
import { completePending } from "../../protocol/mail/files/finish-posts.ts";
import { goOnForKilled } from "../../protocol/office/files/adopt-mail.ts";
import { isTurnDue } from "../../protocol/office/files/ensure-runner.ts";
import { RING } from "../../protocol/office/files/local-files.ts";
import { localDispatches, lookAfter, nextTurn } from "../../protocol/office/files/next-turn.ts";
import { officeToWrite } from "../../protocol/office/files/office-folder.ts";
import { officeLimits } from "../../protocol/office/files/office-limits.ts";
import { sweepSends } from "../../protocol/office/files/open-sends.ts";
import { type DispatchState, readDispatch, readDispatchFiles } from "../../protocol/office/files/read-dispatch.ts";
import { holdRunner } from "../../protocol/office/files/runner-hold.ts";
import { withdrawTokens } from "../../protocol/office/files/token.ts";
import { absolute, type Store } from "../../protocol/store/root.ts";
import { watchFolders } from "../../protocol/store/watch.ts";
import { makeFolder } from "../../protocol/store/write/make-folder.ts";
import { leaveRecorder } from "../../protocol/sync/sync/leave-recorder.ts";
import { allLaunches, launchFolder, sweepLaunches } from "../launch/launch-folder.ts";
import { lifeOfLaunch } from "../launch/launch-life.ts";
import { type BegunTurn, runTurn } from "./run-turn.ts";

/** It looks at everything this often, rung or not. */
const BEAT_MS = 2_000;

/** A turn that runs here. */
interface Running {
  position: string;
  isUsing: boolean;
  done: Promise<void>;
}

/** Runs turns until none is due for a while, or the signal says so; at once where another process is the runner. */
export async function runOffice(shared: World, signal: AbortSignal): Promise<void> {
  const tell = (type: string, more: Record<string, unknown>): void => log(shared, "office", { type, ...more });
  for (;;) {
    const hold = await holdRunner(shared);
    if (hold === null) return;
    tell("started", { home: shared.home().store.root });
    const office = new Office(shared, signal, tell, hold.renew);
    await office.untilIdle();
    hold.release();
    tell("ended", {});
    // Whoever rang just now saw a runner, and started none.
    if (signal.aborted || !office.hasWork()) return;
  }
}

class Office {
  readonly #running = new Map<string, Running>();
  /** What failed for a dispatch, and until when it is not tried again, by this process's own clock. */
  readonly #faults = new Map<string, { problem: string; untilMs: number }>();
  readonly #shared: World;
  readonly #signal: AbortSignal;
  readonly #tell: (type: string, more: Record<string, unknown>) => void;
  readonly #renew: () => boolean;
  #isHeld = true;
  #problem: string | null = null;
  #busyMs = performance.now();
  #ring: () => void = () => {};

  constructor(shared: World, signal: AbortSignal, tell: (type: string, more: Record<string, unknown>) => void, renew: () => boolean) {
    this.#shared = shared;
    this.#signal = signal;
    this.#tell = tell;
    this.#renew = renew;
  }

  #office(): Store {
    return officeToWrite(this.#shared.home().store);
  }

  /** Whether something is due. */
  hasWork(): boolean {
    return isTurnDue(withOwnHome(this.#shared));
  }

  /** Runs what is due until nothing is. */
  async untilIdle(): Promise<void> {
    const stop = new AbortController();
    const end = (): void => stop.abort();
    this.#signal.addEventListener("abort", end, { once: true });
    if (this.#signal.aborted) end();
    makeFolder(this.#office(), RING);
    this.#sweep();
    const look = (): void => {
      if (stop.signal.aborted) return;
      try {
        this.#look(stop.signal);
        this.#problem = null;
      } catch (error) {
        const said = asRefusal(this.#shared, error).message;
        if (said !== this.#problem) this.#tell("fault", { problem: said });
        this.#problem = said;
      }
      const restMs = this.#busyMs + officeLimits(this.#shared).idleMs - performance.now();
      clearTimeout(timer);
      if (!this.#isHeld || restMs <= 0) end();
      else timer = setTimeout(() => this.#ring(), restMs);
    };
    let timer: NodeJS.Timeout | undefined;
    const isOver = new Promise<void>((resolve) => {
      if (stop.signal.aborted) resolve();
      stop.signal.addEventListener("abort", () => resolve(), { once: true });
    });
    look();
    const watching = await watchFolders([absolute(this.#office(), RING)], look, BEAT_MS);
    this.#ring = () => watching.ring();
    await isOver;
    clearTimeout(timer);
    await watching.close();
    await Promise.all([...this.#running.values()].map(({ done }) => done));
    // What the one before had begun and not made whole was still a turn's when this one began.
    if (this.#isHeld) this.#sweep();
    this.#signal.removeEventListener("abort", end);
  }

  /** Removes what is left of turns whose runner was killed after their end. */
  #sweep(): void {
    const { store } = this.#shared.home();
    const isOver = ({ dispatch, turn }: { dispatch: string; turn: number }): boolean =>
      readDispatchFiles(store, dispatch)?.ends.some((end) => end.turn === turn) !== false;
    sweepLaunches(this.#office(), isOver);
    withdrawTokens(this.#shared, isOver);
    sweepSends(this.#shared, isOver);
  }

  #look(signal: AbortSignal): void {
    this.#isHeld = this.#renew();
    if (!this.#isHeld) return;
    const world = withOwnHome(this.#shared);
    completePending(world);
    goOnForKilled(world);
    const isResting = (id: string): boolean => performance.now() < (this.#faults.get(id)?.untilMs ?? 0);
    const ids = localDispatches(world).filter((id) => !this.#running.has(id) && !isResting(id));
    const due = new Map<string, number>();
    for (const id of ids)
      this.#guard(id, () => {
        const state = readDispatch(world, id);
        const turn = state?.state === "running" || state?.closed != null ? unendedTurn(state) : null;
        if (state !== null && turn !== null) this.#run(state.dispatch.recipient, { dispatch: id, turn }, signal);
        else if (state?.state === "queued") due.set(id, seqOf(world, askedBy(state) ?? ""));
        // It may have been sent something since it was read: that turn is begun by the next look, in its order.
        else if (state?.state !== "waiting") lookAfter(world, id);
      });
    // First come, first served, by the order in which mail arrived on this machine.
    for (const [id] of [...due].sort(([, a], [, b]) => a - b)) this.#guard(id, () => this.#begin(world, id, signal));
    if (due.size > 0 || this.#running.size > 0) this.#busyMs = performance.now();
  }

  /** Does something for a dispatch. Where that fails, the others go on. */
  #guard(id: string, act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#fail(id, error);
    }
  }

  /** Tells once what failed for a dispatch, such as a full disk. A later look tries again. */
  #fail(id: string, error: unknown): void {
    const problem = asRefusal(this.#shared, error).message;
    if (this.#faults.get(id)?.problem !== problem) this.#tell("fault", { dispatch: id, problem });
    this.#faults.set(id, { problem, untilMs: performance.now() + BEAT_MS });
  }

  /** Begins the next turn of a dispatch, if its position is free, and the machine has room. */
  #begin(world: World, id: string, signal: AbortSignal): void {
    const position = readDispatch(world, id)?.dispatch.recipient;
    if (position === undefined || this.#isBusy(world, position)) return;
    const using = [...this.#running].filter(([other, { isUsing }]) => isUsing && (readDispatch(world, other)?.open.length ?? 0) === 0);
    if (using.length >= officeLimits(world).turnsAtOnce) return;
    const next = nextTurn(world, id);
    if (next !== null) this.#run(position, { dispatch: id, turn: next.turn, envelope: next.envelope }, signal);
  }

  /** Whether a turn of a position runs, or a program of one that ended has not ended yet. */
  #isBusy(world: World, position: string): boolean {
    if ([...this.#running.values()].some((running) => running.position === position)) return true;
    const store = officeToWrite(world.home().store);
    return allLaunches(store).some(
      (launch) => launch.position === position && lifeOfLaunch(launchFolder(store, launch)).state === "running",
    );
  }

  #run(position: string, begun: BegunTurn, signal: AbortSignal): void {
    const running: Running = { position, isUsing: true, done: Promise.resolve() };
    this.#running.set(begun.dispatch, running);
    const runner = {
      world: this.#shared,
      limits: () => officeLimits(this.#shared),
      tell: this.#tell,
      signal,
      uses: (isUsing: boolean) => {
        running.isUsing = isUsing;
        this.#ring();
      },
    };
    running.done = runTurn(begun, runner)
      .then(() => void this.#faults.delete(begun.dispatch))
      .catch((error: unknown) => this.#fail(begun.dispatch, error))
      .finally(() => {
        this.#running.delete(begun.dispatch);
        void leaveRecorder(this.#shared).catch(() => {});
        this.#busyMs = performance.now();
        this.#ring();
      });
  }
}

/** The message for which a dispatch waits for its turn. One that was interrupted is done again for the mail that it had. */
function askedBy({ untaken, turns, ends }: DispatchState): string | null {
  const isInterrupted = ends.at(-1)?.outcome === "interrupted";
  return (isInterrupted ? turns.at(-1)?.inputs[0] : undefined) ?? untaken[0]?.message.id ?? null;
}

/** The turn of a dispatch that has no end; null where there is none. */
function unendedTurn({ turns, ends }: { turns: readonly { turn: number }[]; ends: readonly { turn: number }[] }): number | null {
  return turns.find(({ turn }) => ends.every((end) => end.turn !== turn))?.turn ?? null;
}
