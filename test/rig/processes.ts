/** The real command, the real server behind the SDK's client, and worker processes that a test can stop and kill. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { builtFile, builtWorker } from "./built.ts";
import { runCommand } from "./command.ts";
import { hasEnded, isStopped } from "./hurt.ts";
import { cleanEnv, scratch, until, WAIT_MS } from "./scratch.ts";

/** The built command. */
export const relayFile = (): string => builtFile("relay.cjs");

const running = new Set<ChildProcess>();
const clients = new Set<Agent>();

/** Output and exit code of a command. */
export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
  /** stdout as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever was printed.
  json: any;
}

/** Options of a run. */
interface RunOptions {
  env?: Record<string, string>;
  input?: string;
  /** Replaces the command's timer when it runs in this process, so that it may wait on however slow a machine. */
  pause?: (ms: number) => Promise<unknown>;
}

/** Variables that Node itself reads: only a new process heeds them. */
const OF_NODE = /^(NODE_.*|TZ|LANG|LC_.*)$/;

/** Runs the built command in a folder, in this process. Where the process itself is the point, `relayProcess` is for it. */
export async function relay(cwd: string, args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  if (Object.keys(options.env ?? {}).some((name) => OF_NODE.test(name))) return relayProcess(cwd, args, options);
  return ran(await runCommand({ cwd, args, env: cleanEnv(options.env), input: options.input ?? "", pause: options.pause }));
}

/** Runs the real command in a folder, as a process. */
export async function relayProcess(cwd: string, args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const child = spawn(process.execPath, [relayFile(), ...args], { cwd, env: cleanEnv(options.env), stdio: ["pipe", "pipe", "pipe"] });
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
  const quoted = [process.execPath, relayFile(), ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  const options = { cwd, env: cleanEnv({ SHELL: "/bin/sh", ...env }), encoding: "utf8", input: typed } as const;
  return spawnSync("script", ["-qec", quoted, "/dev/null"], options).stdout;
}

/** Starts the real command and leaves it running; the test ends it. */
export function startRelay(
  cwd: string,
  args: readonly string[],
  env: Record<string, string> = {},
  user: { uid?: number; gid?: number } = {},
): ChildProcess & { stdout: NodeJS.ReadableStream; stderr: NodeJS.ReadableStream } {
  const child = spawn(process.execPath, [relayFile(), ...args], { cwd, env: cleanEnv(env), stdio: ["pipe", "pipe", "pipe"], ...user });
  running.add(child);
  child.once("exit", () => running.delete(child));
  return child as ChildProcess & { stdout: NodeJS.ReadableStream; stderr: NodeJS.ReadableStream };
}

/** An agent's connection: the SDK's client, and the real server behind it. */
export interface Agent {
  client: Client;
  pid: number;
  /** Calls a tool; gives its structured answer, or its `text`, and whether it succeeded. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever was answered.
  call(tool: string, args?: Record<string, unknown>): Promise<any>;
  /** Ends it as a client does: stdin is closed. */
  close(): Promise<void>;
  /** SIGKILL. */
  kill(): Promise<void>;
}

/** Starts a server and connects to it as a client. @param options.kept the agent outlives the test, and the caller closes it */
export async function connect(
  cwd: string,
  options: { args?: string[]; env?: Record<string, string>; name?: string; roots?: string[]; kept?: boolean } = {},
): Promise<Agent> {
  const [{ Client }, { StdioClientTransport }, { ListRootsRequestSchema }] = await Promise.all([
    import("@modelcontextprotocol/sdk/client/index.js"),
    import("@modelcontextprotocol/sdk/client/stdio.js"),
    import("@modelcontextprotocol/sdk/types.js"),
  ]);
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [relayFile(), "mcp", ...(options.args ?? [])],
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
      const answer = await client.callTool({ name: tool, arguments: args }, undefined, { timeout: WAIT_MS });
      const [{ text }] = answer.content as [{ text: string }];
      // Some tools answer in words alone.
      if (answer.structuredContent === undefined && answer.isError !== true) return { success: true, text };
      if (JSON.stringify(JSON.parse(text)) !== JSON.stringify(answer.structuredContent ?? {}))
        throw new Error(`text and structuredContent differ: ${text} and ${JSON.stringify(answer.structuredContent)}`);
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
  const child = spawn(process.execPath, [builtWorker(name), ...args], {
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

/**
 * Has web perform an operation, suspended before each call of the disk in turn, while `rival` acts.
 * @param lay lays a round out, and gives the input @param check is told both answers
 */
// biome-ignore-start lint/suspicious/noExplicitAny: a test looks into whatever was answered.
export async function sweep(
  folder: string,
  name: string,
  lay: () => Promise<Record<string, unknown>>,
  rival: (input: any) => Promise<any>,
  check: (mine: any, theirs: any, call: number) => void,
): Promise<void> {
  const input = path.join(scratch(), "input");
  const sweeper = work("sweeper", [folder, "web", name, input]);
  const last = (): any => sweeper.lines.at(-1) ?? {};
  const told = (call: number): any => sweeper.lines.find((line) => line.call === call);
  for (let call = 1, early = false; !early; call += 1) {
    await until(`round ${call} is to be laid out`, () => isStopped(sweeper.child) && last().laid === call);
    const given = await lay();
    fs.writeFileSync(input, JSON.stringify(given));
    sweeper.child.kill("SIGCONT");
    await until(`it stops before call ${call}`, () => (isStopped(sweeper.child) && last().armed === call) || told(call));
    const theirs = await rival(given);
    sweeper.child.kill("SIGCONT");
    const mine = await until(`round ${call} ends`, () => told(call));
    check(mine.answer, theirs, call);
    early = mine.early;
  }
  if ((await sweeper.ended) !== 0) throw new Error(sweeper.stderr());
}
// biome-ignore-end lint/suspicious/noExplicitAny: as above.
