import * as z from "zod/mini";
import { linkWorktrees, sharedPart } from "../home/create.ts";
import { codeRepository, hereFile, partIn } from "../home/discover.ts";
import { requireMembers } from "../home/parts.ts";
import { flag } from "../objects/schema.ts";
import { defineOperation } from "../operation.ts";
import { writeBeside } from "../store/beside.ts";
import { AGENT_BLOCK } from "../templates.ts";
import type { World } from "../world.ts";

/** Writes what an agent needs to take part into its own files. */
export const setup = defineOperation({
  name: "setup",
  tool: null,
  command: "setup",
  summary: "Set an agent up: its MCP server, its hooks, a few lines of instructions; shows what changes",
  when: "Set an agent up.",
  effect: "write",
  idempotent: true,
  identity: "none",
  home: false,
  positionals: ["agent"],
  input: () =>
    z.object({
      agent: z.enum(["claude", "codex", "gemini"]).check(z.describe("which agent")),
      channel: flag("claude: let the server push the doorbell into the session (Claude Channels)"),
      remove: flag("take out what this wrote, and nothing else"),
      dryRun: flag("show what would change; write nothing"),
      yes: flag("on a terminal: do not ask"),
    }),
  output: () =>
    z.object({
      agent: z.string(),
      written: z.boolean(),
      removed: z.boolean(),
      files: z.array(
        z.object({ path: z.string(), change: z.enum(["create", "change", "delete", "same"]), local: z.boolean(), diff: z.string() }),
      ),
      part: z.nullable(z.string()),
      partBefore: z.nullable(z.string()),
      partIn: z.nullable(z.enum(["worktree", "entries"])),
      warning: z.optional(z.string()),
      notes: z.array(z.string()),
    }),
  example: { agent: "claude" },
  async run(world, { agent, channel = false, remove = false, dryRun = false }) {
    const { applySetup, hideLocal, planSetup, starterOf } = await import("../home/setup.ts");
    const named = namedPart(world);
    const here = named === null ? null : hereFile(world.cwd);
    if (named !== null && !remove) requireMembers(world, [named]);
    const options = {
      starter: starterOf(world, process.argv[1]),
      // Where a worktree can say who it is, it does; one entry then serves every worktree.
      part: here === null ? named : null,
      channel: channel && agent === "claude",
      block: AGENT_BLOCK,
    };
    const worktree = hereFile(world.cwd);
    const kept = worktree === null ? null : partIn(worktree);
    const changes = planSetup(world, agent, options, remove);
    const notes: string[] = [];
    if (!dryRun) {
      applySetup(changes);
      if (named !== null && here !== null && !remove) writeBeside(here, `${named}\n`);
      if (!remove) notes.push(...linked(world));
      if (!remove) notes.push(...(await hidden(() => hideLocal(world, changes))));
    }
    // What is not there, and was not to be taken out either, is nobody's concern.
    const touched = changes.filter(({ before, after }) => before !== null || after !== null);
    const files = touched.map(({ path, before, after, diff, local }) => ({
      path,
      local,
      change:
        before === after
          ? ("same" as const)
          : before === null
            ? ("create" as const)
            : after === null
              ? ("delete" as const)
              : ("change" as const),
      diff,
    }));
    if (!remove) notes.push(...keeping(world, touched), ...(await notesFor(world, agent, options.channel, named)));
    const part = remove ? kept : (named ?? kept);
    const warning = remove || part === null || worktree === null ? null : sharedPart(world, part);
    const where = part === null ? null : worktree === null ? ("entries" as const) : ("worktree" as const);
    const who = { part, partBefore: kept, partIn: where };
    return { agent, written: !dryRun, removed: remove, files, ...who, ...(warning === null ? {} : { warning }), notes };
  },
});

/** The part of `--part`; `RELAY_PART` speaks for one terminal, and so for no worktree. */
function namedPart(world: World): string | null {
  const { part, how } = world.me;
  return how === "bound" && part !== world.env["RELAY_PART"] ? part : null;
}

/** Hides from git what is this machine's own. @returns what there is to say of it */
async function hidden(hide: () => Promise<string[]>): Promise<string[]> {
  try {
    const tracked = await hide();
    return tracked.length === 0
      ? []
      : [`Git tracks ${tracked.join(", ")}, so that cannot be hidden from it: commit none of what Relay wrote there.`];
  } catch (error) {
    return [`Nothing could be hidden from git: ${(error as Error).message}`];
  }
}

/** A worktree that was made after the home has no link to it yet. */
function linked(world: World): string[] {
  try {
    return linkWorktrees(world).map((link) => `Linked the home into this repository's worktree: ${link}`);
  } catch {
    // Without a home there is nothing to link; the notes say so.
    return [];
  }
}

/** Which files go with the code, and which do not. */
function keeping(world: World, changes: readonly { inWorktree: string | null; local: boolean }[]): string[] {
  if ((codeRepository(world.cwd)?.top ?? null) === null) return [];
  const named = (isLocal: boolean): string =>
    changes.flatMap(({ inWorktree, local }) => (inWorktree !== null && local === isLocal ? [inWorktree] : [])).join(", ");
  const shared = named(false);
  const local = named(true);
  return [
    ...(shared === ""
      ? []
      : [`Commit ${shared}: they are the same for everybody. Git merges no branch that brings them over files that are not committed.`]),
    ...(local === ""
      ? []
      : [
          `${local} stays on this machine (.git/info/exclude hides it from git where git does not track it); set each worktree up by itself.`,
        ]),
  ];
}

/** What is left to a person. */
async function notesFor(world: World, agent: string, channel: boolean, named: string | null): Promise<string[]> {
  const { writableRoots } = await import("../home/setup.ts");
  const notes: string[] = [];
  try {
    world.home().config();
    if (named === null && world.me.part === null)
      notes.push("This worktree is no part yet: `relay part here web` makes it one. Each worktree can be another part.");
  } catch {
    notes.push("There is no home here yet: `relay init` makes one. Until then the server and the hooks keep still.");
  }
  if (agent === "claude") {
    notes.push(
      "Claude Code asks once whether to trust this folder and its server `relay`; hooks are shown by /hooks. Begin a new session.",
    );
    if (channel) notes.push("Start it with: claude --dangerously-load-development-channels server:relay");
  }
  if (agent !== "claude")
    notes.push(
      "An idle session of it is woken in tmux (`relay up`) or by a command of yours (`relay part deliver PART exec -- …`), by a pager: `relay pager start`.",
    );
  if (agent === "codex") {
    notes.push("Codex runs no hook before you have looked at it and trusted it: /hooks, in a session.");
    const roots = writableRoots(world);
    if (roots.length > 0)
      notes.push(
        "Its sandbox keeps shell commands from writing the home (the MCP server runs outside of it). To allow it, in config.toml: " +
          `[sandbox_workspace_write] writable_roots = ${JSON.stringify(roots)}`,
      );
  }
  if (agent === "gemini") notes.push("Gemini CLI reads these settings in a trusted folder only: /permissions. Begin a new session.");
  return notes;
}
