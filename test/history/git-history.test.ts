/** Settings of git hide nothing of a history from the guard. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { touchesOf } from "../../protocol/git/git-history.ts";
import { commitAll, git, repository } from "../rig/scratch.ts";

test.each(["off", "first-parent", "combined"])("log.diffMerges is %s: what a merge took away of either side is seen", async (setting) => {
  const code = repository({ "a.txt": "a", "b.txt": "b" });
  git(code, "switch", "--quiet", "--create", "side");
  fs.writeFileSync(path.join(code, "c.txt"), "c");
  commitAll(code);
  git(code, "switch", "--quiet", "main");
  git(code, "merge", "--quiet", "--no-ff", "--no-commit", "side");
  git(code, "rm", "--quiet", "--force", "a.txt", "c.txt");
  git(code, "commit", "--quiet", "--message", "merge");
  git(code, "config", "log.diffMerges", setting);
  const gone: string[] = [];
  for await (const events of touchesOf({ gitDir: path.join(code, ".git"), workTree: code }, ["HEAD"]))
    for (const { change } of events) if (change !== null && change.after === null) gone.push(change.path);
  expect(gone.sort()).toEqual(["a.txt", "a.txt", "c.txt"]);
});
