/**
 * The rig: scratch folders and repositories on the real disk, the real command, the real server behind the SDK's client,
 * and worker processes that a test can stop and kill.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { createWorld, operations, perform, type World, type WorldOptions } from "../../protocol/index.ts";
import { runCommand } from "./command.ts";
import { hasEnded } from "./hurt.ts";

/** The built command. */
export const RELAY = path.resolve("dist/relay.cjs");
const WORKERS = path.resolve("dist-test");
/** Git's settings for every repository of the tests: no upkeep, and no waiting for the disk, for none of them cuts the power. */
export const GIT_CONFIG = path.resolve("dist-test/gitconfig");
/** A repository without a commit, made once and then copied: git would be started for each step of it. */
const EMPTY_REPOSITORY = path.resolve("dist-test/repository");

const scratched: string[] = [];
const running = new Set<ChildProcess>();
const clients = new Set<Agent>();

let tests = 0;
/** Where Relay keeps what it remembers across homes: for each test another folder, so that no test spends another's wakes. */
export const stateHome = (): string => path.join(os.tmpdir(), `relay-state-${process.pid}-${tests}`);

/** The environment of every child: no user's or system's git configuration, no part or home from outside. */
export function cleanEnv(extra: Record<string, string> = {}): Record<string, string> {
  const kept = ["PATH", "TMPDIR", "LANG"].flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name] as string]]));
  return {
    ...Object.fromEntries(kept),
    HOME: os.tmpdir(),
    XDG_STATE_HOME: stateHome(),
    GIT_CONFIG_GLOBAL: GIT_CONFIG,
    GIT_TEST_FSYNC: "0",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "Test",
    GIT_AUTHOR_EMAIL: "test@example.com",
    GIT_COMMITTER_NAME: "Test",
    GIT_COMMITTER_EMAIL: "test@example.com",
    NO_COLOR: "1",
    ...extra,
  };
}

/** A new empty folder, removed after the test. Its path is real. */
export function scratch(): string {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "relay-test-")));
  scratched.push(folder);
  return folder;
}

/** Removes every scratch folder. */
export function clearScratch(): void {
  for (const folder of [...scratched.splice(0), stateHome()]) fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  tests += 1;
}

/** Removes a folder in which a process may still write: again, as a person would, while the folder is not empty. */
export async function removeBusy(folder: string): Promise<void> {
  await until(`${folder} is removed`, () => {
    try {
      fs.rmSync(folder, { recursive: true });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOTEMPTY") throw error;
      return false;
    }
  });
}

/** What git may print: the list of a branch's files, of which some tests push very many. */
const GIT_BYTES = 2 ** 28;

/** Runs git; gives what it printed. */
export function git(folder: string, ...args: string[]): string {
  return execFileSync("git", args, {
    cwd: folder,
    encoding: "utf8",
    env: cleanEnv(),
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: GIT_BYTES,
  });
}

/** A new code repository with one commit of the files given; git's own upkeep is off (`rig/setup.ts`). */
export function repository(files: Record<string, string> = { "README.md": "# code\n" }): string {
  const folder = path.join(scratch(), "code");
  fs.cpSync(EMPTY_REPOSITORY, folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), text);
  }
  git(folder, "add", "--all");
  git(folder, "commit", "--quiet", "--allow-empty", "--message", "begin");
  return folder;
}

/** A world on a folder; the clock and the dice can be held. The environment is empty unless given, but for where Relay keeps its state. */
export function worldAt(cwd: string, options: WorldOptions = {}): World {
  return createWorld({ cwd, ...options, env: { XDG_STATE_HOME: stateHome(), ...options.env } });
}

/** A home as plain files outside of git, with parts besides `main` and `human`. Gives the folder that holds it. */
export async function homeWith(...parts: string[]): Promise<string> {
  const folder = path.join(scratch(), "project");
  fs.mkdirSync(folder);
  await perform(worldAt(folder), operations.init, { parts });
  return folder;
}

/** What a command printed, and how it ended. */
export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
  /** stdout as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever was printed.
  json: any;
}

/** How a command is run. */
interface RunOptions {
  env?: Record<string, string>;
  input?: string;
  /** What the command waits by in this process: for what it waits for, on however slow a machine. */
  pause?: (ms: number) => Promise<unknown>;
}

/** What Node itself reads of the environment: only a new process heeds it. */
const OF_NODE = /^(NODE_.*|TZ|LANG|LC_.*)$/;

/** Runs the built command in a folder, in this process. Where the process itself is the point, `relayProcess` is for it. */
export async function relay(cwd: string, args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  if (Object.keys(options.env ?? {}).some((name) => OF_NODE.test(name))) return relayProcess(cwd, args, options);
  return ran(await runCommand({ cwd, args, env: cleanEnv(options.env), input: options.input ?? "", pause: options.pause }));
}

/** Runs the real command in a folder, as a process. */
export async function relayProcess(cwd: string, args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const child = spawn(process.execPath, [RELAY, ...args], { cwd, env: cleanEnv(options.env), stdio: ["pipe", "pipe", "pipe"] });
  running.add(child);
  child.stdin.on("error", () => {});
  child.stdin.end(options.input ?? "");
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text));
  const [code] = (await once(child, "close")) as [number | null];
  running.delete(child);
  return ran({ code: code ?? -1, stdout, stderr });
}

const ran = (ended: { code: number; stdout: string; stderr: string }): Ran => ({
  ...ended,
  get json() {
    return JSON.parse(ended.stdout);
  },
});

/** Runs the real command on a terminal, to its end; gives what the terminal showed. @param typed what is typed into it */
export function onTerminal(cwd: string, args: readonly string[], env: Record<string, string> = {}, typed = ""): string {
  const quoted = [process.execPath, RELAY, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  const options = { cwd, env: cleanEnv({ SHELL: "/bin/sh", ...env }), encoding: "utf8", input: typed } as const;
  return spawnSync("script", ["-qec", quoted, "/dev/null"], options).stdout;
}

/** Another user of this machine, to whom permissions apply, for whoever runs the tests as root; that user owns the folder from now on. */
export function otherUser(folder: string): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const [uid, gid] = [65_534, 65_534];
  const top = path.dirname(folder);
  for (const at of [top, ...(fs.readdirSync(top, { recursive: true }) as string[]).map((name) => path.join(top, name))])
    fs.lchownSync(at, uid, gid);
  return { uid, gid };
}

/** Starts the real command and leaves it running; the test ends it. */
export function startRelay(
  cwd: string,
  args: readonly string[],
  env: Record<string, string> = {},
  user: { uid?: number; gid?: number } = {},
): ChildProcess & { stdout: NodeJS.ReadableStream; stderr: NodeJS.ReadableStream } {
  const child = spawn(process.execPath, [RELAY, ...args], { cwd, env: cleanEnv(env), stdio: ["pipe", "pipe", "pipe"], ...user });
  running.add(child);
  child.once("exit", () => running.delete(child));
  return child as ChildProcess & { stdout: NodeJS.ReadableStream; stderr: NodeJS.ReadableStream };
}

/** Lets agents of a home send as much as a test has them send, without being taken to loop. */
export function chatty(folder: string): string {
  fs.appendFileSync(path.join(folder, ".relay/relay.yml"), "loop: { identical: 1000000, per_minute: 1000000, exchange: 1000000 }\n");
  return folder;
}

/** An agent's connection: the SDK's client, and the real server behind it. */
export interface Agent {
  client: Client;
  pid: number;
  /** Calls a tool; gives its structured answer, and whether it succeeded. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever was answered.
  call(tool: string, args?: Record<string, unknown>): Promise<any>;
  /** Ends it as a client does: stdin is closed. */
  close(): Promise<void>;
  /** SIGKILL. */
  kill(): Promise<void>;
}

/** Connects to a new server as a client of a name. @param options.kept it outlives the test: who asks for that ends it */
export async function connect(
  cwd: string,
  options: { args?: string[]; env?: Record<string, string>; name?: string; roots?: string[]; kept?: boolean } = {},
): Promise<Agent> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [RELAY, "mcp", ...(options.args ?? [])],
    cwd,
    env: cleanEnv(options.env),
    stderr: "pipe",
  });
  const client = new Client(
    { name: options.name ?? "test-agent", version: "1.0.0" },
    { capabilities: options.roots === undefined ? {} : { roots: {} } },
  );
  if (options.roots !== undefined) {
    const roots = options.roots.map((root) => ({ uri: `file://${root}` }));
    client.setRequestHandler(ListRootsRequestSchema, () => ({ roots }));
  }
  await client.connect(transport);
  const pid = transport.pid as number;
  const agent: Agent = {
    client,
    pid,
    async call(tool, args = {}) {
      const answer = await client.callTool({ name: tool, arguments: args }, undefined, { timeout: 120_000 });
      const text = (answer.content as { text: string }[])[0]?.text as string;
      if (JSON.stringify(JSON.parse(text)) !== JSON.stringify(answer.structuredContent))
        throw new Error("text and structuredContent differ");
      return { success: answer.isError !== true, ...(answer.structuredContent as object) };
    },
    async close() {
      clients.delete(agent);
      await client.close();
    },
    async kill() {
      clients.delete(agent);
      process.kill(pid, "SIGKILL");
      await client.close();
    },
  };
  if (options.kept !== true) clients.add(agent);
  return agent;
}

/** A worker process from `test/workers`, which prints one JSON line per step. */
export interface Worker {
  child: ChildProcess;
  /** Every line so far. */
  // biome-ignore lint/suspicious/noExplicitAny: each worker says what it likes.
  lines: any[];
  /** Resolves with the exit code, null when it was killed. */
  ended: Promise<number | null>;
  stderr(): string;
}

/** Starts a worker by the name of its file. */
export function work(name: string, args: readonly string[], env: Record<string, string> = {}): Worker {
  const child = spawn(process.execPath, [path.join(WORKERS, `${name}.mjs`), ...args], {
    env: cleanEnv(env),
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  const lines: any[] = [];
  let rest = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    const whole = (rest + text).split("\n");
    rest = whole.pop() as string;
    for (const line of whole) if (line !== "") lines.push(JSON.parse(line));
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = once(child, "close").then(([code]) => {
    running.delete(child);
    return code as number | null;
  });
  return { child, lines, ended, stderr: () => stderr };
}

/** Between two looks: a look may start a program. */
const [LEAST_MS, MOST_MS] = [5, 100];

/** Waits until something is so, looking often, but for no more than a third of the time; fails with words when it never is. */
export async function until<T>(what: string, look: () => T | Promise<T>, timeoutMs = 170_000): Promise<NonNullable<T>> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const began = performance.now();
    const found = await look();
    if (found) return found as NonNullable<T>;
    if (Date.now() > end) throw new Error(`waited in vain: ${what}`);
    const breathMs = Math.min(MOST_MS, Math.max(LEAST_MS, 2 * (performance.now() - began)));
    await new Promise((resolve) => setTimeout(resolve, breathMs));
  }
}

/** Ends what a test left running, and names it. */
export async function leftProcesses(): Promise<string[]> {
  const left: string[] = [];
  for (const agent of [...clients]) {
    left.push(`agent ${agent.pid}`);
    await agent.kill();
  }
  for (const child of running) {
    // Another may have ended it, and said so, before its end is heard here.
    if (!hasEnded(child.pid as number)) left.push(child.spawnargs.slice(1).join(" "));
    const ended = child.exitCode === null && child.signalCode === null ? once(child, "exit") : undefined;
    child.kill("SIGKILL");
    await ended;
  }
  running.clear();
  return left;
}

/** Every file below a folder with its text, but for what is disposable or belongs to the machine. */
export function tree(folder: string, skip: RegExp = /^(\.git|run|local)(\/|$)/): Record<string, string> {
  const found: Record<string, string> = {};
  const walk = (at: string): void => {
    for (const entry of fs.readdirSync(path.join(folder, at), { withFileTypes: true })) {
      const name = at === "" ? entry.name : `${at}/${entry.name}`;
      if (skip.test(name)) continue;
      if (entry.isDirectory()) walk(name);
      else found[name] = fs.readFileSync(path.join(folder, name), "utf8");
    }
  };
  walk("");
  return found;
}

/** A clock that a test moves, and dice that always fall the same way. */
export function held(start = "2026-01-31T09:30:00.000Z"): {
  now: () => number;
  random: (length: number) => string;
  advance: (ms: number) => void;
} {
  let at = Date.parse(start);
  let rolled = 0;
  return {
    now: () => at,
    advance: (ms) => {
      at += ms;
    },
    random: (length) => {
      rolled += 1;
      return rolled
        .toString(32)
        .replace(/[ilou]/g, "z")
        .padStart(length, "0")
        .slice(-length);
    },
  };
}
