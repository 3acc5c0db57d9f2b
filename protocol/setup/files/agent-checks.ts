/** Checks each piece of an agent's set-up, for `relay setup --check` and `doctor`. spec/agents.md, "Setting up agents". */
import fs from "node:fs";
import path from "node:path";
import type { Host } from "../../agents/hosts/host.ts";
import { type HostName, hostOf } from "../../agents/hosts/index.ts";
import { orElse } from "../../core/format/file-error.ts";
import { AGENT_BLOCK, SKILL } from "../../core/templates.ts";
import type { World } from "../../core/world.ts";
import { readUserFile } from "../../store/beside/user-file.ts";
import { findProgram } from "../../store/program.ts";
import { allowsTools, type RelayEntry, relayEntries, turnedOff } from "../nouns/agent-entries.ts";
import { folderTrust, hooksTrusted, isShared, pluginEnabled, serverApproved } from "./agent-trust.ts";
import { baseOf, planSetup, worktreeOf } from "./set-up-agent.ts";

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

/** The server in a project's file that goes before the user's own. */
function decidingIn(world: World, { hooks: _hooks, alsoHooks: _also, former: _former, ...host }: Host): FoundEntry | undefined {
  if (host.inProject === undefined) return undefined;
  return entriesOf(world, { ...host, server: { ...host.server, base: "worktree", path: host.inProject } })[0];
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
export const checkAgent = (world: World, agent: HostName): AgentCheck[] =>
  [...rowsOf(world, hostOf(agent))].map(([what, isRight, good, bad, remedy]) =>
    isRight === true
      ? { agent, what, state: "ok", detail: good }
      : { agent, what, state: isRight === null ? "unknown" : "wrong", detail: bad, remedy },
  );

/** A check: its subject, whether it is right (null where nobody knows), what that means in either case, and what to type against it. */
type Row = readonly [what: string, isRight: boolean | null, good: string, bad: string, remedy?: string];

const NO_HOOKS = "it has no hooks of Relay's, so it learns of mail only when it reads its inbox";
const NO_TRUST = "the folder is not trusted yet, so it does not start the server or the hooks";
const TWICE = "Relay's plugin is on too, so each tool exists twice";

function* rowsOf(world: World, host: Host): Generator<Row> {
  const { title, trust, trustStep } = host;
  const entries = entriesOf(world, host);
  const again = `relay setup ${host.name}`;
  const plugin = pluginEnabled(world, host) ? host.plugin : undefined;
  if (entries.length === 0)
    return yield plugin === undefined
      ? ["set up", null, "", "Relay is not set up for it", again]
      : ["plugin", true, "Relay's plugin is on; it has the server and the hooks", ""];
  const deciding = decidingIn(world, host);
  const own = entries.filter(({ odd }) => odd === null);
  const odd = entries.find((entry) => entry.odd !== null);
  const [server, hook] = ["mcp", "hook"].map((of) => own.find(({ kind }) => kind === of));
  const [, other] = own.filter(({ kind }) => kind === "mcp");
  const lost = own.map(({ words }) => missingIn(world, words)).find((each) => each !== null);
  if (odd !== undefined) {
    const isTheirs = odd.foreign || odd.file.endsWith(path.normalize(host.alsoHooks?.path ?? " "));
    const remedy = isTheirs ? `remove that entry from ${odd.file}, then ${again}` : again;
    yield ["entries", false, "", `an entry in ${odd.file} is not what setup writes: ${odd.odd}`, remedy];
  }
  const without = `${lost} is missing, so server and hooks do not start`;
  if (own.length > 0) yield ["program", lost === undefined, "the programs of its entries are there", without, again];
  if (deciding === undefined || deciding.file === server?.file)
    yield ["server", server !== undefined, `its server is in ${server?.file}`, "it has no server of Relay's", again];
  else {
    const over = server === undefined ? "" : `, which goes before ${server.file}`;
    const isOurs = host.former !== undefined && !deciding.foreign;
    yield [
      "server",
      false,
      "",
      `the project decides it by ${deciding.file}${over}`,
      isOurs ? again : `remove that entry from ${deciding.file}`,
    ];
  }
  const lacks = server?.lacks?.join(", ") ?? "";
  if (lacks !== "") yield ["tools at once", false, "", `its server's entry has no ${lacks}, so its tools may be hidden`, again];
  if (host.hooks !== undefined) yield ["hooks", hook !== undefined, `its hooks are in ${hook?.file}`, NO_HOOKS, again];
  if (other !== undefined) {
    const remedy = other.file === server?.file ? `remove one of the two from ${other.file}` : again;
    yield ["once", false, "", `its server stands twice, in ${server?.file} and ${other.file}`, remedy];
  }
  for (const [file, what] of offIn(world, host))
    yield ["turned on", false, "", `${what} in ${file} turns it off`, `take that out of ${file}`];
  const isWhole = odd === undefined && lost === undefined && lacks === "" && (host.hooks === undefined || hook !== undefined);
  const changed = isWhole && server !== undefined ? changedIn(world, host, server.words, hook?.file) : [];
  if (changed.length > 0) {
    const words = ["board", "channel"].filter((word) => server?.words.some((each) => each.includes(word))).map((word) => ` --${word}`);
    const differs = `${changed.join(", ")}: not as this Relay writes it, so somebody changed it, or another version wrote it`;
    yield ["as written", false, "", differs, `${again}${words.join("")}`];
  }
  if (trustStep !== undefined) yield ["folder trusted", folderTrust(world, host), "the folder is trusted", NO_TRUST, trustStep];
  if (trust?.hooks !== undefined && hook !== undefined) {
    const bad = `nobody has trusted the hooks yet, so ${title} does not run them`;
    yield ["hooks trusted", hooksTrusted(world, host, hook.file), "the hooks are trusted", bad, trust.hooks.step];
  }
  if (trust?.server !== undefined && server !== undefined) {
    const bad = `nobody has approved the server of ${host.server.path} yet`;
    yield ["server approved", serverApproved(world, host), "the server is approved", bad, trust.server.step];
  }
  if (host.allowance.by !== "person") yield allowedRow(world, host, odd !== undefined || deciding !== undefined);
  yield partRow(world);
  if (plugin !== undefined) yield ["once", false, "", TWICE, `${again} --remove, or disable the plugin (${plugin.off})`];
}

/** Lists the user's own settings that keep Relay from working: each file of the host, and the line in it. */
const offIn = (world: World, host: Host): [file: string, what: string][] =>
  [host.server, ...(host.settings ?? [])].flatMap((place) => {
    const file = path.join(baseOf(world, host, place.base), place.path);
    return orElse([], () => turnedOff(host, place, readUserFile(file))).map((what): [string, string] => [file, what]);
  });

/** The files that setup would change, had it the words of the server that is there. @param hooks the file in which its hooks are */
function changedIn(world: World, host: Host, words: readonly string[], hooks: string | undefined): string[] {
  const at = words.indexOf("mcp", 1);
  const [program = "", ...args] = words.slice(0, at);
  const wordAfter = (option: string): string | undefined => (words.includes(option, at) ? words[words.indexOf(option, at) + 1] : undefined);
  const given = { part: wordAfter("--part") ?? null, tools: wordAfter("--tools"), channel: words.includes("--channel", at), allow: false };
  const options = { ...given, starter: { program, args }, block: AGENT_BLOCK, skill: SKILL };
  const elsewhere = host.hooks !== undefined && path.join(baseOf(world, host, host.hooks.base), host.hooks.path);
  return orElse([], () => planSetup(world, host, options, null)).flatMap(({ path: file, before, after }) =>
    before === after || (file === elsewhere && file !== hooks) ? [] : [file],
  );
}

/** The first of an entry's words that should name a file and does not. */
function missingIn({ cwd, env }: World, [program = "", script]: readonly string[]): string | null {
  if (findProgram(program, cwd, env["PATH"]) === null) return program;
  return script !== undefined && path.isAbsolute(script) && !fs.existsSync(script) ? script : null;
}

/** The row of the leave to use Relay's tools; unknown of an agent whose files do not say it. */
function allowedRow(world: World, host: Host, isOdd: boolean): Row {
  const { allowance, name } = host;
  const what = "tools allowed";
  if (allowance.by === "words") return [what, null, "", "it asks before each tool of Relay's", `start it with ${allowance.words}`];
  const bad = "it asks before each call of a Relay tool, and has no Relay tools where no person can answer";
  return [what, !isOdd && isAllowed(world, host), "it may use Relay's tools without asking", bad, `relay setup ${name} --allow`];
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
function partRow(world: World): Row {
  const { part, said } = world.me;
  if (said === undefined)
    return ["part", part !== null, `it is ${part} here`, `${worktreeOf(world)} is not a part`, "relay part here PART"];
  const bad = `RELAY_PART is "${said.environment}", but this worktree is "${said.worktree}"`;
  return ["part", false, "", bad, `unset RELAY_PART, or: relay part here ${said.environment}`];
}
