/** The environment of every git that Relay starts. It starts without the variables of `git rev-parse --local-env-vars`: inside a */
import { defined, LOCAL_VARIABLES, TRUE_HISTORY, UNASKING } from "./spawn-git.ts";

/** An environment without what ties it to one repository of git. */
export function untied(from: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(from)) {
    const tied = LOCAL_VARIABLES.has(name) || /^GIT_CONFIG_(KEY|VALUE)_\d+$/.test(name);
    if (value !== undefined && !tied) environment[name] = value;
  }
  return environment;
}

/** The environment of a git child: what ties it to the code is gone, it never waits on a prompt, and its words are known. */
export function gitEnvironment(
  from: Record<string, string | undefined>,
  extra: Record<string, string | undefined> = {},
): Record<string, string> {
  return defined({ ...untied(from), LC_ALL: "C", ...UNASKING, ...TRUE_HISTORY, ...extra });
}
