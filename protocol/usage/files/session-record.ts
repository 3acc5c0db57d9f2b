/** Where an agent keeps the records of its sessions. spec/usage.md, "Records". */
import fs from "node:fs";
import path from "node:path";
import { hostFolder } from "../../agents/files/host-folder.ts";
import { hostOf } from "../../agents/hosts/index.ts";
import { orElse } from "../../core/format/file-error.ts";
import { realFolder } from "../../core/home/find-home.ts";
import type { RecordAgent } from "../nouns/records.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** The folder below which an agent keeps its records. */
export const recordsOf = (agent: RecordAgent, env: Env): string =>
  path.join(hostFolder(hostOf(agent), env, env["HOME"] ?? ""), hostOf(agent).records?.folder ?? "");

/** The names in a folder of the user's; none where it cannot be read. */
const namesIn = (folder: string): string[] => orElse([], () => fs.readdirSync(folder));

/** A path as a name of a folder has it: each character that is no letter and no digit a dash, and none at its ends. */
export const dashed = (folder: string): string => folder.replace(/[^A-Za-z0-9]+/g, "-").replace(/^-|-$/g, "");

/** Ids of sessions are letters, digits and dashes; another text is none, and never a part of a path. */
const SESSION = /^[A-Za-z0-9-]{8,64}$/;

/**
 * The records of an agent, those with the latest names first.
 * @param isFirst which folders, right in that of its records, are looked into
 * @param session those of this one alone
 * @returns absolute paths
 */
export function recordFiles(agent: RecordAgent, env: Env, isFirst: (name: string) => boolean, session?: string): string[] {
  const { paths = [], idLength } = hostOf(agent).records ?? {};
  const id = session === undefined ? "*" : session.slice(0, idLength);
  const below = (folder: string, names: readonly string[], depth: number): string[] => {
    const [name = "", ...rest] = names;
    const fits = new RegExp(`^${name.replaceAll(".", "\\.").replaceAll("*", ".*")}$`);
    const found = name.includes("*") ? namesIn(folder).filter((each) => fits.test(each)) : [name];
    const next = found
      .filter((each) => depth > 0 || isFirst(each))
      .sort()
      .reverse();
    return next.flatMap((each) => (rest.length === 0 ? [path.join(folder, each)] : below(path.join(folder, each), rest, depth + 1)));
  };
  return paths.flatMap((each) => below(recordsOf(agent, env), each.replace("ID", id).split("/"), 0)).filter((file) => fs.existsSync(file));
}

/**
 * Finds the record of a session.
 * @param session the agent's id of it
 * @param at the folder that the agent worked in, and the environment that it was started with
 * @returns the absolute path; null where there is none
 */
export function sessionRecord(agent: RecordAgent, session: string, { cwd, env }: { cwd: string; env: Env }): string | null {
  if (!SESSION.test(session)) return null;
  const near = [cwd, realFolder(cwd)].map(dashed);
  const isNear = (name: string): boolean => hostOf(agent).records?.project !== "folder" || near.includes(dashed(name));
  return recordFiles(agent, env, isNear, session)[0] ?? recordFiles(agent, env, () => true, session)[0] ?? null;
}

/** The records of the subagents of a session, and of theirs, at any depth. @param file the session's own record */
export function subagentsOf(agent: RecordAgent, file: string): string[] {
  const { subagents } = hostOf(agent).records ?? {};
  if (subagents === undefined) return [];
  const below = (folder: string): string[] =>
    orElse([], () => fs.readdirSync(folder, { withFileTypes: true })).flatMap((each) => {
      const at = path.join(folder, each.name);
      return each.isDirectory() ? below(at) : each.name.endsWith(".jsonl") ? [at] : [];
    });
  return below(path.join(file.replace(/\.jsonl$/, ""), subagents));
}
