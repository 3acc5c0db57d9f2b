/** Finds the agents' own records of this project: those of sessions that began in one of its worktrees. spec/usage.md, "Records". */

import path from "node:path";
import { hostOf } from "../../agents/hosts/index.ts";
import { orElse } from "../../core/format/file-error.ts";
import { codeRepository, realFolder } from "../../core/home/find-home.ts";
import { goneWorktrees, partOf } from "../../core/home/worktree-part.ts";
import type { World } from "../../core/world.ts";
import { currentName } from "../../mail/files/members.ts";
import { beginningOf } from "../../store/beside/user-file.ts";
import { sha256 } from "../../store/digest.ts";
import { linkedWorktrees } from "../../store/linked-worktrees.ts";
import { firstLineIn } from "../../store/read/plain-file.ts";
import { RECORD_AGENTS, type RecordAgent } from "../nouns/records.ts";
import type { AgentRecord } from "./collect-usage.ts";
import { dashed, recordFiles, recordsOf, subagentsOf } from "./session-record.ts";

/** A record, and the worktree that its session began in, which may be gone. */
export interface FoundRecord extends AgentRecord {
  /** Absolute path of the top of the worktree. */
  top: string;
  /** The part that the worktree is. */
  part: string | null;
}

/** A record says within its first bytes where its session began. */
const BEGINNING_BYTES = 65_536;

/** Every record of this project's worktrees, and of former ones that were parts, of all agents. */
export function findRecords(world: World): FoundRecord[] {
  const here = worktreesOf(world);
  const gone = new Map(goneWorktrees(world).map(({ top, part }) => [top, currentName(world, part)]));
  const tops = [...here, ...gone.keys()];
  const parts = new Map([...gone, ...here.map((top) => [top, partOf(world, top)] as const)]);
  return RECORD_AGENTS.flatMap((agent) =>
    recordsIn(world, agent, tops).map(([file, top]) => ({ agent, file, top, part: parts.get(top) ?? null })),
  );
}

/** The tops of this project's worktrees; outside of git the folder of the home. */
function worktreesOf(world: World): string[] {
  const beside = path.dirname(world.home().store.root);
  const repository = codeRepository(beside);
  if (repository === null) return [beside];
  const main = path.basename(repository.commonDir) === ".git" ? [path.dirname(repository.commonDir)] : [];
  return [...new Set([...main, ...linkedWorktrees(repository.commonDir).map(({ top }) => top)].map(realFolder))];
}

/** The worktree that a folder lies in: the innermost of several. */
function topAround(tops: readonly string[], folder: string): string | null {
  const at = realFolder(folder);
  const around = tops.filter((top) => at === top || at.startsWith(`${top}${path.sep}`));
  return around.sort((a, b) => b.length - a.length)[0] ?? null;
}

/** The records of one agent, each with the worktree that its session began in. */
function recordsIn(world: World, agent: RecordAgent, tops: readonly string[]): [file: string, top: string][] {
  const { project } = hostOf(agent).records ?? {};
  if (project === "file") {
    const root = recordsOf(agent, world.env);
    const of = (name: string): string | null => {
      const said = firstLineIn(path.join(root, name, ".project_root"));
      return said === null ? (tops.find((each) => sha256(each) === name) ?? null) : topAround(tops, said);
    };
    return recordFiles(agent, world.env, (name) => of(name) !== null).map((file) => [
      file,
      of(path.relative(root, file).split(path.sep)[0] as string) as string,
    ]);
  }
  const ours = tops.map(dashed);
  const isOurs = (name: string): boolean => ours.some((top) => `${dashed(name)}-`.startsWith(`${top}-`));
  const files = recordFiles(agent, world.env, project === "folder" ? isOurs : () => true);
  return files.flatMap((file) => [file, ...subagentsOf(agent, file)]).flatMap((file) => begunIn(tops, file));
}

/** Where a record says that its session began. */
function begunIn(tops: readonly string[], file: string): [string, string][] {
  const said = /"cwd":("(?:[^"\\]|\\.)*")/.exec(beginningOf(file, BEGINNING_BYTES) ?? "")?.[1];
  const folder = said === undefined ? null : orElse(null, () => JSON.parse(said) as string);
  const top = folder === null ? null : topAround(tops, folder);
  return top === null ? [] : [[file, top]];
}
