/**
 * Playing a push to a home that is files of the code. There git itself checks out what people review, so that it is held to
 * less: nothing runs, no folder of the home becomes another home, every command still answers, what git takes back is
 * back byte for byte, and mail goes both ways by git afterwards.
 */

import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { findHome } from "../../../protocol/core/home/find-home.ts";
import { act } from "../../rig/clones.ts";
import { commitAll, git, scratch } from "../../rig/scratch.ts";
import { remoteAt } from "./remote.ts";
import { bytesOf, lawfulMail, type Stage } from "./stage.ts";
import { answerOf, type Trick } from "./trick.ts";

/** What came, whatever tags have the name of a branch. */
const CAME = "refs/remotes/origin/main";

/** Plays a push to a copy of the stage's home in the tree, as a pull would bring it. */
export async function playInTree(stage: Stage, trick: Trick): Promise<void> {
  const folder = scratch();
  execFileSync("cp", ["-a", path.join(stage.folder, "in-tree.git"), path.join(stage.folder, "in-tree"), folder]);
  const [hub, code, ran] = [path.join(folder, "in-tree.git"), path.join(folder, "in-tree"), path.join(folder, "ran")];
  const remote = remoteAt(hub, { branch: "main", under: ".relay/", canary: `touch ${ran}` });
  const [tip, before] = [remote.tip(), bytesOf(code)];
  await trick.push(remote, stage.tree);
  if (remote.tip() === tip) remote.commit();
  if (pull(code)) {
    const folders = fs
      .readdirSync(path.join(code, ".relay"), { recursive: true, withFileTypes: true })
      .flatMap((entry) => (entry.isDirectory() ? [path.join(entry.parentPath, entry.name)] : []));
    const home = path.join(code, ".relay");
    for (const at of folders) expect(findHome(at), at).toBe(fs.existsSync(path.join(home, "relay.yml")) ? home : null);
    for (const name of ["doctor", "check", "status", "inbox"] as const)
      await answerOf(act(code, name === "inbox" ? "web" : undefined, name));
    await answerOf(act(code, "web", "claim_task", { task_id: stage.tree.derived, session_id: stage.tree.session }));
    await answerOf(act(code, "web", "send", { to: ["api"], subject: "meanwhile", body: "from here" }));
    expect(fs.existsSync(ran), "a command ran").toBe(false);
  }
  takeBack(code, tip);
  expect(bytesOf(code), "what is back").toEqual(before);
  await goesBothWays(code, hub);
  expect(fs.existsSync(ran), "a command ran").toBe(false);
}

/** Lays the branch out. @returns false where git itself refuses to */
function pull(code: string): boolean {
  git(code, "fetch", "--quiet", "origin");
  try {
    git(code, "reset", "--quiet", "--hard", CAME);
    return true;
  } catch {
    return false;
  }
}

/** Puts back what was there before, as people do: on top of what came, by git. */
function takeBack(code: string, tip: string): void {
  git(code, "reset", "--quiet", "--hard", tip);
  git(code, "clean", "-ffdq");
  git(code, "merge", "--quiet", "--strategy=ours", "--allow-unrelated-histories", "--message=take it back", CAME);
}

async function goesBothWays(code: string, hub: string): Promise<void> {
  const sent = await act(code, "web", "send", { to: ["api"], subject: "afterwards", body: "from here" });
  commitAll(code, "mail");
  // By its whole name: a tag that came may be called HEAD.
  git(code, "push", "--quiet", "origin", "refs/heads/main:refs/heads/main");
  const remote = remoteAt(hub, { branch: "main", under: ".relay/" });
  expect(remote.paths(/^inbox\/api\/new\//), "mail goes").toContain(`inbox/api/new/${sent.messageId}.md`);
  const id = lawfulMail(remote);
  git(code, "pull", "--quiet", "--ff-only", "origin", "refs/heads/main");
  const { messages } = await act(code, "web", "inbox", { limit: 200 });
  expect(
    messages.map((each: { messageId: string }) => each.messageId),
    "mail comes",
  ).toContain(id);
}
