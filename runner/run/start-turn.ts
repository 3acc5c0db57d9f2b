/** Starts the program of a turn: with a token and a folder of its own, and with all that a session which is gone would know. */
import path from "node:path";
import { realFolder } from "../../protocol/core/home/find-home.ts";
import { LAUNCH_VARIABLE } from "../../protocol/core/names.ts";
import { asRefusal } from "../../protocol/core/perform.ts";
import type { World } from "../../protocol/index.ts";
import { ensureWorktree } from "../../protocol/office/files/dispatch-worktree.ts";
import { earlierTurns } from "../../protocol/office/files/earlier-turns.ts";
import { dispatchesAbove, type Frozen } from "../../protocol/office/files/launch-settings.ts";
import { localFolder } from "../../protocol/office/files/local-files.ts";
import { officeToWrite } from "../../protocol/office/files/office-folder.ts";
import type { DispatchState } from "../../protocol/office/files/read-dispatch.ts";
import { digestOfToken, issueToken, withdrawToken } from "../../protocol/office/files/token.ts";
import { place } from "../../protocol/store/write/publish.ts";
import { stoppedByBudget } from "../../protocol/usage/files/budget.ts";
import { type LaunchRecord, launchFolder, makeLaunch } from "../launch/launch-folder.ts";
import { startProgram } from "../launch/launcher.ts";
import type { Bell } from "./bell.ts";
import { tellSession } from "./turn-events.ts";
import { prepareTurn } from "./turn-program.ts";

/** A program of a turn that is to be started. */
export interface Starting {
  state: DispatchState;
  launch: Frozen;
  turn: number;
  attempt: number;
  envelope: string;
  /** The session to go on with; null for a new one. */
  resumes: string | null;
  /** Rung when the program has ended. */
  wake: Bell;
}

/** What starts it. */
interface Starter {
  world: World;
  tell(type: string, more: Record<string, unknown>): void;
}

/** Starts the program of a turn. @returns its launch, or why it cannot be started */
export async function startTurn({ world, tell }: Starter, starting: Starting): Promise<LaunchRecord | string> {
  const { state, launch, turn, attempt, envelope, resumes, wake } = starting;
  const store = officeToWrite(world.home().store);
  const { id, context } = state.dispatch;
  const of = { dispatch: id, turn, attempt };
  const folder = launchFolder(store, of);
  const stopped = stoppedByBudget(world);
  if (stopped !== null) return stopped;
  const unplaced = await ensureFolderOf(world, state, launch);
  if (unplaced !== null) return unplaced;
  // A program without a session is told all that its session would know.
  const earlier = resumes === null ? earlierTurns(world, id, turn) : "";
  const told = envelope.startsWith(earlier) ? envelope : earlier + envelope;
  const token = issueToken(world, id, turn, attempt);
  const digest = digestOfToken(token);
  const prepared = await prepareTurn(world, { ...of, context, launch, envelope: told, resumes, token, folder });
  if (typeof prepared === "string") {
    withdrawToken(world, digest);
    return prepared;
  }
  const { position, program } = launch;
  const record = { ...of, position, program, session: prepared.session, resumes, token: digest, startedMs: world.now() };
  makeLaunch(store, record, { ...prepared.files, envelope });
  for (const [name, text] of Object.entries(prepared.keptFiles ?? {})) place(store, `${localFolder(id)}/${name}`, text, 0o600);
  const { argv, env } = prepared;
  const problem = await startProgram({
    folder,
    argv,
    cwd: launch.cwd,
    env: { ...env, [LAUNCH_VARIABLE]: path.basename(folder) },
    ended: () => wake.ring(),
  });
  if (problem !== null) return `its program could not be started: ${problem}`;
  if (resumes === null) tellSession(world, record);
  tell("turn_started", { ...of, position, program });
  return record;
}

/**
 * Makes the worktree of a dispatch that works in one of its own. A link on the way to the folder of its work may have come with the code, and
 * would let its agent write where that leads.
 * @returns why there can be none, or nothing may be started in it
 */
async function ensureFolderOf(world: World, { dispatch }: DispatchState, { isolation, cwd }: Frozen): Promise<string | null> {
  try {
    if (isolation === "worktree") await ensureWorktree(world, dispatch.id, dispatchesAbove(world.home().store, dispatch.parent));
  } catch (error) {
    return asRefusal(world, error).message;
  }
  const real = realFolder(cwd);
  return real === path.resolve(cwd) ? null : `its folder ${cwd} leads through a link to ${real}. Make it a folder of the repository`;
}
