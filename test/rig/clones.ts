/** Clones of one repository that share their homes through a bare one on this disk, and what of the code must never change. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { operations, perform } from "../../protocol/index.ts";
import { bindHere } from "../../protocol/mail/files/bound-parts.ts";
import { place } from "../../protocol/store/write/publish.ts";
import { machineStore, readMachine } from "../../protocol/trust/files/machine.ts";
import { settle, worldAt } from "./home.ts";
import { git, repository, scratch, tree } from "./scratch.ts";

// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever was answered.
export type Answer = any;

/** Calls an operation as a part. */
export const act = (
  cwd: string,
  part: string | undefined,
  name: keyof typeof operations,
  input: Record<string, unknown> = {},
): Promise<Answer> => perform(worldAt(cwd, part === undefined ? {} : { part }), operations[name], input);

/** What of the code's repository must never change, byte for byte. */
export function codeState(code: string): Record<string, string> {
  return {
    head: git(code, "rev-parse", "HEAD"),
    status: git(code, "status", "--porcelain", "--untracked-files=all"),
    stash: git(code, "stash", "list"),
    refs: git(code, "for-each-ref"),
    config: fs.readFileSync(path.join(code, ".git/config"), "utf8"),
    index: fs.readFileSync(path.join(code, ".git/index")).toString("hex"),
    ...tree(code, /^\.(git|relay)(\/|$)/),
  };
}

/** What clones share of a home, with the bytes. */
export const shared = (code: string): Record<string, string> => tree(path.join(code, ".relay"), NOT_SHARED);
/** What of a home no clone gives another: what is one machine's, and files for other tools. */
const NOT_SHARED = /^(\.git|run|local|outbox)(\/|$)|^\.(npmignore|prettierrc|markdownlint\.json|editorconfig)$/;

/** The folder of the homes that this run of the tests copies: a copy costs a twentieth of making one. */
const PREPARED = path.resolve("dist-test/shops");
/** Where a shop lies, in what lies there. */
const HERE = "/where/the/shop/lies";
/** The remote that was chosen, as the machine keeps it. */
const REMOTE = "remote.json";
const REMOTE_BYTES = 65_536;
const COPY = { recursive: true, verbatimSymlinks: true } as const;

/** A new code repository with a home, and no remote. */
export async function project(...parts: string[]): Promise<string> {
  const made = await prepared(`alone ${parts.join(" ")}`, async () => {
    const code = repository();
    await act(code, undefined, "init", { parts });
    return code;
  });
  const code = path.join(scratch(), "code");
  fs.cpSync(made, code, COPY);
  bindHere(worldAt(code), ["main", ...parts]);
  return code;
}

/** A new code repository with a home and a bare remote `origin`, synced once. */
export async function shop(...parts: string[]): Promise<{ hub: string; code: string }> {
  const made = await prepared(`shop ${parts.join(" ")}`, () => makeShop(parts));
  const folder = scratch();
  const [hub, code] = [path.join(folder, "hub.git"), path.join(folder, "code")];
  for (const name of ["hub.git", "code"]) fs.cpSync(path.join(made, name), path.join(folder, name), COPY);
  replaceIn(path.join(code, ".git/config"), HERE, folder);
  place(machineStore(worldAt(code)), REMOTE, fs.readFileSync(path.join(made, REMOTE), "utf8").replaceAll(HERE, folder));
  bindHere(worldAt(code), ["main", ...parts]);
  return { hub, code };
}

/** A folder to copy. Several workers may make the same at once: the first one stays. @param make gives where it made it */
export async function prepared(name: string, make: () => Promise<string>): Promise<string> {
  const made = path.join(PREPARED, encodeURIComponent(name));
  if (fs.existsSync(made)) return made;
  const aside = `${made}.${process.pid}`;
  fs.mkdirSync(PREPARED, { recursive: true });
  execFileSync("cp", ["-a", await make(), aside]);
  try {
    fs.renameSync(aside, made);
  } catch (error) {
    if (!fs.existsSync(made)) throw error;
    fs.rmSync(aside, { recursive: true });
  }
  return made;
}

/** Makes a shop. @returns where */
async function makeShop(parts: readonly string[]): Promise<string> {
  const code = repository();
  const folder = path.dirname(code);
  const hub = path.join(folder, "hub.git");
  git(folder, "init", "--quiet", "--bare", "--initial-branch=main", hub);
  for (const name of fs.readdirSync(path.join(hub, "hooks"))) fs.rmSync(path.join(hub, "hooks", name));
  git(hub, "config", "gc.auto", "0");
  git(hub, "config", "receive.autogc", "false");
  git(code, "remote", "add", "origin", hub);
  git(code, "push", "--quiet", "origin", "main");
  await act(code, undefined, "init", { parts });
  await act(code, undefined, "sync");
  fs.writeFileSync(path.join(folder, REMOTE), readMachine(worldAt(code), REMOTE, REMOTE_BYTES) as string);
  for (const name of [REMOTE, "code/.git/config"]) replaceIn(path.join(folder, name), folder, HERE);
  // A copy is another place.
  fs.rmSync(path.join(code, ".git/relay-place"));
  return folder;
}

const replaceIn = (file: string, what: string, by: string): void =>
  fs.writeFileSync(file, fs.readFileSync(file, "utf8").replaceAll(what, by));

/** Another clone of it, home and all. */
export async function cloneOf(hub: string): Promise<string> {
  const { folder } = await act(scratch(), undefined, "clone", { url: hub, folder: "code" });
  return folder;
}

/** An empty bare repository. @param code a repository of which it becomes the remote `origin` */
export function emptyHub(code?: string): string {
  const hub = path.join(scratch(), "other.git");
  git(path.dirname(hub), "init", "--quiet", "--bare", hub);
  if (code !== undefined) git(code, "remote", "add", "origin", hub);
  return hub;
}

/** Takes a remote away, as a network that is down does; gives what brings it back. */
export function unplug(hub: string): () => void {
  fs.renameSync(hub, `${hub}.away`);
  return () => fs.renameSync(`${hub}.away`, hub);
}

/** The subject of the last commit of a home. */
export const lastSubject = (code: string): string => git(path.join(code, ".relay"), "log", "-1", "--format=%s").trim();
/** How many commits a home has. */
export const commits = (code: string): number => Number(git(path.join(code, ".relay"), "rev-list", "--count", "HEAD"));

/** A home whose remote decides claims, with a task. */
export async function board(): Promise<{ hub: string; code: string; session_id: string; task_id: string }> {
  const { hub, code } = await shop("web", "api");
  settle(code, "claims: remote\n");
  const { session_id } = await act(code, "main", "start_session");
  const { task_id } = await act(code, "main", "create_task", { session_id, title: "t", description: "d" });
  await act(code, undefined, "sync");
  return { hub, code, session_id, task_id };
}
