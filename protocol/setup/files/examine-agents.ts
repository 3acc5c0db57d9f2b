/** Checks the agents that are set up here: entries that lead nowhere, hooks that are missing or not trusted, channels without a listener. spec/check.md, "doctor". */
import path from "node:path";
import type { Host } from "../../agents/hosts/host.ts";
import { HOSTS, type HostName, hostOfClient, isNewer } from "../../agents/hosts/index.ts";
import { FileError } from "../../core/format/file-error.ts";
import { type Finding, found } from "../../core/format/finding.ts";
import type { World } from "../../core/world.ts";
import { members } from "../../mail/files/members.ts";
import { connections } from "../../mail/files/presence.ts";
import { readUserFile } from "../../store/beside/user-file.ts";
import { errorCode } from "../../store/root.ts";
import { steps } from "../../wake/files/wake-chain.ts";
import { relayEntries } from "../nouns/agent-entries.ts";
import { checkAgent } from "./agent-checks.ts";
import { baseOf } from "./set-up-agent.ts";

/** Checks the files of each agent, those of this worktree and of the user, and the channels. Writes nothing. */
export function* examineAgents(world: World): Generator<Finding> {
  for (const host of HOSTS) yield* examineAgent(world, host);
  yield* examineChannels(world);
  yield* examineVersions(world);
}

function* examineAgent(world: World, host: Host & { name: HostName }): Generator<Finding> {
  // A world without a user has no files of the user's.
  const hasUser = world.env["HOME"] !== undefined;
  for (const { base, path: name, read } of relayEntries(host)) {
    if (base === "agent" && !hasUser) continue;
    const file = path.join(baseOf(world, host, base), name);
    try {
      const text = readUserFile(file);
      if (text !== null) read(text);
    } catch (error) {
      // Also what the system says of it: a loop of links, a file in the place of a folder.
      if (!(error instanceof FileError) && errorCode(error) === null) throw error;
      const line = error instanceof FileError ? error.line : undefined;
      yield found("agent_file", `cannot be read: ${(error as Error).message}`, {
        path: file,
        line,
        remedy: `Correct it by hand, then: relay setup ${host.name} --check`,
      });
    }
  }
  for (const { what, state, detail, remedy } of hasUser ? checkAgent(world, host.name) : []) {
    const code = TOLD.get(what);
    if (code !== undefined && state !== "ok") yield found(code, `${host.name}: ${detail}`, { remedy });
  }
}

/** Checks that `setup --check` has, and the codes under which `doctor` tells of them. */
const TOLD: ReadonlyMap<string, Parameters<typeof found>[0]> = new Map([
  ["entries", "setup_altered"],
  ["program", "setup_leads_nowhere"],
  ["server", "setup_differs"],
  ["tools at once", "setup_differs"],
  ["as written", "setup_differs"],
  ["turned on", "turned_off"],
  ["hooks", "hooks_missing"],
  ["hooks trusted", "hooks_untrusted"],
  ["folder trusted", "folder_untrusted"],
  ["server approved", "server_unapproved"],
  ["tools allowed", "tools_asked"],
  ["part", "no_part_here"],
  ["once", "twice"],
]);

/** Programs that are connected here, at versions that Relay was not tried with. */
function* examineVersions(world: World): Generator<Finding> {
  const told = new Set<string>();
  for (const { agent } of members(world).flatMap(({ part }) => connections(world, part))) {
    const { title, tested = null } = hostOfClient(agent.name) ?? {};
    if (tested === null || title === undefined || told.has(title) || !isNewer(agent.version ?? "", tested)) continue;
    told.add(title);
    const problem = `${title} is ${agent.version}; ${tested} is the newest that this Relay was tried with`;
    yield found("newer_host", problem, { remedy: "If something is wrong with it, update Relay, or report it" });
  }
}

/** Channels whose last push was followed by nothing. */
function* examineChannels(world: World): Generator<Finding> {
  const remedy = `Start it with: ${HOSTS.flatMap(({ channel = [] }) => channel).join(", ")}`;
  for (const { part } of members(world)) {
    const pushes = steps(world, part).filter(
      ({ state }) => (state.kind === "owed" && state.reason === "not_fetched") || (state.kind === "noticed" && state.rung === "channel"),
    );
    if (pushes.at(-1)?.state.kind === "owed")
      yield found("channel_unheard", `Relay rang "${part}" over its channel, and the agent did not read its mail`, { remedy });
  }
}
