/** Where this very Relay was installed from, as another machine can install it. spec/commands.md, "init". */
import fs from "node:fs";
import path from "node:path";
import { installUrl } from "../../core/config/install-url.ts";
import { askGit } from "../../git/git.ts";
import { readPlainText } from "../../store/read/plain-file.ts";

/** The package's name in its `package.json`. */
const PACKAGE = "git-relay";

/**
 * What `npx --package` takes to run this Relay elsewhere; a name alone would be whoever's has registered it.
 * @param script what was started: a file of the package
 * @returns `why` where nobody else could install it from there
 */
export async function installedFrom(script: string | undefined): Promise<{ from: string } | { why: string }> {
  const folder = script === undefined ? null : packageOf(script);
  if (folder === null) return { why: "this Relay does not run from its own package" };
  const say = async (...args: string[]): Promise<string> => ((await askGit(folder, args)) ?? "").trim();
  // A package in some project's node_modules lies in a clone too, of that project.
  const isClone =
    (await say("rev-parse", "--show-prefix", "--is-inside-work-tree")) === "true" && (await say("ls-files", "package.json")) !== "";
  if (!isClone) return { why: "this Relay does not run from a git clone of it" };
  const commit = await say("rev-parse", "--verify", "--quiet", "HEAD");
  const url = installUrl(await say("config", "--local", "--get", "remote.origin.url"), commit);
  if (commit === "" || url === null)
    return { why: "the clone that this Relay runs from has no `origin` with an https or ssh URL without a password" };
  if ((await say("for-each-ref", "--count=1", `--contains=${commit}`, "refs/remotes/origin")) === "")
    return { why: "the commit that this Relay runs from is not on its `origin`" };
  return { from: url };
}

/** The folder of the package that a file belongs to; null of a file of another program. */
function packageOf(script: string): string | null {
  try {
    for (let at = path.dirname(fs.realpathSync.native(script)); ; at = path.dirname(at)) {
      const about = path.join(at, "package.json");
      if (fs.existsSync(about)) return (JSON.parse(readPlainText(about)) as { name?: unknown }).name === PACKAGE ? at : null;
      if (path.dirname(at) === at) return null;
    }
  } catch {
    return null;
  }
}
