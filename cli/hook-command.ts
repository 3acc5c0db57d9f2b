/**
 * `relay hook`: the command that an agent's own hooks call. It never fails and never delays an agent: on any error it ends with
 * exit code 0 and says nothing. Only the waiter ends with 2, which wakes the session. spec/waking.md, "Waking by hooks".
 */
import type { HookInput } from "../pager/hook/hook-input.ts";
import { answerHook } from "../pager/hook/run-hook.ts";
import { MOMENTS, type Moment, pluginTwice } from "../protocol/agents/hosts/host.ts";
import { HOOK_HOSTS, type HostName, hostOf } from "../protocol/agents/hosts/index.ts";
import { createWorld } from "../protocol/index.ts";
import { isSetUpBeside } from "../protocol/setup/files/plugin-beside.ts";
import { recordLater } from "../protocol/sync/sync/leave-recorder.ts";
import { warnOfBudget } from "../protocol/usage/files/budget.ts";
import { collectCalls, collectTurn } from "../protocol/usage/files/collect-turn.ts";
import { isRecordAgent } from "../protocol/usage/nouns/records.ts";

/** Whatever it is at then, it ends. */
const ANSWER_MS = 5_000;
/** An agent that does not say what is going on within this is not listened to. */
const INPUT_MS = 1_000;
const INPUT_CHARACTERS = 4_194_304;
/** A waiter ends after this long; the agent kills it a little later. */
const WAIT_MS = 603_000_000;
const WAKE = 2;

const isMoment = (word: string): word is Moment => (MOMENTS as readonly string[]).includes(word);

/** Runs a hook; gives the exit code. */
export async function hook(args: readonly string[]): Promise<number> {
  try {
    const [moment = ""] = args;
    const given = optionIn(args, "--agent") ?? "claude";
    const agent = HOOK_HOSTS.find((known) => known === given);
    if (!isMoment(moment) || agent === undefined) return process.stdin.isTTY ? mistyped() : 0;
    if (moment !== "idle") setTimeout(() => process.exit(0), ANSWER_MS).unref();
    const input = await inputFrom(process.stdin);
    const host = hostOf(agent);
    const { plugin, projectVariable = "" } = host;
    // The plugin's hooks leave everything to those of a set-up.
    if (plugin !== undefined && (process.env[plugin.variable] ?? "") !== "") {
      if (await isSetUpBeside(createWorld({ cwd: process.env[projectVariable] || process.cwd() }), agent)) {
        if (moment === "session-start") await written(process.stdout, JSON.stringify({ systemMessage: pluginTwice(host) }));
        return 0;
      }
    }
    const world = worldOf(args, agent, input);
    // Where there is no home, or it cannot be read, there is nothing to say.
    world.home().config();
    if (moment === "idle") return await idle(world, agent, input);
    const unused = host.sharedProcess !== undefined ? process.env["RELAY_PART"] || undefined : undefined;
    const said = await answerHook(world, moment, agent, input, unused);
    if (said !== null) await written(process.stdout, said);
    if (moment === "stop") {
      if (typeof input.transcript_path === "string" && isRecordAgent(agent))
        collectTurn(world, agent, input.transcript_path, typeof input.session_id === "string" ? input.session_id : undefined);
      if (Array.isArray(input.calls))
        collectCalls(
          world,
          agent,
          input.calls.map((call) => JSON.stringify(call)),
        );
      await warnOfBudget(world, world.me.part);
      await recordLater(world);
    }
  } catch {
    // Never the agent's trouble.
  }
  return 0;
}

/** Somebody typed it: no agent has a terminal for its hooks' input. */
function mistyped(): number {
  process.stderr.write(
    `relay: expected one of ${MOMENTS.join(", ")}, and --agent with one of ${HOOK_HOSTS.join(", ")}. See \`relay hook --help\`.\n`,
  );
  return WAKE;
}

async function idle(world: ReturnType<typeof createWorld>, agent: HostName, input: HookInput): Promise<number> {
  const { waitIdle } = await import("../pager/hook/idle-waiter.ts");
  const stop = new AbortController();
  const end = (): void => stop.abort();
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(signal, end);
  setTimeout(end, WAIT_MS).unref();
  const rang = await waitIdle(world, agent, input, {
    signal: stop.signal,
    remind: (line) => written(process.stderr, line),
  });
  return rang ? WAKE : 0;
}

/** Writes a line, and waits until it is out: what ends a process does not wait for its pipes. */
function written(stream: NodeJS.WriteStream, line: string): Promise<void> {
  return new Promise((resolve) => {
    // Who reads no more is told nothing.
    stream.once("error", () => resolve());
    stream.write(`${line}\n`, () => resolve());
  });
}

function optionIn(args: readonly string[], name: string): string | undefined {
  const at = args.indexOf(name);
  return at === -1 ? undefined : args[at + 1];
}

/**
 * The project that the agent works in says which worktree it is, wherever it has gone since. All sessions of Codex may run in
 * one process, with the environment and the folder of the one that started it: only what a call says itself counts.
 */
function worldOf(args: readonly string[], agent: HostName, input: HookInput & { cwd?: unknown }): ReturnType<typeof createWorld> {
  const { projectVariable = "", sharedProcess } = hostOf(agent);
  const folders = [process.env[projectVariable], input.cwd];
  const roots = folders.filter((folder): folder is string => typeof folder === "string" && folder !== "");
  const said = { home: optionIn(args, "--home"), part: optionIn(args, "--part"), roots };
  if (sharedProcess === undefined) return createWorld(said);
  return createWorld({ ...said, cwd: roots[0] ?? process.cwd(), env: { ...process.env, RELAY_PART: undefined, RELAY_HOME: undefined } });
}

/** What the agent says on stdin; nothing where it says nothing, or what cannot be read. */
function inputFrom(stream: NodeJS.ReadStream): Promise<HookInput & { cwd?: unknown }> {
  return new Promise((resolve) => {
    let text = "";
    const done = (): void => {
      clearTimeout(timer);
      stream.destroy();
      try {
        resolve(named(JSON.parse(text.replace(/^\uFEFF/, ""))));
      } catch {
        resolve({});
      }
    };
    const timer = setTimeout(done, INPUT_MS);
    if (stream.isTTY) return done();
    stream.setEncoding("utf8").on("data", (more: string) => {
      text += more;
      if (text.length > INPUT_CHARACTERS) done();
    });
    stream.once("end", done).once("error", done);
  });
}

/** An input by the names of Claude Code; Copilot CLI writes the same in another case, and Cursor has a conversation and folders. */
function named(value: unknown): HookInput & { cwd?: unknown } {
  if (typeof value !== "object" || value === null) return {};
  const { conversation_id, workspace_roots, sessionId = conversation_id, transcriptPath } = value as Record<string, unknown>;
  const cwd: unknown = Array.isArray(workspace_roots) ? workspace_roots[0] : undefined;
  return { session_id: sessionId, transcript_path: transcriptPath, cwd, ...value };
}
