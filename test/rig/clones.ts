/** Clones of one repository that share their homes through a bare one on this disk, and what of the code must never change. */
import fs from "node:fs";
import path from "node:path";
import { operations, perform } from "../../protocol/index.ts";
import { git, repository, scratch, tree, worldAt } from "./rig.ts";

// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever was answered.
export type Answer = any;

/** Calls an operation as a part. */
export const act = (
  cwd: string,
  part: string | undefined,
  name: keyof typeof operations,
  input: Record<string, unknown> = {},
): Promise<Answer> => perform(worldAt(cwd, part === undefined ? {} : { part }), operations[name], input);

/** What of the code's repository must never change, byte for byte. */
export function codeState(code: string): Record<string, string> {
  return {
    head: git(code, "rev-parse", "HEAD"),
    status: git(code, "status", "--porcelain", "--untracked-files=all"),
    stash: git(code, "stash", "list"),
    refs: git(code, "for-each-ref"),
    config: fs.readFileSync(path.join(code, ".git/config"), "utf8"),
    index: fs.readFileSync(path.join(code, ".git/index")).toString("hex"),
    ...tree(code, /^\.(git|relay)(\/|$)/),
  };
}

/** What clones share of a home, with the bytes. */
export const shared = (code: string): Record<string, string> => tree(path.join(code, ".relay"), /^(\.git|run|local|outbox)(\/|$)/);

/** A new code repository with a home and a bare remote `origin`, synced once. */
export async function shop(...parts: string[]): Promise<{ hub: string; code: string }> {
  const code = repository();
  const hub = path.join(path.dirname(code), "hub.git");
  git(path.dirname(code), "init", "--quiet", "--bare", "--initial-branch=main", hub);
  git(hub, "config", "gc.auto", "0");
  git(hub, "config", "receive.autogc", "false");
  git(code, "remote", "add", "origin", hub);
  git(code, "push", "--quiet", "origin", "main");
  await act(code, undefined, "init", { parts });
  await act(code, undefined, "sync");
  return { hub, code };
}

/** Another clone of it, home and all. */
export async function cloneOf(hub: string): Promise<string> {
  const { folder } = await act(scratch(), undefined, "clone", { url: hub, folder: "code" });
  return folder;
}

/** The subject of the last commit of a home. */
export const lastSubject = (code: string): string => git(path.join(code, ".relay"), "log", "-1", "--format=%s").trim();
/** How many commits a home has. */
export const commits = (code: string): number => Number(git(path.join(code, ".relay"), "rev-list", "--count", "HEAD"));
