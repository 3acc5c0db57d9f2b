import * as z from "zod/mini";
import { hereFile } from "../home/discover.ts";
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
      files: z.array(z.object({ path: z.string(), change: z.enum(["create", "change", "delete", "same"]), diff: z.string() })),
      part: z.nullable(z.string()),
      notes: z.array(z.string()),
    }),
  example: { agent: "claude" },
  async run(world, { agent, channel = false, remove = false, dryRun = false }) {
    const { applySetup, planSetup, starterOf } = await import("../home/setup.ts");
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
    const changes = planSetup(world, agent, options, remove);
    if (!dryRun) {
      applySetup(changes);
      if (named !== null && here !== null && !remove) writeBeside(here, `${named}\n`);
    }
    const files = changes.map(({ path, before, after, diff }) => ({
      path,
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
    const notes = remove ? [] : await notesFor(world, agent, options.channel, named);
    return { agent, written: !dryRun, files, part: named ?? world.me.part, notes };
  },
});

/** The part of `--part`; `RELAY_PART` speaks for one terminal, and so for no worktree. */
function namedPart(world: World): string | null {
  const { part, how } = world.me;
  return how === "bound" && part !== world.env["RELAY_PART"] ? part : null;
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
