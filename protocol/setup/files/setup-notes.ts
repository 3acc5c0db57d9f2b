/** The next steps for a person after an agent was set up: its dialogs in order, the files to commit, and what wakes it. spec/agents.md, "Setting up agents". */

import { type Host, pluginTwice, wakesItself } from "../../agents/hosts/host.ts";
import { codeRepository } from "../../core/home/find-home.ts";
import type { World } from "../../core/world.ts";
import { allowsTools } from "../nouns/agent-entries.ts";
import { pluginEnabled } from "./agent-trust.ts";
import { type FileChange, writableRoots } from "./set-up-agent.ts";

interface About {
  allow: boolean;
  channel: boolean;
  /** The part that this worktree was made. */
  named: string | null;
  changes: readonly FileChange[];
}

/** The step that `relay up` takes itself. */
export const NEW_SESSION = "Begin a new session.";

/** One sentence or two for each thing to know, what matters first. */
export async function setupNotes(world: World, host: Host, { allow, channel, named, changes }: About): Promise<string[]> {
  const notes: string[] = [];
  try {
    world.home().config();
    if (named === null && world.me.part === null)
      notes.push("This worktree is not a part yet: `relay part here web` makes it one. Each worktree can be another part.");
  } catch {
    notes.push("There is no home here yet: `relay init` makes one. Until then the server and the hooks do nothing.");
  }
  const isAllowed = allow || changes.some(({ path, after }) => allowsTools(host, path, after));
  notes.push(NEW_SESSION, host.dialogs ?? `${host.title} may ask whether to start the server.`, allowanceNote(host, isAllowed));
  if (pluginEnabled(world, host)) notes.push(pluginTwice(host));
  notes.push(...kept(world, changes));
  if (channel) notes.push(`Start it with: ${host.channel}`);
  const ways = [
    ...(host.screen === undefined ? [] : ["in tmux (`relay up`)"]),
    "by your own command (`relay part deliver PART exec -- …`)",
  ];
  if (!wakesItself(host)) notes.push(`A pager (\`relay pager start\`) wakes an idle session of it, ${ways.join(" or ")}.`);
  const roots = host.sandbox === undefined ? [] : writableRoots(world);
  if (roots.length > 0)
    notes.push(
      `Its sandbox keeps shell commands from writing the home (the MCP server runs outside of it). To allow it, ${host.sandbox?.(roots)}`,
    );
  return notes;
}

/** Whether the host asks before each of Relay's tools, and what to type against it. */
function allowanceNote({ name, title, allowance, once, server }: Host, isAllowed: boolean): string {
  if (allowance.by === "default") return `${title} uses Relay's tools without asking.`;
  if (allowance.by === "person") return `${title} may ask before a tool of Relay's: allow it there.`;
  if (allowance.by === "words") return `${title} asks before each tool of Relay's. Start it with ${allowance.words}, and it does not.`;
  const where = server.base === "worktree" ? "in this worktree" : "in all your folders";
  if (isAllowed) return `${title} may use Relay's tools without asking, ${where}.`;
  const asks = once === undefined ? "asks before each tool of Relay's" : `then ${once.asks} where no person can answer (\`${once.words}\`)`;
  return `${title} ${asks}. \`relay setup ${name} --allow\` allows them all.`;
}

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
