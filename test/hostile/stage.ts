/**
 * The stage for pushes that mean harm: a hub, and clones of it in every state, made once and copied for each push. What
 * every push is held to is `heldTo`: nothing ran, nothing was lost, it is named, and mail still goes both ways.
 */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect } from "vitest";
import { findHome } from "../../protocol/home/discover.ts";
import { Refusal } from "../../protocol/index.ts";
import { messageId } from "../../protocol/objects/id.ts";
import { type PlaceKind, placeOf } from "../../protocol/objects/layout.ts";
import { type Answer, act } from "../clones.ts";
import { type GoodHome, makeGoodHome } from "../good-home.ts";
import { git, repository, scratch } from "../rig.ts";
import { type Remote, remoteAt } from "./remote.ts";

/** A clone that has recorded nothing of its own since the last sync; one that has; one that is made after the push; a home that is files of the code. */
export type Kind = "idle" | "merging" | "new" | "in-tree";
export const KINDS: readonly Kind[] = ["idle", "merging", "new"];

/** What is prepared once for a file of tests. */
export interface Stage {
  folder: string;
  home: Omit<GoodHome, "folder" | "at" | "files">;
  /** The same of the home that is files of the code. */
  tree: Omit<GoodHome, "folder" | "at" | "files">;
  /** What every clone has before the push: path → bytes. */
  before: ReadonlyMap<string, string>;
}

/** Files that are written once: their bytes stay, whatever is pushed. */
const ONCE = new Set<PlaceKind>([
  ...(["message", "acked", "session", "ended", "reopened", "review", "result", "decision", "claim", "artifact", "content"] as const),
  ...(["version", "label", "guest"] as const),
]);
/** Files that may change, and never go away. */
const KEPT = new Set<PlaceKind>(["config", "thread", "task", "memory", "summary", "state", "team", "pool", "events"]);

/** Prepares the hub and the clones. Remove `folder` afterwards. */
export async function setStage(): Promise<Stage> {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "relay-stage-")));
  const made = repository();
  const idle = path.join(folder, "idle");
  fs.renameSync(made, idle);
  const hub = path.join(folder, "hub.git");
  git(folder, "init", "--quiet", "--bare", "--initial-branch=main", hub);
  for (const name of ["gc.auto", "receive.autogc", "core.logAllRefUpdates"]) git(hub, "config", name, name === "gc.auto" ? "0" : "false");
  // Relative, so that a copy of the stage has its own hub.
  git(idle, "remote", "add", "origin", "../hub.git");
  git(idle, "push", "--quiet", "origin", "main");
  const { folder: _code, at: _at, files: _files, ...home } = await makeGoodHome(idle);
  await act(idle, undefined, "sync");
  const { folder: merging } = await act(folder, undefined, "clone", { url: hub, folder: "merging" });
  git(merging, "remote", "set-url", "origin", "../hub.git");
  await act(merging, undefined, "sync");
  await act(merging, "main", "send", { to: ["api"], subject: "own", body: "of the merging clone" });
  await act(merging, undefined, "record");
  const tree = path.join(folder, "in-tree");
  fs.renameSync(repository(), tree);
  const { folder: _tree, at: _atTree, files: _filesOfTree, ...inTree } = await makeGoodHome(tree, true);
  git(tree, "add", "--all");
  git(tree, "commit", "--quiet", "--message", "home");
  git(folder, "clone", "--quiet", "--bare", tree, "in-tree.git");
  git(tree, "remote", "add", "origin", "../in-tree.git");
  return { folder, home, tree: inTree, before: bytesOf(idle) };
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

/** A push, and what is expected of whoever meets it. */
export interface Trick {
  name: string;
  /** What is pushed. A commit that it does not make itself is made of what it wrote. */
  push: (remote: Remote, home: Stage["home"]) => unknown;
  /** What some report must say: the answer of sync or init, doctor, or check. Nothing where the push is lawful. */
  told?: string | RegExp;
  /** Paths that must not be on the disk. */
  never?: readonly string[];
  /** The classes of files that a lawful push changes, so that they are not compared. */
  changes?: readonly PlaceKind[];
  /** More, of each clone that met it. */
  after?: (met: Met) => unknown;
  kinds?: readonly Kind[];
}

/** A clone that met a push. */
export interface Met {
  kind: Kind;
  /** The folder of the code; the home is `.relay` in it. */
  code: string;
  hub: string;
  stage: Stage;
  remote: Remote;
  /** Absolute path in the home. */
  at(...names: string[]): string;
  act(part: string | undefined, name: Parameters<typeof act>[2], input?: Record<string, unknown>): Promise<Answer>;
  /** What the sync, or the making of the new clone, answered; a refusal's data where it was refused. */
  answered: Answer;
  /** All that is said of it: the answer, doctor, check. */
  reports: string;
}

/** What a call answers, or the refusal as an answer. */
async function answerOf(call: Promise<Answer>): Promise<Answer> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof Refusal) || error.code === "internal") throw error;
    return { refused: error.code, message: error.message, ...error.data };
  }
}

/** Plays a push to one kind of clone, and holds it to what every push is held to. */
export async function play(stage: Stage, trick: Trick, kind: Kind): Promise<void> {
  const folder = scratch();
  execFileSync("cp", ["-a", path.join(stage.folder, "hub.git"), ...(kind === "new" ? [] : [path.join(stage.folder, kind)]), folder]);
  const hub = path.join(folder, "hub.git");
  const ran = path.join(folder, "ran");
  const remote = remoteAt(hub, { canary: `touch ${ran}` });
  const tip = git(hub, "rev-parse", "relay");
  trick.push(remote, stage.home);
  if (git(hub, "rev-parse", "relay") === tip) remote.commit();
  const own = kind === "merging" ? bytesOf(path.join(folder, kind)) : stage.before;
  const code = kind === "new" ? path.join(folder, "new") : path.join(folder, kind);
  const answered = await answerOf(
    kind === "new" ? act(folder, undefined, "clone", { url: hub, folder: "new" }) : act(code, undefined, "sync"),
  );
  const met: Met = {
    kind,
    code,
    hub,
    stage,
    remote,
    at: (...names) => path.join(code, ".relay", ...names),
    act: (part, name, input) => act(code, part, name, input),
    answered,
    reports: "",
  };
  const said = [answered, await answerOf(act(code, undefined, "doctor")), await answerOf(act(code, undefined, "check"))];
  met.reports = said.map((answer) => JSON.stringify(answer)).join("\n");
  expect(fs.existsSync(ran), "a command ran").toBe(false);
  expect(lostIn(own, bytesOf(code), trick.changes ?? []), "lost or changed").toEqual([]);
  for (const name of trick.never ?? [])
    expect(fs.lstatSync(path.join(code, ".relay", name), { throwIfNoEntry: false }), `${name} is on the disk`).toBeUndefined();
  if (trick.told !== undefined) expect(met.reports).toMatch(trick.told);
  await bothWays(met);
  await trick.after?.(met);
  expect(fs.existsSync(ran), "a command ran").toBe(false);
}

/** What a clone had, and has no more, or has with other bytes. */
function lostIn(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>, changes: readonly PlaceKind[]): string[] {
  return [...before].flatMap(([at, bytes]) => {
    const place = placeOf(at);
    if (place === null || changes.includes(place.kind)) return [];
    if (ONCE.has(place.kind) && now.get(at) !== bytes) return [`${at} ${now.has(at) ? "changed" : "is gone"}`];
    if (KEPT.has(place.kind) && !now.has(at)) return [`${at} is gone`];
    if (place.kind !== "unread" || now.get(at) === bytes) return [];
    const acked = `inbox/${place.part}/read/${place.key.day}/${messageId(place.key)}.md`;
    return now.get(acked) === bytes ? [] : [`${at} ${now.has(at) ? "changed" : "is gone"}`];
  });
}

/** A lawful message from the hub reaches the clone, and one of the clone reaches the hub. */
async function bothWays({ code, hub, act: call }: Met): Promise<void> {
  const id = lawfulMail(remoteAt(hub));
  const sent = await call("web", "send", { to: ["api"], subject: "afterwards", body: "from here" });
  expect(await answerOf(call(undefined, "sync")), "the sync afterwards").not.toHaveProperty("refused");
  const unread = path.join(code, ".relay/inbox/web/new", `${id}.md`);
  expect(fs.existsSync(unread), "mail comes").toBe(true);
  expect(git(hub, "ls-tree", "-r", "--name-only", "refs/heads/relay"), "mail goes").toContain(`inbox/api/new/${sent.messageId}.md`);
}

/**
 * Plays a push to a home that is files of the code. There git itself lays out what people review, so that it is held to
 * less: nothing runs, no folder of the home becomes another home, every command still answers.
 */
export async function playInTree(stage: Stage, trick: Trick): Promise<void> {
  const folder = scratch();
  execFileSync("cp", ["-a", path.join(stage.folder, "in-tree.git"), path.join(stage.folder, "in-tree"), folder]);
  const ran = path.join(folder, "ran");
  const [hub, code] = [path.join(folder, "in-tree.git"), path.join(folder, "in-tree")];
  const remote = remoteAt(hub, { branch: "main", under: ".relay/", canary: `touch ${ran}` });
  const tip = git(hub, "rev-parse", "main");
  trick.push(remote, stage.tree);
  if (git(hub, "rev-parse", "main") === tip) remote.commit();
  git(code, "fetch", "--quiet", "origin");
  try {
    git(code, "reset", "--quiet", "--hard", "origin/main");
  } catch {
    return; // Git itself refuses to lay it out.
  }
  const folders = fs
    .readdirSync(path.join(code, ".relay"), { recursive: true, withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() ? [path.join(entry.parentPath, entry.name)] : []));
  for (const at of folders) expect(findHome(at), at).toBe(path.join(code, ".relay"));
  for (const name of ["doctor", "check", "status", "inbox"] as const) await answerOf(act(code, name === "inbox" ? "web" : undefined, name));
  await answerOf(act(code, "web", "claim_task", { task_id: stage.tree.derived, session_id: stage.tree.session }));
  await answerOf(act(code, "web", "send", { to: ["api"], subject: "afterwards", body: "from here" }));
  expect(fs.existsSync(ran), "a command ran").toBe(false);
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
