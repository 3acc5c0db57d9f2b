/** Who commits the home. spec/git.md, "Git". */
import path from "node:path";
import { dateOf } from "../../store/git/git-history.ts";
import { gitResult, type Repository } from "../../store/git/git-run.ts";
import { unled } from "../../store/git/remote/git-network.ts";
import { codeRepository, HOME_GIT } from "../find-home.ts";
import { userSettings } from "./remotes.ts";

/** Who commits where nobody is configured. */
const RELAY = { name: "Relay", email: "relay@localhost" };

/** Who commits: as git is configured for the home or the code, else Relay itself, so that a fresh machine needs no set-up. */
export async function authorship(repository: Repository): Promise<Record<string, string>> {
  const user: Record<string, string> = {};
  // What comes last counts.
  for (const [name, value] of await settingsOfUser(repository)) if (value.trim() !== "") user[name.replace(/^user\./, "")] = value;
  const env: Record<string, string> = {};
  for (const role of ["AUTHOR", "COMMITTER"])
    for (const of of ["name", "email"] as const) {
      const variable = `GIT_${role}_${of.toUpperCase()}`;
      env[variable] = process.env[variable] || user[of] || RELAY[of];
    }
  return env;
}

/** What git is set to for who commits. What leads to other settings in the environment counts, as it does not where a remote is looked for. */
async function settingsOfUser(repository: Repository): Promise<[name: string, value: string][]> {
  const code = codeRepository(path.dirname(repository.workTree));
  const known =
    code === null || path.join(code.commonDir, HOME_GIT) !== repository.gitDir || Object.keys(unled()).length > 0
      ? null
      : await userSettings(code).catch(() => null);
  if (known !== null) return known;
  const around = code === null ? repository : { gitDir: code.commonDir, workTree: code.top ?? code.commonDir };
  const own = ["-c", `include.path=${path.join(repository.gitDir, "config")}`];
  const { out } = await gitResult(around, [...own, "config", "--null", "--get-regexp", "^user\\.(name|email)$"]);
  return out
    .toString("utf8")
    .split("\0")
    .map((line) => line.split("\n"))
    .flatMap(([name, value]) => (name === undefined || value === undefined ? [] : [[name, value]]));
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
