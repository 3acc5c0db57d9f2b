/** Where an agent keeps the record of one session. spec/usage.md, "Records". */
import fs from "node:fs";
import path from "node:path";
import { orElse } from "../../objects/format/file-error.ts";
import { hostOf } from "../../objects/host/index.ts";
import type { RecordAgent } from "../../objects/usage/records.ts";
import { realFolder } from "../find-home.ts";
import { hostFolder } from "../host-folder.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** The folder below which an agent keeps its records. */
export const recordsOf = (agent: RecordAgent, env: Env): string =>
  path.join(hostFolder(hostOf(agent), env, env["HOME"] ?? ""), hostOf(agent).records ?? "");

/** The names in a folder of the user's; none where it cannot be read. */
export const namesIn = (folder: string): string[] => orElse([], () => fs.readdirSync(folder));

/** A working directory as Claude Code names its folder of records. */
export const dashed = (folder: string): string => folder.replace(/[^A-Za-z0-9]/g, "-");

/** Ids of sessions are letters, digits and dashes; another text is none, and never a part of a path. */
const SESSION = /^[A-Za-z0-9-]{8,64}$/;

/**
 * Finds the record of a session.
 * @param session the agent's id of it
 * @param at the folder that the agent worked in, and the environment that it was started with
 * @returns the absolute path; null where there is none
 */
export function sessionRecord(agent: RecordAgent, session: string, { cwd, env }: { cwd: string; env: Env }): string | null {
  if (!SESSION.test(session)) return null;
  const root = recordsOf(agent, env);
  if (agent === "codex") return codexRecord(root, session);
  if (agent === "claude") {
    const folders = [...new Set([cwd, realFolder(cwd)].map(dashed)), ...namesIn(root)];
    return firstFile(folders.map((folder) => path.join(root, folder, `${session}.jsonl`)));
  }
  const chats = namesIn(root).map((project) => path.join(root, project, "chats"));
  const isOf = (name: string): boolean => /^session-.*\.jsonl?$/.test(name) && name.includes(session.slice(0, 8));
  return firstFile(chats.flatMap((folder) => namesIn(folder).flatMap((name) => (isOf(name) ? [path.join(folder, name)] : []))));
}

/** A rollout lies in the folder of the day that its thread began; the newest days are searched first. */
function codexRecord(root: string, session: string): string | null {
  const below = (folder: string, depth: number): string | null => {
    const names = namesIn(folder).sort().reverse();
    if (depth === 0) {
      const name = names.find((each) => each.startsWith("rollout-") && each.endsWith(`-${session}.jsonl`));
      return name === undefined ? null : path.join(folder, name);
    }
    for (const name of names) {
      const found = below(path.join(folder, name), depth - 1);
      if (found !== null) return found;
    }
    return null;
  };
  return below(root, 3);
}

const firstFile = (files: readonly string[]): string | null => files.find((file) => fs.existsSync(file)) ?? null;

/** The records of the subagents of a session of Claude Code. @param file the session's own record */
export function subagentsOf(file: string): string[] {
  const folder = path.join(file.replace(/\.jsonl$/, ""), "subagents");
  return namesIn(folder).flatMap((name) => (name.endsWith(".jsonl") ? [path.join(folder, name)] : []));
}
