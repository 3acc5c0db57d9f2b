/** The MCP server: every operation as a tool, over stdin and stdout. spec/agents.md, "MCP". */
import {
  type AnyOperation,
  answer,
  type Connection,
  createWorld,
  type Me,
  newConnection,
  type World,
  withSignal,
} from "../protocol/index.ts";
import { currentName, type Heartbeat, partProblem, refuse, startHeartbeat } from "../protocol/internal.ts";
import { notAllowed } from "./allowed.ts";
import { briefly, isBrief } from "./brief.ts";
import { CHANNEL, type Channel, openChannel } from "./channel.ts";
import { instructionsFor } from "./instructions.ts";
import { readResource, resourceListings, resourceTemplates, Subscriptions } from "./resources.ts";
import { type RunningServer, serveStdio } from "./sdk.ts";
import { DEFAULT_GROUPS, GROUPS, groupOf, listing, offered } from "./tools.ts";

/** How to serve. `part` and `home` come from the command line, before the environment. */
export interface ServeOptions {
  part?: string | undefined;
  home?: string | undefined;
  /** Groups of tools: `DEFAULT_GROUPS` unless given. */
  groups?: readonly string[] | undefined;
  /** Whether to push the doorbell into the session. */
  channel?: boolean | undefined;
  version: string;
}

/** Open calls get this long to end when the client is gone. */
const LAST_CALLS_MS = 1_000;
/** When all is cleaned up, what still holds the process (a client that reads no more) gets this long. */
const LAST_WORDS_MS = 1_000;

/**
 * Serves until stdin ends, or SIGTERM or SIGINT comes; leaves nothing behind.
 * Starting has no side effect: presence begins when the client says that it is initialized.
 * @throws Refusal `invalid_argument` for an unknown group
 */
export async function serve(options: ServeOptions): Promise<void> {
  const groups = options.groups ?? DEFAULT_GROUPS;
  const unknown = groups.find((group) => !(GROUPS as readonly string[]).includes(group));
  if (unknown !== undefined)
    throw refuse("usage", {
      problem: `--tools: expected groups out of ${GROUPS.join(", ")}, given ${JSON.stringify(unknown)}.`,
      help: `Example: \`relay mcp --tools ${DEFAULT_GROUPS.join(",")}\`.`,
    });
  const problem = options.part === undefined ? null : partProblem(options.part);
  if (problem !== null) throw refuse("bad_part", { given: options.part, problem });
  const tools = offered(groups);
  const presence = new PresenceKeeper();
  // Each call has a controller of its own: the signal of the end in `AbortSignal.any` would hold on to every call.
  const open = new Map<Promise<unknown>, AbortController>();
  const ending = new AbortController();
  const connection = newConnection(true);
  let world: World = worldOf(options, [], connection);
  let client = { name: "agent", version: "" };
  let server: RunningServer | null = null;
  let channel = null as Channel | null;
  const over = new Promise<void>((resolve) => ending.signal.addEventListener("abort", () => resolve(), { once: true }));
  const subscriptions = new Subscriptions(
    () => world,
    (uri) => server?.updated(uri),
  );

  const call = async (operation: AnyOperation, args: Record<string, unknown>, signal: AbortSignal) => {
    const barred = notAllowed(world, operation);
    if (barred !== null) return barred;
    const reply = await answer(withSignal(world, signal), operation, args);
    if (reply.success) channel?.called(operation.name);
    const given = isBrief(operation) ? briefly(reply) : reply;
    const named = args["agent_id"] ?? args["agentId"];
    if (reply.success && !ending.signal.aborted) presence.show(world, client, typeof named === "string" ? named : null);
    return given;
  };

  server = await serveStdio({
    name: "relay",
    version: options.version,
    instructions: instructionsFor(world.me, groups, options.channel === true),
    experimental: options.channel === true ? { [CHANNEL]: {} } : undefined,
    tools() {
      const names = namesItself(world.me, groups);
      return [...tools].map(([name, operation]) => listing(name, operation, names));
    },
    call(name, args, signal) {
      const operation = tools.get(name);
      if (operation === undefined) return noTool(name);
      const stop = new AbortController();
      signal.addEventListener("abort", () => stop.abort(), { once: true });
      const calling = call(operation, args, stop.signal);
      open.set(calling, stop);
      void calling.finally(() => open.delete(calling));
      return calling;
    },
    resources: async () => resourceListings(world.me.part),
    resourceTemplates: () => resourceTemplates,
    read: (uri) => readResource(world, uri),
    subscribe: (uri) => subscriptions.add(uri),
    unsubscribe: (uri) => subscriptions.remove(uri),
    closed: () => ending.abort(),
    async ready(named, roots) {
      if (ending.signal.aborted) return;
      client = named;
      world = worldOf(options, roots, connection);
      presence.stop();
      presence.show(world, client, null);
      if (options.channel !== true) return;
      await channel?.close();
      channel = openChannel(world, (method, params) => (server as RunningServer).notify(method, params));
    },
  });

  whenEnded(() => ending.abort());
  await over;
  for (const stop of open.values()) stop.abort();
  await Promise.race([Promise.allSettled(open.keys()), new Promise((resolve) => setTimeout(resolve, LAST_CALLS_MS).unref())]);
  presence.stop();
  await channel?.close();
  await subscriptions.close();
  await server.close();
  setTimeout(() => process.exit(0), LAST_WORDS_MS).unref();
}

/**
 * Whether a call may have to say who it is from: nothing else does, or several agents share the connection, as those of the
 * earlier tool do.
 */
function namesItself({ how }: Me, groups: readonly string[]): boolean {
  return how !== "bound" && (how !== "default" || groups.includes("plugin"));
}

/** What to say of a tool that is not offered. */
function noTool(name: string): string {
  const group = groupOf(name);
  return `no tool ${JSON.stringify(name)}${group === null ? "" : `; it is of the group ${group} (relay mcp --tools ${group})`}`;
}

function worldOf({ home, part }: ServeOptions, roots: readonly string[], connection: Connection): World {
  return createWorld({ home, part, roots, connection });
}

/** Calls back when the client is gone: stdin ended, stdout broke, or the process was told to stop, once or several times. */
function whenEnded(done: () => void): void {
  process.stdin.on("end", done).on("close", done);
  process.stdout.on("error", done);
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, done);
}

/** One heartbeat for each part that this connection speaks as. */
class PresenceKeeper {
  readonly #hearts = new Map<string, Heartbeat>();
  #begun = 0;
  /** The part that the connection is by itself: that of a worktree can become another. */
  #own: string | null = null;

  /**
   * Shows the connection's own part as online, and one that a call named, each once; does nothing while there is no home, or
   * the part is none.
   */
  show(world: World, agent: { name: string; version: string }, named: string | null): void {
    const own = world.me.part;
    if (own !== this.#own) this.#end(this.#own);
    this.#own = own;
    const part = named ?? own;
    if (part === null || this.#hearts.has(part)) return;
    try {
      const name = currentName(world, part);
      if (name === null) return;
      this.#begun += 1;
      this.#hearts.set(part, startHeartbeat(world, name, agent, this.#begun, part !== own));
    } catch {
      // Without a home there is nowhere to be online in; the first call says so.
    }
  }

  #end(part: string | null): void {
    if (part === null) return;
    this.#hearts.get(part)?.stop();
    this.#hearts.delete(part);
  }

  stop(): void {
    for (const heart of this.#hearts.values()) heart.stop();
    this.#hearts.clear();
  }
}
