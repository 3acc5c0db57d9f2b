/** The next steps for a person after an agent was set up: its dialogs in order, the files to commit, and what wakes it. spec/agents.md, "Setting up agents". */
import { allowsTools } from "../../objects/setup/agent-entries.ts";
import type { AgentName } from "../../objects/setup/agent-setup.ts";
import type { World } from "../../world.ts";
import { codeRepository } from "../find-home.ts";
import { pluginEnabled } from "./agent-trust.ts";
import { type FileChange, writableRoots } from "./set-up-agent.ts";

interface About {
  allow: boolean;
  channel: boolean;
  /** The part that this worktree was made. */
  named: string | null;
  changes: readonly FileChange[];
}

/** One sentence or two for each thing to know, what matters first. */
export async function setupNotes(world: World, agent: AgentName, { allow, channel, named, changes }: About): Promise<string[]> {
  const notes: string[] = [];
  try {
    world.home().config();
    if (named === null && world.me.part === null)
      notes.push("This worktree is not a part yet: `relay part here web` makes it one. Each worktree can be another part.");
  } catch {
    notes.push("There is no home here yet: `relay init` makes one. Until then the server and the hooks do nothing.");
  }
  const isAllowed = allow || changes.some(({ path, after }) => allowsTools(agent, path, after));
  notes.push(DIALOGS[agent], isAllowed ? ALLOWED[agent] : ASKS[agent]);
  if (agent === "claude" && pluginEnabled(world))
    notes.push(
      "Relay's plugin is on too, so each tool exists twice: keep one (`relay setup claude --remove`, or `claude plugin disable relay`).",
    );
  notes.push(...kept(world, changes));
  if (agent === "claude" && channel) notes.push("Start it with: claude --dangerously-load-development-channels server:relay");
  if (agent !== "claude")
    notes.push(
      "A pager (`relay pager start`) wakes an idle session of it, in tmux (`relay up`) or by your own command (`relay part deliver PART exec -- …`).",
    );
  const roots = agent === "codex" ? writableRoots(world) : [];
  if (roots.length > 0)
    notes.push(
      "Its sandbox keeps shell commands from writing the home (the MCP server runs outside of it). To allow it, in config.toml: " +
        `[sandbox_workspace_write] writable_roots = ${JSON.stringify(roots)}`,
    );
  return notes;
}

/** What the agent itself asks a person, in its order. */
const DIALOGS: Record<AgentName, string> = {
  claude:
    "Begin a new session. Claude Code asks once whether to trust this folder, then once whether to use its server `relay`: say yes to both.",
  codex:
    "Begin a new session. Codex asks once whether to trust this folder, then whether to trust the hooks; before that it runs none (/hooks shows them).",
  gemini: "Begin a new session. Gemini CLI asks once whether to trust this folder; before that it uses no server (/permissions).",
};

/** What happens without `--allow`. */
const ASKS: Record<AgentName, string> = {
  claude:
    "Claude Code then asks before each tool of Relay's, and denies it where no person can answer (`claude -p`). `relay setup claude --allow` allows them all.",
  codex:
    "Codex then asks before each tool of Relay's that writes, and refuses it where no person can answer (`codex exec`). `relay setup codex --allow` allows them all.",
  gemini:
    "Gemini CLI then asks before each tool of Relay's, and has none of them where no person can answer (`gemini -p`). `relay setup gemini --allow` allows them all.",
};

const ALLOWED: Record<AgentName, string> = {
  claude: "Claude Code may use Relay's tools without asking, in this worktree.",
  codex: "Codex may use Relay's tools without asking, in all your folders.",
  gemini: "Gemini CLI may use Relay's tools without asking, in all your folders.",
};

/** Which files go with the code, and which do not. */
function kept(world: World, changes: readonly FileChange[]): string[] {
  if ((codeRepository(world.cwd)?.top ?? null) === null) return [];
  const named = (isLocal: boolean): string[] =>
    changes.flatMap(({ inWorktree, local }) => (inWorktree !== null && local === isLocal ? [inWorktree] : []));
  const shared = named(false);
  const local = named(true);
  const [they, them] = shared.length === 1 ? ["it is", "it"] : ["they are", "them"];
  return [
    ...(shared.length === 0
      ? []
      : [`Commit ${shared.join(", ")}: ${they} the same for everybody. Otherwise git cannot merge a branch that has ${them} too.`]),
    ...(local.length === 0
      ? []
      : [
          `${local.join(", ")} ${local.length === 1 ? "stays" : "stay"} on this machine (.git/info/exclude hides it from git); set up each worktree separately.`,
        ]),
  ];
}
