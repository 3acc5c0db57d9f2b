/** A home's branch that was checked out as if it were the code, as in a clone when the remote's HEAD is on it. spec/commands.md, "Finding the home". */

import fs from "node:fs";
import path from "node:path";
import { CONFIG_PATH } from "../../core/config/config-schema.ts";
import { gitDirectory, HOME_FOLDER, HOME_GIT } from "../../core/home/find-home.ts";
import { type Refusal, refuse } from "../../core/refusal.ts";
import { askGit } from "../git.ts";

/** The refusal of a folder that lies in a checkout of a home's branch; null of any other. */
export async function checkedOutHome(from: string): Promise<Refusal | null> {
  const folder = checkoutOf(path.resolve(from));
  if (folder === null) return null;
  const said = async (...args: string[]): Promise<string[]> =>
    ((await askGit(folder, args)) ?? "").split("\n").filter((line) => line !== "");
  const [branch = "HEAD"] = await said("symbolic-ref", "--short", "HEAD");
  const names = await said("for-each-ref", "--format=%(refname:lstrip=3)", "refs/remotes/");
  const others = [...names, ...(await said("for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads/"))].filter(
    (name) => name !== branch && name !== "HEAD",
  );
  return refuse("home_checked_out", { folder, branch, other: USUAL.find((name) => others.includes(name)) ?? others[0] ?? null });
}

/** Branches of code by their usual names. */
export const USUAL = ["main", "master"];

/** The top of a working tree that holds a home's files, though it is not the home's own folder. */
export function checkoutOf(from: string): string | null {
  for (let at = from; ; at = path.dirname(at)) {
    if (path.basename(at) === HOME_FOLDER) return null;
    const gitDir = gitDirectory(path.join(at, ".git"));
    if (gitDir !== null) {
      const isHomesOwn = path.basename(gitDir) === HOME_GIT && !fs.existsSync(path.join(gitDir, "commondir"));
      return !isHomesOwn && OF_A_HOME.every((name) => fs.existsSync(path.join(at, name))) ? at : null;
    }
    if (path.dirname(at) === at) return null;
  }
}

/** What a home's branch has at its top, and the code has not. */
export const OF_A_HOME = [CONFIG_PATH, "RELAY.md"];
