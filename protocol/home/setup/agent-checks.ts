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
  const check: Check = (what, isRight, good, bad, remedy) =>
    isRight === true
      ? { agent, what, state: "ok", detail: good }
      : { agent, what, state: isRight === null ? "unknown" : "wrong", detail: bad, remedy };
  const plugin = pluginEnabled(world, host) ? host.plugin : undefined;
  if (entries.length === 0) {
    if (plugin !== undefined) return [check("plugin", true, "Relay's plugin is on; it has the server and the hooks", "")];
    return [check("set up", null, "", "Relay is not set up for it", again)];
  }
  const own = entries.filter(({ odd }) => odd === null);
  const odd = entries.find((entry) => entry.odd !== null);
  const servers = own.filter(({ kind }) => kind === "mcp");
  const hooks = own.filter(({ kind }) => kind === "hook");
  const lost = own.map(({ words }) => words[0] ?? "").find((program) => findProgram(program, world.cwd, world.env["PATH"]) === null);
  const checks = [
    ...(odd === undefined
      ? []
      : [
          check(
            "entries",
            false,
            "",
            `an entry in ${odd.file} is not what setup writes: ${odd.odd}`,
            odd.foreign || odd.file.endsWith(path.normalize(host.alsoHooks?.path ?? " "))
              ? `remove that entry from ${odd.file}, then ${again}`
              : again,
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
  ];
  if (host.hooks !== undefined)
    checks.push(
      check(
        "hooks",
        hooks.length > 0,
        `its hooks are in ${hooks[0]?.file}`,
        "it has no hooks of Relay's, so it learns of mail only when it reads its inbox",
        again,
      ),
    );
  if (host.trustStep !== undefined)
    checks.push(
      check(
        "folder trusted",
        folderTrust(world, host),
        "the folder is trusted",
        "the folder is not trusted yet, so it does not start the server or the hooks",
        host.trustStep,
      ),
    );
  if (host.trust?.hooks !== undefined && hooks.length > 0)
    checks.push(
      check(
        "hooks trusted",
        hooksTrusted(world, host, hooks[0]?.file as string),
        "the hooks are trusted",
        `nobody has trusted the hooks yet, so ${host.title} does not run them`,
        host.trust.hooks.step,
      ),
    );
  if (host.trust?.server !== undefined && servers.length > 0)
    checks.push(
      check(
        "server approved",
        serverApproved(world, host),
        "the server is approved",
        `nobody has approved the server of ${host.server.path} yet`,
        host.trust.server.step,
      ),
    );
  checks.push(allowedCheck(world, host, check, odd !== undefined), partCheck(world, agent));
  if (plugin !== undefined)
    checks.push(
      check(
        "once",
        false,
        "",
        "Relay's plugin is on too, so each tool exists twice",
        `${again} --remove, or disable the plugin (${plugin.off})`,
      ),
    );
  return checks;
}

type Check = (what: string, isRight: boolean | null, good: string, bad: string, remedy?: string) => AgentCheck;

/** Whether the agent may use Relay's tools; of one whose files do not say it, nobody knows. */
function allowedCheck(world: World, host: Host, check: Check, isOdd: boolean): AgentCheck {
  const { allowance, name } = host;
  const what = "tools allowed";
  const good = "it may use Relay's tools without asking";
  if (allowance.by === "person") return check(what, null, good, "it may ask before a tool of Relay's, and its user allows it there");
  if (allowance.by === "words") return check(what, null, good, "it asks before each tool of Relay's", `start it with ${allowance.words}`);
  const bad = "it asks before each call of a Relay tool, and has no Relay tools where no person can answer";
  return check(what, !isOdd && isAllowed(world, host), good, bad, `relay setup ${name} --allow`);
}

function isAllowed(world: World, host: Host): boolean {
  const own = (host.settings ?? []).filter(({ base }) => base === "agent");
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
