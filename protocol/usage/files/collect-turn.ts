/** Collects the calls of a turn when it ends: those of its session's own record, and of its subagents'. spec/usage.md, "Collecting". */
import fs from "node:fs";
import { hostOf } from "../../agents/hosts/index.ts";
import { codeRepository, realFolder } from "../../core/home/find-home.ts";
import type { World } from "../../core/world.ts";
import { ownName } from "../../mail/files/members.ts";
import { type RecordAgent, readRecord } from "../nouns/records.ts";
import { collectRecord, keepCalls, type Whose } from "./collect-usage.ts";
import { noteMissing } from "./missing-records.ts";
import { sessionRecord, subagentsOf } from "./session-record.ts";
import { whoseCalls } from "./whose-calls.ts";

/**
 * Collects a turn that a hook tells of.
 * @param told absolute path of the session's record, as the agent tells its hooks; some name one that is not there
 * @param session the agent's id of the session, where its hook says that
 */
export function collectTurn(world: World, agent: RecordAgent, told: string, session?: string): void {
  const part = world.me.part === null ? null : ownName(world, world.me.part);
  const found = session === undefined || fs.existsSync(told) ? null : sessionRecord(agent, session, { cwd: world.cwd, env: world.env });
  const file = found ?? told;
  if (!fs.existsSync(file)) noteMissing(world, agent, file);
  collectFiles(world, agent, file, whoseCalls(world, part, codeRepository(world.cwd)?.top ?? realFolder(world.cwd)));
}

/** Collects calls that a hook tells of itself. @param calls each as a line of the agent's record */
export function collectCalls(world: World, agent: RecordAgent, calls: readonly string[]): void {
  const part = world.me.part === null ? null : ownName(world, world.me.part);
  const whose = whoseCalls(world, part, codeRepository(world.cwd)?.top ?? realFolder(world.cwd));
  keepCalls(
    world,
    readRecord(agent, calls, undefined).calls.map((call) => ({ ...call, ...whose })),
  );
}

/** A turn of the office that ended. */
interface OfficeTurn {
  agent: RecordAgent;
  /** The agent's id of its session: of Codex the thread's. */
  session: string;
  /** Absolute path of the folder that the agent worked in. */
  cwd: string;
  /** The environment that it was started with: where its records lie. */
  env: Readonly<Record<string, string | undefined>>;
  /** Absolute path of what it printed: the record of one that has no others. */
  printed?: string;
  /** The dispatch, and the position that worked on it. */
  dispatch: string;
  part: string;
}

/**
 * Collects a turn of the office from the record that the agent keeps. Each call has the id that a hook gives it too, so that it counts
 * once. A session of Codex says in its stream only what the whole thread had so far; its record has each call.
 * @returns how many calls were new; null where there is no such record, or it cannot be read
 */
export function collectOfficeTurn(world: World, { agent, session, cwd, env, printed, dispatch, part }: OfficeTurn): number | null {
  const file = hostOf(agent).records?.paths.length === 0 ? (printed ?? null) : sessionRecord(agent, session, { cwd, env });
  const top = codeRepository(cwd)?.top ?? realFolder(cwd);
  return file === null ? null : collectFiles(world, agent, file, { ...whoseCalls(world, part, top), dispatch });
}

function collectFiles(world: World, agent: RecordAgent, file: string, whose: Whose): number | null {
  const counts = [file, ...subagentsOf(agent, file)].map((each) => collectRecord(world, { agent, file: each }, whose));
  return counts[0] === null ? null : counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
}
