/** Who commits the home. spec/git.md, "Git". */
import path from "node:path";
import { codeRepository } from "../../core/home/find-home.ts";
import { dateOf } from "../git-history.ts";
import { gitResult, type Repository } from "../git-run.ts";

/** Who commits where nobody is configured. */
const RELAY = { name: "Relay", email: "relay@localhost" };

/** Who commits: as git is configured for the home or the code, else Relay itself, so that a fresh machine needs no set-up. */
export async function authorship(repository: Repository): Promise<Record<string, string>> {
  const code = codeRepository(path.dirname(repository.workTree));
  const around = code === null ? repository : { gitDir: code.commonDir, workTree: code.top ?? code.commonDir };
  // What is included last counts.
  const own = ["-c", `include.path=${path.join(repository.gitDir, "config")}`];
  const { out } = await gitResult(around, [...own, "config", "--null", "--get-regexp", "^user\\.(name|email)$"]);
  const lines = out.toString("utf8").split("\0");
  const user: Record<string, string> = Object.fromEntries(
    lines.map((line) => line.replace(/^user\./, "").split("\n")).filter(([, value = ""]) => value.trim() !== ""),
  );
  const env: Record<string, string> = {};
  for (const role of ["AUTHOR", "COMMITTER"])
    for (const of of ["name", "email"] as const) {
      const variable = `GIT_${role}_${of.toUpperCase()}`;
      env[variable] = process.env[variable] || user[of] || RELAY[of];
    }
  return env;
}

/**
 * Who commits, and when, where Relay puts something on top of a commit: every clone that does so makes the same commit.
 * @throws Refusal `git_failed`
 */
export async function sameAuthorship(repository: Repository, commit: string): Promise<Record<string, string>> {
  const date = await dateOf(repository, commit);
  const env: Record<string, string> = {};
  for (const role of ["AUTHOR", "COMMITTER"])
    Object.assign(env, { [`GIT_${role}_NAME`]: RELAY.name, [`GIT_${role}_EMAIL`]: RELAY.email, [`GIT_${role}_DATE`]: date });
  return env;
}
