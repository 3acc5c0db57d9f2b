import * as z from "zod/mini";
import { flag, LIMITS, line, maybe } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import { Faults } from "../../core/shapes.ts";
import { withFaults } from "../../core/with-faults.ts";
import type { World } from "../../core/world.ts";
import { allowCommand, digestOf, granted, grantsIn, neverBelieved, revokeCommand } from "../../trust/files/grants.ts";
import { findMachineStore } from "../../trust/files/machine.ts";
import type { Grant } from "../../trust/nouns/grant.ts";
import { acceptTools, changedTools } from "../files/agents.ts";
import { grantOf, type HookCommand } from "../files/hooks.ts";
import { AllowedCommand, allowedCommands, carryCommands, requireAbsolutePath } from "./allowed-commands.ts";
import { digestThatBegins, hookCommands, notesOn, SHOWN_OF_DIGEST } from "./hook-commands.ts";

/** Shows what agents' hooks would run, and grants some of it on this machine. */
export const trust = defineOperation({
  name: "trust",
  summary: "Show the hook commands of agents, and allow some of them on this machine",
  effect: "write",
  idempotent: true,
  identity: "none",
  positionals: ["accept"],
  input: () => ({
    accept: maybe(z.array(z.string().check(z.minLength(1))).check(z.describe("ids of the commands to trust, as `relay trust` lists them"))),
    all: flag("trust every listed command without a question"),
    session_id: maybe(line(LIMITS.sessionId, "only this session's team, and the pool; default: all sessions that have not ended")),
    list: flag("list every command that may run here for this project, with full digests"),
    revoke: maybe(z.array(z.string().check(z.minLength(1))).check(z.describe("ids of the permissions to revoke"))),
    moved: flag("after a move of the project: show the permissions of its old place; with --all, allow them here"),
  }),
  output: () => ({
    commands: z.array(
      z.object({
        id: z.string(),
        digest: z.string(),
        agent: z.string(),
        hook: z.string(),
        command: z.string(),
        trusted: z.boolean(),
        notes: z.array(z.string()),
      }),
    ),
    agents: z.optional(
      z.array(
        z.object({
          id: z.string(),
          digest: z.string(),
          agent: z.string(),
          before: z.nullable(z.readonly(z.array(z.string()))),
          now: z.nullable(z.readonly(z.array(z.string()))),
          trusted: z.boolean(),
        }),
      ),
    ),
    accepted: z.array(z.string()),
    revoked: z.optional(z.array(z.string())),
    grants: z.optional(z.array(AllowedCommand)),
    moved: z.optional(z.object({ from: z.string(), grants: z.array(AllowedCommand), done: z.boolean() })),
    warning: z.optional(z.string()),
    problems: Faults,
  }),
  example: { accept: ["3fa1b2c4d5e63fa1b2c4d5e63fa1b2c4"] },
  async run(world, { accept = [], all, session_id: session, list, revoke = [], moved }) {
    const { commands, problems } = hookCommands(world, session);
    const ids = [...commands.keys()];
    const tools = changedTools(world);
    const known = [...ids, ...tools.map(({ digest }) => digest)];
    const chosen = moved === true ? [] : all === true ? known : accept.map((piece) => digestThatBegins(piece, known, "accept"));
    const taken = tools.filter(({ digest }) => chosen.includes(digest));
    for (const each of taken) acceptTools(world, each);
    const fresh = [...new Set(chosen)].filter(
      (id) => commands.has(id) && granted(world, grantOf(commands.get(id) as HookCommand)) === null,
    );
    if (fresh.length > 0) requireAbsolutePath(world);
    for (const id of fresh) allowCommand(world, grantOf(commands.get(id) as HookCommand));
    const revoked = revoke
      .map((piece) => digestThatBegins(piece, grantsHere(world).map(digestOf), "revoke"))
      .filter((id) => revokeCommand(world, id));
    const listed = [...commands].map(([id, each]) => ({
      id: id.slice(0, SHOWN_OF_DIGEST),
      digest: id,
      ...each,
      trusted: granted(world, grantOf(each)) !== null,
      notes: notesOn(world, each),
    }));
    const agents = tools.map((each) => ({ id: each.digest.slice(0, SHOWN_OF_DIGEST), ...each, trusted: taken.includes(each) }));
    const warning = believedNoMore(world);
    const answer = {
      commands: listed,
      ...(agents.length === 0 ? {} : { agents }),
      accepted: [...fresh, ...taken.map(({ digest }) => digest)].map((id) => id.slice(0, SHOWN_OF_DIGEST)),
      ...(revoke.length === 0 ? {} : { revoked: revoked.map((id) => id.slice(0, SHOWN_OF_DIGEST)) }),
      ...(list === true ? { grants: allowedCommands(findMachineStore(world)) } : {}),
      ...(moved === true ? { moved: await carryCommands(world, all === true) } : {}),
      ...(warning === null ? {} : { warning }),
    };
    return withFaults(answer, problems);
  },
});

const grantsHere = (world: World): Grant[] => {
  const store = findMachineStore(world);
  return store === null ? [] : grantsIn(store);
};

/** What there is to say of files in the home that once were trust. */
function believedNoMore(world: World): string | null {
  const files = neverBelieved(world.home().store);
  if (files.length === 0) return null;
  const [first] = files;
  const which = files.length === 1 ? `${first} is` : `${first} and ${files.length - 1} more files are`;
  return `${which} ignored, because a file in the home can come from anybody. Relay keeps what you trust in your state folder. Remove the ${files.length === 1 ? "file" : "files"}`;
}
