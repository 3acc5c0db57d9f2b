/** Checks each piece of an agent's set-up, for `relay setup --check` and `doctor`. spec/agents.md, "Setting up agents". */
import fs from "node:fs";
import path from "node:path";
import { orElse } from "../../objects/format/file-error.ts";
import type { Host } from "../../objects/host/host.ts";
import { type HostName, hostOf } from "../../objects/host/index.ts";
import { allowsTools, type RelayEntry, relayEntries } from "../../objects/setup/agent-entries.ts";
import { readUserFile } from "../../store/beside/user-file.ts";
import { findProgram } from "../../store/program.ts";
import type { World } from "../../world.ts";
import { folderTrust, hooksTrusted, isShared, pluginEnabled, serverApproved } from "./agent-trust.ts";
import { baseOf, worktreeOf } from "./set-up-agent.ts";

/** One thing that was checked. */
export interface AgentCheck {
  agent: HostName;
  what: string;
  /** `unknown`: the agent decides it when it starts, or keeps it where it cannot be read. */
  state: "ok" | "wrong" | "unknown";
  detail: string;
  remedy?: string | undefined;
}

/** An entry of Relay's, and the file that it stands in. */
export interface FoundEntry extends RelayEntry {
  file: string;
}

/** Relay's entries for an agent, of this worktree and of the user; a file that cannot be read has none. */
export function entriesOf(world: World, host: Host): FoundEntry[] {
  return relayEntries(host).flatMap(({ base, path: name, read }) => {
    const file = path.join(baseOf(world, host, base), name);
    return orElse([], () =>
      read(readUserFile(file) ?? (name.endsWith(".toml") ? "" : "{}")).map((entry) => ({
        file,
        ...entry,
        odd: entry.odd ?? (base === "worktree" ? withTheCode(world, entry.words) : null),
      })),
    );
  });
}

/** What is wrong with an entry whose program lies in the project, so that it came with the code; null where it does not, or is this Relay. */
function withTheCode(world: World, words: readonly string[]): string | null {
  const top = realPath(worktreeOf(world));
  const within = words.slice(0, 2).find((word) => {
    const file = realPath(word);
    return path.isAbsolute(word) && file.startsWith(`${top}${path.sep}`) && file !== realPath(process.argv[1] ?? "");
  });
  return within === undefined ? null : `it starts ${within}, which came with the code`;
}

function realPath(file: string): string {
  try {
    return fs.realpathSync(file);
  } catch {
    return path.resolve(file);
  }
}

/** Every check of an agent, in the order in which they matter; one alone where Relay is not set up for it. */
export function checkAgent(world: World, agent: HostName): AgentCheck[] {
  const host = hostOf(agent);
  const entries = entriesOf(world, host);
  const again = `relay setup ${agent}`;
  const check = (what: string, isRight: boolean | null, good: string, bad: string, remedy?: string): AgentCheck =>
    isRight === true
      ? { agent, what, state: "ok", detail: good }
      : { agent, what, state: isRight === null ? "unknown" : "wrong", detail: bad, remedy };
  const plugin = agent === "claude" && pluginEnabled(world);
  if (entries.length === 0) {
    if (plugin) return [check("plugin", true, "Relay's plugin is on; it has the server and the hooks", "")];
    return [check("set up", null, "", "Relay is not set up for it", again)];
  }
  const own = entries.filter(({ odd }) => odd === null);
  const odd = entries.find((entry) => entry.odd !== null);
  const servers = own.filter(({ kind }) => kind === "mcp");
  const hooks = own.filter(({ kind }) => kind === "hook");
  const lost = own.map(({ words }) => words[0] ?? "").find((program) => findProgram(program, world.cwd, world.env["PATH"]) === null);
  const trusted = folderTrust(world, host);
  const checks = [
    ...(odd === undefined
      ? []
      : [
          check(
            "entries",
            false,
            "",
            `an entry in ${odd.file} is not what setup writes: ${odd.odd}`,
            odd.foreign || odd.file.endsWith(SHARED_HOOKS) ? `remove that entry from ${odd.file}, then ${again}` : again,
          ),
        ]),
    ...(own.length === 0
      ? []
      : [
          check(
            "program",
            lost === undefined,
            "the programs of its entries are on the PATH",
            `${lost} is not on the PATH, so server and hooks do not start`,
            again,
          ),
        ]),
    check("server", servers.length > 0, `its server is in ${servers[0]?.file}`, "it has no server of Relay's", again),
    ...(servers[0]?.lacks?.length
      ? [check("tools at once", false, "", `its server's entry has no ${servers[0].lacks.join(", ")}, so its tools may be hidden`, again)]
      : []),
    check(
      "hooks",
      hooks.length > 0,
      `its hooks are in ${hooks[0]?.file}`,
      "it has no hooks of Relay's, so it learns of mail only when it reads its inbox",
      again,
    ),
    check(
      "folder trusted",
      trusted,
      "the folder is trusted",
      "the folder is not trusted yet, so it does not start the server or the hooks",
      host.trustStep,
    ),
  ];
  if (agent === "codex" && hooks.length > 0)
    checks.push(
      check(
        "hooks trusted",
        hooksTrusted(world, hooks[0]?.file as string),
        "the hooks are trusted",
        "nobody has trusted the hooks yet, so Codex does not run them",
        "run codex, then type /hooks",
      ),
    );
  if (agent === "claude" && servers.length > 0)
    checks.push(
      check(
        "server approved",
        serverApproved(world),
        "the server is approved",
        "nobody has approved the server of .mcp.json yet",
        "run claude, and choose to use the server when it asks",
      ),
    );
  checks.push(
    check(
      "tools allowed",
      odd === undefined && isAllowed(world, host),
      "it may use Relay's tools without asking",
      "it asks before each call of a Relay tool, and has no Relay tools where no person can answer",
      `${again} --allow`,
    ),
    partCheck(world, agent),
  );
  if (plugin)
    checks.push(
      check(
        "once",
        false,
        "",
        "Relay's plugin is on too, so each tool exists twice",
        `${again} --remove, or disable the plugin (claude plugin disable relay)`,
      ),
    );
  return checks;
}

/** A file of the project that setup does not write. */
const SHARED_HOOKS = path.join(".claude", "settings.json");

function isAllowed(world: World, host: Host): boolean {
  const { allowance } = host;
  const own = allowance.by === "rule" ? [{ base: "agent" as const, path: path.basename(allowance.file.path).replace(".local.", ".") }] : [];
  return [...relayEntries(host), ...own].some(({ base, path: name }) => {
    if (base === "worktree" && isShared(world, name)) return false;
    const file = path.join(baseOf(world, host, base), name);
    return orElse(false, () => allowsTools(host, file, readUserFile(file)));
  });
}

/** Who the agent is here. */
function partCheck(world: World, agent: HostName): AgentCheck {
  const { part, said } = world.me;
  if (said !== undefined)
    return {
      agent,
      what: "part",
      state: "wrong",
      detail: `RELAY_PART is "${said.environment}", but this worktree is "${said.worktree}"`,
      remedy: `unset RELAY_PART, or: relay part here ${said.environment}`,
    };
  return part === null
    ? { agent, what: "part", state: "wrong", detail: `${worktreeOf(world)} is not a part`, remedy: "relay part here PART" }
    : { agent, what: "part", state: "ok", detail: `it is ${part} here` };
}
