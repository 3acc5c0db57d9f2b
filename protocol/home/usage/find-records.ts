/** Finds the agents' own records of this project: those of sessions that began in one of its worktrees. spec/usage.md, "Records". */
import path from "node:path";
import { orElse } from "../../objects/format/file-error.ts";
import type { RecordAgent } from "../../objects/usage/records.ts";
import { beginningOf } from "../../store/beside/user-file.ts";
import { sha256 } from "../../store/digest.ts";
import type { World } from "../../world.ts";
import { codeRepository, firstLine, realFolder } from "../find-home.ts";
import { linkedWorktrees, partOf } from "../worktree-part.ts";
import type { AgentRecord } from "./collect-usage.ts";
import { dashed, namesIn, recordsOf, subagentsOf } from "./session-record.ts";

/** A record, and the worktree that its session began in. */
export interface FoundRecord extends AgentRecord {
  /** Absolute path of the top of the worktree. */
  top: string;
  /** The part that the worktree is. */
  part: string | null;
}

/** A record says within its first bytes where its session began. */
const BEGINNING_BYTES = 65_536;

/** Every record of this project's worktrees, of all agents. */
export function findRecords(world: World): FoundRecord[] {
  const tops = worktreesOf(world);
  const agents: readonly [RecordAgent, (world: World, tops: readonly string[]) => [file: string, top: string][]][] = [
    ["claude", claudeRecords],
    ["codex", codexRecords],
    ["gemini", geminiRecords],
  ];
  const parts = new Map(tops.map((top) => [top, partOf(world, top)]));
  return agents.flatMap(([agent, find]) => find(world, tops).map(([file, top]) => ({ agent, file, top, part: parts.get(top) ?? null })));
}

/** The tops of this project's worktrees; outside of git the folder of the home. */
function worktreesOf(world: World): string[] {
  const beside = path.dirname(world.home().store.root);
  const repository = codeRepository(beside);
  if (repository === null) return [beside];
  const main = path.basename(repository.commonDir) === ".git" ? [path.dirname(repository.commonDir)] : [];
  return [...new Set([...main, ...linkedWorktrees(repository.commonDir)].map(realFolder))];
}

/** The worktree that a folder lies in: the innermost of several. */
function topAround(tops: readonly string[], folder: string): string | null {
  const at = realFolder(folder);
  const around = tops.filter((top) => at === top || at.startsWith(`${top}${path.sep}`));
  return around.sort((a, b) => b.length - a.length)[0] ?? null;
}

/** Claude Code: a folder for each working directory, its path with dashes, and one in it for the subagents of a session. */
function claudeRecords(world: World, tops: readonly string[]): [string, string][] {
  const projects = recordsOf("claude", world.env);
  const ours = tops.map(dashed);
  const folders = namesIn(projects).filter((name) => ours.some((top) => name === top || name.startsWith(`${top}-`)));
  const files = folders.flatMap((folder) => {
    const at = path.join(projects, folder);
    return namesIn(at).flatMap((name) => (name.endsWith(".jsonl") ? [path.join(at, name)] : subagentsOf(path.join(at, name))));
  });
  return files.flatMap((file) => begunIn(tops, file));
}

/** Codex: a file for each thread, by the day that it began. */
function codexRecords(world: World, tops: readonly string[]): [string, string][] {
  const below = (folder: string, depth: number): string[] =>
    namesIn(folder).flatMap((name) =>
      depth === 0 ? (/^rollout-.*\.jsonl$/.test(name) ? [path.join(folder, name)] : []) : below(path.join(folder, name), depth - 1),
    );
  return below(recordsOf("codex", world.env), 3).flatMap((file) => begunIn(tops, file));
}

/** Where a record says that its session began. */
function begunIn(tops: readonly string[], file: string): [string, string][] {
  const said = /"cwd":("(?:[^"\\]|\\.)*")/.exec(beginningOf(file, BEGINNING_BYTES) ?? "")?.[1];
  const folder = said === undefined ? null : orElse(null, () => JSON.parse(said) as string);
  const top = folder === null ? null : topAround(tops, folder);
  return top === null ? [] : [[file, top]];
}

/** Gemini CLI: a folder for each project, which says its root, or has a name that is its digest. */
function geminiRecords(world: World, tops: readonly string[]): [string, string][] {
  const projects = recordsOf("gemini", world.env);
  return namesIn(projects).flatMap((name): [string, string][] => {
    const at = path.join(projects, name);
    const root = firstLine(path.join(at, ".project_root"));
    const top = root === null ? (tops.find((each) => sha256(each) === name) ?? null) : topAround(tops, root);
    if (top === null) return [];
    const chats = path.join(at, "chats");
    return namesIn(chats).flatMap((each): [string, string][] => (/\.jsonl?$/.test(each) ? [[path.join(chats, each), top]] : []));
  });
}
