import * as z from "zod/mini";
import type { Host } from "../../agents/hosts/host.ts";
import { HOST_NAMES, HOSTS, hostOf } from "../../agents/hosts/index.ts";
import { orElse } from "../../core/format/file-error.ts";
import { flag } from "../../core/format/schema.ts";
import { starterOf } from "../../core/home/starter.ts";
import { hereFile, makePart, partIn } from "../../core/home/worktree-part.ts";
import { HUMAN } from "../../core/names.ts";
import { defineOperation } from "../../core/operation.ts";
import { EXIT, refuse } from "../../core/refusal.ts";
import { AGENT_BLOCK, SKILL } from "../../core/templates.ts";
import type { World } from "../../core/world.ts";
import { linkWorktrees, sharedPart } from "../../git/home/create-home.ts";
import { requireMembers } from "../../mail/files/members.ts";
import { replacedPart } from "../../mail/files/presence.ts";
import type { FileChange } from "../files/set-up-agent.ts";
import { checkSetups, SetupCheck } from "./check-setups.ts";

const [ROOM_TOOLS, BOARD_TOOLS] = ["room", "room,board"];

/** Writes what an agent needs to take part into its own files. */
export const setup = defineOperation({
  name: "setup",
  summary: "Set up an agent: its MCP server, its hooks and a few lines of instructions; shows each change first",
  effect: "write",
  idempotent: true,
  identity: "none",
  home: false,
  positionals: ["agent"],
  input: () => ({
    agent: z.optional(z.enum(HOST_NAMES).check(z.describe("which agent"))),
    check: flag("check that the set-up of one agent, or of all, works; write nothing"),
    print: flag("print what to put where, for a program that Relay does not know; write nothing"),
    board: flag("serve the tools for tasks too, not only those for mail"),
    channel: flag("with claude: wake the session by a push (Claude Channels)"),
    allow: flag("let the agent use Relay's tools without asking each time, on this machine only"),
    remove: flag("remove what setup wrote, and nothing else: of one agent, or of all"),
    dryRun: flag("show what would change; write nothing"),
    yes: flag("write without asking; needed where no terminal is there to ask on"),
  }),
  output: () => ({
    agent: z.nullable(z.string()),
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
    text: z.optional(z.string()),
    checks: z.optional(z.array(SetupCheck)),
  }),
  example: { agent: "claude" },
  exit: ({ checks = [] }) => (checks.some(({ state }) => state === "wrong") ? EXIT.failed : EXIT.ok),
  async run(world, { agent, check, print = false, board = false, channel = false, allow = false, remove = false, dryRun = false }) {
    if (check === true) return checkSetups(world, agent ?? null);
    if (print) return unknown(world, board ? BOARD_TOOLS : ROOM_TOOLS);
    if (agent === undefined && !remove)
      throw refuse("usage", {
        problem: "Which agent?",
        help: `relay setup ${HOST_NAMES.join(", ")}; relay setup --check checks all of them, and --print says what to put where for any other program.`,
      });
    const { setupNotes } = await import("../files/setup-notes.ts");
    const { applySetup, hideLocal, planSetup, refuseShared } = await import("../files/set-up-agent.ts");
    // Without a name all are taken out.
    const hosts = agent === undefined ? HOSTS : [hostOf(agent)];
    const [host] = hosts as [Host];
    if (channel && host.channel === undefined)
      throw refuse("usage", {
        problem: `${host.title} hears no push, so it has no --channel.`,
        help: `Example: \`relay setup ${agent}\`.`,
      });
    const named = namedPart(world);
    const here = named === null ? null : hereFile(world.cwd);
    if (named === HUMAN && !remove)
      throw refuse("usage", {
        problem: "human stands for people, so no agent can be started as it.",
        help: `Example: \`relay setup ${agent} --part web\`.`,
      });
    if (named !== null && !remove) requireMembers(world, [named]);
    if (named !== null && here === null && host.server.base === "agent" && !remove)
      throw refuse("not_in_git", {
        path: world.cwd,
        hint: `The files of ${agent} are for every folder, so they cannot say that this folder is ${named}. Set it up without --part; the agent then passes agent_id`,
      });
    if (allow && !remove) refuseShared(world, host);
    const options = {
      starter: starterOf(world, process.argv[1]),
      // Where a worktree can say who it is, it does; one entry then serves every worktree.
      part: here === null ? named : null,
      channel,
      // A list of tools is read by the model at each request: who works without tasks pays for none.
      tools: board ? BOARD_TOOLS : ROOM_TOOLS,
      allow,
      block: AGENT_BLOCK,
      skill: SKILL,
    };
    const worktree = hereFile(world.cwd);
    const kept = worktree === null ? null : partIn(world, worktree);
    const changes: FileChange[] = [];
    const notes: string[] = [];
    for (const each of hosts) {
      const own = planSetup(world, each, options, remove ? hosts : null);
      if (!dryRun) applySetup(own);
      // Several agents have a file in common.
      changes.push(...own.filter(({ path }) => changes.every((other) => other.path !== path)));
      const isEverywhere = ({ local, inWorktree, before, after }: FileChange) => local && inWorktree === null && before !== after;
      if (remove && each.server.base === "agent" && own.some(isEverywhere))
        notes.push(
          `The files of ${each.name} are for all your folders: this removes Relay from ${each.name} in all of them, not only here.`,
        );
    }
    if (!dryRun) {
      if (named !== null && here !== null && !remove) makePart(world, here, named);
      if (!remove) notes.push(...linked(world));
      notes.push(...(await hidden(() => hideLocal(world, changes, remove))));
    }
    // What is not there, and was not to be taken out either, is nobody's concern.
    const touched = changes.filter(({ before, after }) => (before !== null || after !== null) && (agent !== undefined || before !== after));
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
    if (!remove) notes.unshift(...(await setupNotes(world, host, { ...options, named, changes: touched })));
    const part = remove ? kept : (named ?? kept);
    const odd = remove || part === null || worktree === null ? [] : [replacedPart(world, kept, part), sharedPart(world, part)];
    const warnings = odd.filter((each) => each !== null);
    const where = part === null ? null : worktree === null ? ("entries" as const) : ("worktree" as const);
    const who = { part, partBefore: kept, partIn: where };
    return {
      agent: agent ?? null,
      written: !dryRun,
      removed: remove,
      files,
      ...who,
      ...(warnings.length === 0 ? {} : { warning: warnings.join("; ") }),
      notes,
    };
  },
});

/** What to put where for a program that has no name here. */
async function unknown(world: World, tools: string) {
  const { unknownHost } = await import("../files/unknown-host.ts");
  const text = unknownHost(starterOf(world, process.argv[1]), tools, AGENT_BLOCK);
  const { part } = world.me;
  return { agent: null, written: false, removed: false, files: [], part, partBefore: part, partIn: null, notes: [], text };
}

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
      : [`Git tracks ${tracked.join(", ")}, so Relay cannot hide its changes there from git: do not commit them.`];
  } catch (error) {
    return [`Relay could not hide its files from git: ${(error as Error).message}`];
  }
}

/** A worktree that was made after the home has no link to it yet. */
function linked(world: World): string[] {
  // Without a home there is nothing to link; the notes say so.
  return orElse([], () => linkWorktrees(world).map((link) => `Linked the home into this repository's worktree: ${link}`));
}
