/** A command that Relay tells people to type does what it says, whatever the path of the project holds. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { act } from "../../rig/clones.ts";
import { cleanEnv, git, repository, scratch } from "../../rig/scratch.ts";

test("the command that `forget --rewrite` prints runs git in the home, and nothing that the project's path spells", async () => {
  const folder = path.join(scratch(), "a $(touch ran) `touch ran` 'b\" c");
  fs.renameSync(repository(), folder);
  await act(folder, undefined, "init", { parts: ["web"] });
  const { messageId } = await act(folder, "main", "send", { to: ["web"], subject: "s", body: "a secret" });
  const { notes, branch } = await act(folder, "main", "forget", { messageId, rewrite: true });
  const push = notes.join("\n").match(/git -C .*$/m)[0];
  const hub = path.join(scratch(), "hub.git");
  git(scratch(), "init", "--quiet", "--bare", hub);
  const cwd = scratch();
  execFileSync("sh", ["-c", push.replace("REMOTE", hub)], { cwd, env: cleanEnv(), stdio: "pipe" });
  expect(fs.readdirSync(cwd)).toEqual([]);
  expect(git(hub, "rev-parse", "relay")).toBe(git(path.join(folder, ".relay"), "rev-parse", branch));
});
