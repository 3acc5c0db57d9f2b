/** The MCP server: every operation as a tool, over stdin and stdout. spec/agents.md, "MCP". */

import { hostOfClient } from "../protocol/agents/hosts/index.ts";
import { orElse } from "../protocol/core/format/file-error.ts";
import { nearest } from "../protocol/core/names.ts";
import { refuse } from "../protocol/core/refusal.ts";
import type { Me, World } from "../protocol/index.ts";
import { ownName } from "../protocol/mail/files/members.ts";
import { isLeafCalling, noteConnected } from "../protocol/office/files/token.ts";
import { isLaunched } from "../protocol/office/files/trusted-office.ts";
import { shownBy } from "../protocol/status/files/shown-by.ts";
import { isNewBeside } from "../protocol/turn/files/part-news.ts";
import { type TurnAnswer, turnWords } from "../protocol/turn/nouns/turn-words.ts";
import { urgentUnread } from "../protocol/wake/files/drive-wake.ts";
import { bounded, boundedWords, continued } from "./bound-answer.ts";
import { briefly, leanly } from "./brief-answer.ts";
import { CHANNEL, type Channel, openChannel } from "./channel.ts";
import { openConnection } from "./connection.ts";
import { instructionsFor } from "./instructions.ts";
import { readResource, resourceListings, resourceTemplates, Subscriptions } from "./resources.ts";
import { type RunningServer, type ServerParts, serveStdio, Words } from "./sdk.ts";
import { DEFAULT_GROUPS, GROUPS, groupOf, isListed, listing, offered, type Tool } from "./tools.ts";

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

/** After the clean-up, anything that still holds the process (a client that stopped reading) gets this long. */
const LAST_WORDS_MS = 1_000;

/**
 * Serves until stdin ends, or SIGTERM or SIGINT comes; leaves nothing behind.
 * Starting has no side effect: presence begins when the client says that it is initialized.
 * @throws Refusal `usage` for an unknown group, `bad_part`
 */
export async function serve(options: ServeOptions): Promise<void> {
  const groups = options.groups ?? DEFAULT_GROUPS;
  const unknown = groups.find((group) => !(GROUPS as readonly string[]).includes(group));
  if (unknown !== undefined)
    throw refuse("usage", {
      problem: `--tools: expected groups out of ${GROUPS.join(", ")}, given ${JSON.stringify(unknown)}.`,
      help: `Example: \`relay mcp --tools ${DEFAULT_GROUPS.join(",")}\`.`,
    });
  const connection = openConnection(options);
  let served: ReturnType<typeof offered> | null = null;
  // Not before the client is answered: each definition is loaded then.
  const tools = (): ReturnType<typeof offered> => {
    served ??= offered(groups);
    return served;
  };
  const ending = new AbortController();
  let server: RunningServer | null = null;
  /** Whether the client shows its model the text of an answer, and so would show it twice, or pay for a schema that counts nothing. */
  let isTextOnly = false;
  let channel = null as Channel | null;
  /** Resolves once the channel is the one that was asked for last. */
  let opening = Promise.resolve();
  const over = new Promise<void>((resolve) => ending.signal.addEventListener("abort", () => resolve(), { once: true }));
  const subscriptions = new Subscriptions(
    () => connection.world,
    (uri) => server?.updated(uri),
  );

  /** Whether agents of an earlier tool are served, or a position: both find everything in lists and answers. */
  const isWhole = groups.includes("team") || groups.includes("plugin");
  const call = async (tool: Tool, given: Record<string, unknown>, signal: AbortSignal) => {
    const asked = continued(given);
    const { operation, input: args } = isWhole ? { ...tool, input: asked.args } : shownBy(connection.world, tool.operation, asked.args);
    const isBrief = operation.tool?.group === "room";
    const reply = await connection.call(operation, args, signal);
    if (reply.success) channel?.called(operation.name);
    const urgent = urgentBeside(connection.world, args);
    if (reply.success && operation.words === true)
      return new Words([boundedWords(wordsOf(reply, connection.world.now()), operation.command), ...urgent.words].join("\n"));
    const said = isBrief ? briefly(reply) : isWhole ? reply : leanly(reply, args, connection.world.now());
    // Agents of an earlier tool ask for everything themselves.
    const isNew =
      !isWhole && reply.success && orElse(false, () => isNewBeside(connection.world, operation, callerOf(connection.world, args)));
    const whole = { ...said, ...(isNew ? { news: "`wait` shows it" } : {}), ...urgent.field };
    const isAgain = reply.success && operation.effect === "read" && operation.marksRead !== true;
    return bounded(whole, asked, isAgain, operation.command);
  };

  whenEnded(() => ending.abort());
  const parts: ServerParts = {
    name: "relay",
    version: options.version,
    instructions: instructionsFor(connection.world.me, groups, options.channel === true),
    experimental: options.channel === true ? { [CHANNEL]: {} } : undefined,
    tools() {
      const { world } = connection;
      const isOfTeam = groups.includes("team");
      if (isOfTeam) noteConnected(world);
      const isLeaf = isOfTeam && isLeafCalling(world);
      const names = namesItself(world.me, groups) && !isLaunched(world);
      return [...tools()]
        .filter(([name, tool]) => (isWhole || isListed(name)) && (!isLeaf || !isOfLeads(tool)))
        .map(([name, tool]) => listing(name, tool, { names, isWhole, isTextOnly }));
    },
    call(name, args, signal) {
      const tool = tools().get(name);
      if (tool !== undefined) return call(tool, args, signal);
      return [noTool(name, tools().keys()), ...urgentBeside(connection.world, args).words].join("; ");
    },
    isTextOnly: () => isTextOnly,
    resources: async () => resourceListings(connection.world.me.part),
    resourceTemplates: () => resourceTemplates,
    read: (uri) => readResource(connection.world, uri),
    subscribe: (uri) => subscriptions.add(uri),
    unsubscribe: (uri) => subscriptions.remove(uri),
    closed: () => ending.abort(),
    async ready(named, roots) {
      if (ending.signal.aborted) return;
      connection.greet(named, roots);
      isTextOnly = (hostOfClient(named.name)?.shows ?? "structured") !== "structured";
      if (options.channel !== true) return;
      // One after the other, so that no two are open at once, and none after the end.
      opening = opening.then(async () => {
        await channel?.close();
        if (ending.signal.aborted) return;
        channel = openChannel(connection.world, (method, params) => (server as RunningServer).notify(method, params));
      });
      await opening;
    },
  };
  server = await serveStdio(parts, ending.signal);
  await over;
  await connection.close();
  await opening;
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

/** Whether a tool is one that only those use who lead others. */
const isOfLeads = ({ operation }: Tool): boolean => ["office_send", "office_close"].includes(operation.name);

/** The part that a call is from, by the name that it is given; empty where nothing says it. */
function callerOf({ me }: World, args: Record<string, unknown>): string {
  const named = args["agent_id"] ?? args["agentId"] ?? me.part;
  return typeof named === "string" ? named : "";
}

/** The number of urgent messages that are unread, as it stands beside an answer; nothing where there are none. */
function urgentBeside(world: World, args: Record<string, unknown>): { field: { urgent?: number }; words: string[] } {
  // Without a home nobody has mail.
  const count = orElse(0, () => {
    const part = ownName(world, callerOf(world, args));
    return part === null ? 0 : urgentUnread(world, part);
  });
  return count === 0 ? { field: {}, words: [] } : { field: { urgent: count }, words: [`urgent: ${count}`] };
}

/** A turn in words, with what is to be said beside it. */
function wordsOf(reply: Record<string, unknown>, nowMs: number): string {
  const { warning, warnings = [], problems = [] } = reply as Beside;
  const skipped = problems.map(({ path, problem }) => `skipped ${path}: ${problem}`);
  const said = [...(warning === undefined ? [] : [warning]), ...warnings].map((words) => `warning: ${words}`);
  return [turnWords(reply as unknown as TurnAnswer, "tool", nowMs), ...skipped, ...said].join("\n").toWellFormed();
}

/** Warnings and skipped files that an answer may have. */
interface Beside {
  warning?: string;
  warnings?: string[];
  problems?: { path: string; problem: string }[];
}

/** Tools of RelayRoom that Relay does by others, and those. */
const BY_OTHERS: Readonly<Record<string, string>> = {
  learn: "close with a lesson, or append_memory",
  recall: "search, or read_memory",
  recall_used: "none: what was read is not counted",
};

/** The refusal of a tool that is not offered. @param known names of those that are */
function noTool(name: string, known: Iterable<string>): string {
  const group = groupOf(name);
  if (group !== null) return `no tool ${JSON.stringify(name)}; it is in the group ${group} (relay mcp --tools ${group})`;
  const near = Object.hasOwn(BY_OTHERS, name) ? BY_OTHERS[name] : nearest(name, known).join(" or ");
  return `no tool ${JSON.stringify(name)}${near === "" ? "" : `; instead: ${near}`}`;
}

/** The parent is looked for this often. */
const PARENT_MS = 2_000;

/**
 * Calls back when the client is gone: stdin ended, stdout broke, the process that started this one is gone, though another may hold
 * its pipes open, or the process was told to stop. Once or several times.
 */
function whenEnded(done: () => void): void {
  const { ppid } = process;
  setInterval(() => process.ppid !== ppid && done(), PARENT_MS).unref();
  process.stdin.on("end", done).on("close", done);
  process.stdout.on("error", done);
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, done);
}
