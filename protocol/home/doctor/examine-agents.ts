/** The findings of `doctor` about agents set up here: entries that lead nowhere, hooks that are missing or not trusted, channels without a listener. spec/check.md, "doctor". */
import fs from "node:fs";
import path from "node:path";
import { FileError } from "../../objects/format/file-error.ts";
import { type Finding, found } from "../../objects/format/finding.ts";
import { type RelayEntry, relayEntries } from "../../objects/setup/agent-entries.ts";
import { AGENTS, type AgentName } from "../../objects/setup/agent-setup.ts";
import { isRunnable } from "../../store/program.ts";
import { errorCode } from "../../store/root.ts";
import { readUserFile } from "../../store/user-file.ts";
import type { World } from "../../world.ts";
import { members } from "../part/members.ts";
import { checkAgent } from "../setup/agent-checks.ts";
import { hooksTrusted } from "../setup/agent-trust.ts";
import { baseOf } from "../setup/set-up-agent.ts";
import { steps } from "../wake/wake-chain.ts";

/** Looks at the files of each agent, of this worktree and of the user. */
export const examineAgents = (world: World): Finding[] => [
  ...AGENTS.flatMap((agent) => examineAgent(world, agent)),
  ...examineChannels(world),
];

const again = (agent: AgentName): string => `Run \`relay setup ${agent}\` again`;

function examineAgent(world: World, agent: AgentName): Finding[] {
  const findings: Finding[] = [];
  const entries = relayEntries(agent).flatMap(({ base, path: name, read }) => {
    // A world without a user has no files of the user's.
    if (base === "agent" && world.env["HOME"] === undefined) return [];
    const file = path.join(baseOf(world, agent, base), name);
    try {
      const text = readUserFile(file);
      return text === null ? [] : read(text).map((entry) => ({ file, ...entry }));
    } catch (error) {
      // Also what the system says of it: a loop of links, a file in the place of a folder.
      if (!(error instanceof FileError) && errorCode(error) === null) throw error;
      const line = error instanceof FileError ? error.line : undefined;
      findings.push(found("agent_file", `cannot be read: ${(error as Error).message}`, { path: file, line }));
      return [];
    }
  });
  const lost = new Set<string>();
  for (const { file, words } of entries) {
    const missing = missingIn(world, words);
    if (missing === null || lost.has(`${file} ${missing}`)) continue;
    lost.add(`${file} ${missing}`);
    findings.push(
      found("setup_leads_nowhere", `${agent} starts ${JSON.stringify(missing)}, which is missing`, { path: file, remedy: again(agent) }),
    );
  }
  const hooks = entries.filter(({ kind }) => kind === "hook");
  if (entries.some(({ kind }) => kind === "mcp") && hooks.length === 0)
    findings.push(
      found("hooks_missing", `${agent} has the server but no hooks, so it learns of mail only when it reads its inbox`, {
        remedy: again(agent),
      }),
    );
  if (agent === "codex" && hooks.length > 0 && !hooksTrusted(world, hooks[0]?.file as string))
    findings.push(
      found("hooks_untrusted", "nobody has trusted these hooks yet, so Codex does not run them", {
        path: hooks[0]?.file,
        remedy: "Read them with /hooks in a session of Codex",
      }),
    );
  // What else its set-up needs; the program, the server and its hooks were told of above.
  if (entries.length > 0 && world.env["HOME"] !== undefined)
    for (const { what, state, detail, remedy } of checkAgent(world, agent)) {
      const told = TOLD[what];
      if (told === undefined || state === "ok") continue;
      findings.push({ severity: told.severity, code: told.code, problem: `${agent}: ${detail}`, remedy });
    }
  return findings;
}

/** How `doctor` tells of a check that `setup --check` has. */
const TOLD: Record<string, { severity: Finding["severity"]; code: string }> = {
  entries: { severity: "warning", code: "setup_altered" },
  "folder trusted": { severity: "note", code: "folder_untrusted" },
  "server approved": { severity: "note", code: "server_unapproved" },
  "tools allowed": { severity: "note", code: "tools_asked" },
  part: { severity: "note", code: "no_part_here" },
  once: { severity: "warning", code: "twice" },
};

/** The first of an entry's words that should name a file and does not. */
function missingIn(world: World, words: RelayEntry["words"]): string | null {
  const [program = "", script] = words;
  const folders = (world.env["PATH"] ?? "").split(path.delimiter).filter((folder) => folder !== "");
  const found = path.isAbsolute(program) ? isRunnable(program) : folders.some((folder) => isRunnable(path.join(folder, program)));
  if (!found) return program;
  return script !== undefined && path.isAbsolute(script) && !fs.existsSync(script) ? script : null;
}

/** Channels whose last push was followed by nothing. */
function examineChannels(world: World): Finding[] {
  return members(world).flatMap(({ part }): Finding[] => {
    const pushes = steps(world, part).filter(
      ({ state }) => (state.kind === "owed" && state.reason === "not_fetched") || (state.kind === "noticed" && state.rung === "channel"),
    );
    if (pushes.at(-1)?.state.kind !== "owed") return [];
    return [
      found("channel_unheard", `Relay rang "${part}" over its channel, and the agent did not read its mail`, {
        remedy: "Start Claude Code with --dangerously-load-development-channels server:relay",
      }),
    ];
  });
}
