/** The stage for pushes that mean harm: a hub, and clones of it in every state, made once and copied for each push. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll } from "vitest";
import { messageId } from "../../../protocol/core/format/id.ts";
import { act, prepared } from "../../rig/clones.ts";
import { type GoodHome, makeGoodHome } from "../../rig/good-home.ts";
import { commitAll, git, repository, scratch } from "../../rig/scratch.ts";
import type { Remote } from "./remote.ts";

/** A clone that has recorded nothing of its own since the last sync; one that has; one that is made after the push; a home that is files of the code. */
export type Kind = "idle" | "merging" | "new" | "in-tree";
export const KINDS: readonly Kind[] = ["idle", "merging", "new", "in-tree"];
/** The parts that live in the clones that are there before a push. */
export const LIVING = ["main", "web", "api"];

/** What the files of the home are called. */
export type HomeNames = Omit<GoodHome, "folder" | "at" | "files">;

/** What is prepared once for a file of tests. */
export interface Stage {
  folder: string;
  home: HomeNames;
  /** The same of the home that is files of the code. */
  tree: HomeNames;
  /** What every clone has before the push: path → bytes. */
  before: ReadonlyMap<string, string>;
}

/** The stage of a file of tests: there before its first test, gone after its last. */
export function stageOfFile(): Stage {
  const stage = {} as Stage;
  beforeAll(async () => {
    const made = await prepared("stage", makeStage);
    const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "relay-stage-")));
    execFileSync("cp", ["-a", `${made}/.`, folder]);
    const names = JSON.parse(fs.readFileSync(path.join(folder, NAMES), "utf8")) as Pick<Stage, "home" | "tree">;
    Object.assign(stage, { ...names, folder, before: bytesOf(path.join(folder, "idle")) });
  });
  afterAll(() => fs.rmSync(stage.folder, { recursive: true, force: true }));
  return stage;
}

/** The file with the names of the files of the stage's homes. */
const NAMES = "names.json";

/** Makes the hub and the clones. @returns where */
async function makeStage(): Promise<string> {
  const folder = scratch();
  const made = repository();
  const idle = path.join(folder, "idle");
  fs.renameSync(made, idle);
  const hub = path.join(folder, "hub.git");
  git(folder, "init", "--quiet", "--bare", "--initial-branch=main", hub);
  for (const name of ["gc.auto", "receive.autogc", "core.logAllRefUpdates"]) git(hub, "config", name, name === "gc.auto" ? "0" : "false");
  // Relative, so that a copy of the stage has its own hub.
  git(idle, "remote", "add", "origin", "../hub.git");
  git(idle, "push", "--quiet", "origin", "main");
  const home = await makeGoodHome(idle);
  for (const part of LIVING) await act(idle, part, "inbox");
  await act(idle, undefined, "sync", { remote: "origin" });
  const { folder: merging } = await act(folder, undefined, "clone", { url: hub, folder: "merging" });
  git(merging, "remote", "set-url", "origin", "../hub.git");
  await act(merging, undefined, "sync");
  for (const part of LIVING) await act(merging, part, "inbox");
  await act(merging, "main", "send", { to: ["api"], subject: "own", body: "of the merging clone" });
  await act(merging, undefined, "record");
  const tree = path.join(folder, "in-tree");
  fs.renameSync(repository(), tree);
  const inTree = await makeGoodHome(tree, true);
  commitAll(tree, "home");
  git(folder, "clone", "--quiet", "--bare", tree, "in-tree.git");
  git(tree, "remote", "add", "origin", "../in-tree.git");
  git(tree, "fetch", "--quiet", "origin");
  git(tree, "branch", "--quiet", "--set-upstream-to=origin/main");
  fs.writeFileSync(path.join(folder, NAMES), JSON.stringify({ home, tree: inTree }));
  // One file to copy for each, and not one for each object.
  for (const each of ["hub.git", "in-tree.git", "in-tree", "idle", "idle/.relay", "merging/.relay"])
    git(path.join(folder, each), "repack", "-a", "-d", "--quiet");
  return folder;
}

/** The bytes of every file of a clone's home that clones share. */
export function bytesOf(code: string): Map<string, string> {
  const home = path.join(code, ".relay");
  const found = new Map<string, string>();
  const walk = (at: string): void => {
    for (const entry of fs.readdirSync(path.join(home, at), { withFileTypes: true })) {
      const name = at === "" ? entry.name : `${at}/${entry.name}`;
      if (/^(\.git|run|local|outbox)$/.test(name)) continue;
      if (entry.isDirectory()) walk(name);
      else
        found.set(
          name,
          entry.isFile() ? fs.readFileSync(path.join(home, name), "latin1") : `a ${entry.isSymbolicLink() ? "link" : "thing"}`,
        );
    }
  };
  walk("");
  return found;
}

let letters = 0;

/** Puts a message to `web` on a branch, as an honest clone would. Gives its id. */
export function lawfulMail(remote: Remote, { from = "api", body = "from there" } = {}): string {
  letters += 1;
  const [day, random, token] = ["2026-03-01", `abcd${String(letters).padStart(4, "0")}`, `1kg9p6je0${String(letters).padStart(5, "0")}`];
  const [thread, id] = [`t-${day.replaceAll("-", "")}-${random}`, messageId({ day, random, n: 1, token })];
  const head = `id: "${id}"\nthread: "${thread}"\nfrom: "${from}"\nto: ["web"]\nat: "2026-03-01T09:30:00.000Z"\nsubject: "lawful ${letters}"`;
  const text = `---\n${head}\n---\n${body}\n`;
  remote.write(`threads/${day}/${thread}/1-${token}.md`, text);
  remote.write(`inbox/web/new/${id}.md`, text);
  remote.commit();
  return id;
}
