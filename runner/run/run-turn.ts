/** One turn from its beginning to its end, in this process or gone on with after another runner was killed. */

import type { Program } from "../../protocol/agents/hosts/program.ts";
import type { World } from "../../protocol/index.ts";
import { worktreeReport } from "../../protocol/office/files/dispatch-worktree.ts";
import { endTurn, type TurnResult } from "../../protocol/office/files/end-turn.ts";
import { type Frozen, readFrozen } from "../../protocol/office/files/launch-settings.ts";
import { envelopeAgain } from "../../protocol/office/files/next-turn.ts";
import { officeToWrite } from "../../protocol/office/files/office-folder.ts";
import type { OfficeLimits } from "../../protocol/office/files/office-limits.ts";
import { forgetSends, noteSends } from "../../protocol/office/files/open-sends.ts";
import { isClosed } from "../../protocol/office/files/own-files.ts";
import { type DispatchState, readDispatch } from "../../protocol/office/files/read-dispatch.ts";
import { wasConnected, withdrawToken } from "../../protocol/office/files/token.ts";
import { ageMs } from "../../protocol/store/read/facts.ts";
import { readText } from "../../protocol/store/read/read-file.ts";
import type { Store } from "../../protocol/store/root.ts";
import { type LaunchRecord, launchesOf, launchFolder, launchPath, removeLaunch } from "../launch/launch-folder.ts";
import { leftRunning, lifeOfLaunch } from "../launch/launch-life.ts";
import { type Ended, outcomeOf } from "../programs/outcome.ts";
import { programOf } from "../programs/programs.ts";
import { turnUsage } from "../programs/turn-usage.ts";
import { Bell } from "./bell.ts";
import { collectCalls } from "./collect-calls.ts";
import { followLaunch, forsake } from "./follow-launch.ts";
import { startTurn } from "./start-turn.ts";
import { turnEvents } from "./turn-events.ts";

/** A turn that has begun. */
export interface BegunTurn {
  dispatch: string;
  turn: number;
  /** What the program reads, where this process began the turn; a turn that is gone on with has it in its launch, without what its program is told beside it. */
  envelope?: string | undefined;
}

/** What a turn needs of its runner. */
export interface TurnRunner {
  world: World;
  limits(): OfficeLimits;
  tell(type: string, more: Record<string, unknown>): void;
  /** Aborted when the runner ends; what runs goes on without it. */
  signal: AbortSignal;
  /** Told whether the turn uses the machine: not while it waits for a model's limit. */
  uses(isUsing: boolean): void;
}

/** The pause where a model is over its limit grows to so many times the first. */
const LONGEST = 20;
/** More than the longest input of a turn, in bytes of UTF-8, told twice. */
const ENVELOPE_BYTES = 64 * 1_048_576;
const LAST_LINES = 20;

/** Runs a turn to its end, and writes that end. Where the runner ends before, the next one goes on. */
export async function runTurn(begun: BegunTurn, runner: TurnRunner): Promise<void> {
  const { world, tell } = runner;
  const { dispatch, turn } = begun;
  const ended = await resultOf(begun, runner);
  if (ended === null) return;
  const store = officeToWrite(world.home().store);
  const launches = launchesOf(store, dispatch, turn);
  const left = launches.flatMap((launch) => leftRunning(launchFolder(store, launch)) ?? []);
  const reported = await withReport(world, dispatch, ended);
  const result = left.length === 0 ? reported : { ...reported, problem: [reported.problem, ...left].filter(Boolean).join("; ") };
  endTurn(world, dispatch, turn, result);
  tell("turn_ended", { dispatch, turn, outcome: result.outcome, problem: result.problem });
  forgetSends(world, dispatch, turn);
  for (const launch of launches) forgetLaunch(world, launch);
}

/** What the program of a launch was told of its turn. */
const envelopeOf = (store: Store, launch: LaunchRecord): string | null => readText(store, launchPath(launch, "envelope"), ENVELOPE_BYTES);

/** Removes a launch that is over and read, and takes its token back. */
function forgetLaunch(world: World, launch: LaunchRecord): void {
  withdrawToken(world, launch.token);
  removeLaunch(officeToWrite(world.home().store), launch);
}

/** The result with what the dispatch did in a worktree of its own. */
async function withReport(world: World, dispatch: string, result: TurnResult): Promise<TurnResult> {
  const isGood = result.outcome === "ok" || result.outcome === "empty";
  const report = isGood ? await worktreeReport(world, dispatch).catch(() => null) : null;
  return report === null ? result : { ...result, text: [result.text, report].filter((text) => text !== "").join("\n\n") };
}

/** How a turn ended; null where the runner ended before. */
async function resultOf(begun: BegunTurn, runner: TurnRunner): Promise<TurnResult | null> {
  const { world, signal } = runner;
  const { dispatch, turn } = begun;
  const store = officeToWrite(world.home().store);
  const state = readDispatch(world, dispatch);
  const launch = readFrozen(world.home().store, dispatch);
  const earlier = launchesOf(store, dispatch, turn);
  let record = earlier.at(-1);
  const envelope = begun.envelope ?? (record === undefined ? null : envelopeOf(store, record));
  // Its runner was killed before a launch was made: nothing ran, so the next turn is given the same.
  if (state === null || launch === null || envelope === null) return { outcome: "interrupted", text: "" };
  const wake = new Bell();
  if (record !== undefined && lifeOfLaunch(launchFolder(store, record)).state === "starting") forsake(store, record);
  const over = (ended: Ended, outcome: Judged): TurnResult => resultFrom(state, programOf(launch.program), ended, outcome);
  let resumes = record?.resumes === undefined ? sessionOf(state) : record.resumes;
  for (let tries = earlier.length; ; ) {
    if (record === undefined) {
      const told = tries === 0 ? envelope : (envelopeAgain(world, dispatch, turn) ?? envelope);
      const started = await startTurn(runner, { state, launch, turn, attempt: tries + 1, envelope: told, resumes, wake });
      if (typeof started === "string") return { outcome: "failed", heard: false, problem: started, text: "" };
      record = started;
      tries += 1;
    }
    const ended = await follow(runner, record, launch, wake);
    if (ended === null) return null;
    if (ended === "void") {
      record = undefined;
      continue;
    }
    await collectCalls(world, record, launch, ended.reading.session ?? record.session, runner.tell);
    const outcome = outcomeOf(withTools(world, record, ended));
    if (outcome.outcome !== "again") return over(ended, outcome);
    const { retries, retryMs } = runner.limits();
    if (tries > retries) return over(ended, { outcome: "failed", problem: outcome.problem });
    if (outcome.why === "limited") {
      const pauseMs = Math.min(2 ** (tries - 1), LONGEST) * retryMs;
      runner.tell("turn_limited", { dispatch, turn, tries, seconds: Math.round(pauseMs / 1_000), problem: outcome.problem });
      runner.uses(false);
      while ((ageMs(store, launchPath(record, "exit")) ?? pauseMs) < pauseMs) {
        if (signal.aborted) return null;
        if (isClosed(world.home().store, dispatch)) return over(ended, { outcome: "closed", problem: outcome.problem });
        await wake.wait();
      }
      runner.uses(true);
      // What it did by then is in its session.
      if (ended.reading.steps > 0) resumes = ended.reading.session ?? resumes;
    }
    // Nobody knows what a session has that began without tools.
    else resumes = null;
    record = undefined;
  }
}

/**
 * What ended, and whether Relay's tools were asked for. Programs go on without a server that failed, and may say that it is there: the
 * server's own record of this launch's token counts.
 */
function withTools(world: World, { program, token }: LaunchRecord, ended: Ended): Ended {
  const { reading } = ended;
  if (programOf(program).isPlain === true || reading.last !== "ok") return ended;
  return { ...ended, reading: { ...reading, tools: wasConnected(world, token) ? "connected" : "missing" } };
}

function follow(runner: TurnRunner, record: LaunchRecord, launch: Frozen, wake: Bell): Promise<Ended | "void" | null> {
  const { world, signal } = runner;
  const { dispatch } = record;
  return followLaunch(record, {
    store: officeToWrite(world.home().store),
    limits: runner.limits,
    maxTurns: launch.maxTurns,
    now: () => world.now(),
    isClosed: () => isClosed(world.home().store, dispatch),
    told: turnEvents(world, record, runner.limits),
    asked: (sends, open) => noteSends(world, dispatch, record.turn, sends, open),
    isWaiting: () => (readDispatch(world, dispatch)?.open.length ?? 0) > 0,
    pause: () => wake.wait(),
    signal,
  });
}

/** The session of the program in the last turn that had one; null where none did. */
const sessionOf = ({ ends }: DispatchState): string | null =>
  ends.reduce<string | null>((last, { agentSession }) => agentSession ?? last, null);

/** How a turn is judged that is over. */
interface Judged {
  outcome: TurnResult["outcome"];
  problem?: string;
}

function resultFrom({ ends }: DispatchState, program: Program, { reading, exit, words }: Ended, { outcome, problem }: Judged): TurnResult {
  const isGood = outcome === "ok" || outcome === "empty";
  const text = isGood ? reading.text : words.trimEnd().split("\n").slice(-LAST_LINES).join("\n");
  const openCalls = program.isPlain === true ? undefined : reading.calls.size;
  return {
    outcome,
    heard: program.isPlain === true || isGood || reading.steps > 0,
    exit: exit ?? undefined,
    agentSession: reading.session,
    usage: turnUsage(program, reading, ends),
    problem,
    openCalls,
    text,
  };
}
