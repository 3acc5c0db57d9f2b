import path from "node:path";
import * as z from "zod/mini";
import { findPool, openTeams, readTeam } from "../../home/agent/agents.ts";
import { allowCommand, digestOf, granted, grantsIn, neverBelieved, revokeCommand } from "../../home/agent/grants.ts";
import { absoluteOnly, commandsOf, grantOf, type HookCommand } from "../../home/agent/hooks.ts";
import { acceptTools, changedTools } from "../../home/agent/sealed-tools.ts";
import { codeRepository } from "../../home/code-repository.ts";
import { carryOver, movedPlace, wakeMethodsIn } from "../../home/doctor/moved-project.ts";
import { findMachineStore } from "../../home/machine.ts";
import { notifiesIn, notifyDigest, wordsOf } from "../../home/notify/notify-list.ts";
import type { Grant } from "../../objects/agent/grant.ts";
import type { TeamProblem } from "../../objects/agent/team.ts";
import { flag, LIMITS, line, maybe } from "../../objects/format/schema.ts";
import { defineOperation } from "../../operation.ts";
import { ambiguousId, refuse } from "../../refusal.ts";
import { leadsInto } from "../../store/program.ts";
import type { Store } from "../../store/root.ts";
import type { World } from "../../world.ts";
import { Faults, withFaults } from "../shapes.ts";

/** So many characters of a digest are shown, and fewer may be given. */
const SHOWN = 12;

const Listed = z.object({
  digest: z.string(),
  purpose: z.enum(["hook", "deliver", "start", "notify"]),
  who: z.string(),
  moment: z.nullable(z.string()),
  argv: z.array(z.string()),
});
type Entry = z.infer<typeof Listed>;

/** Shows what agents' hooks would run, and grants some of it on this machine. */
export const trust = defineOperation({
  name: "trust",
  tool: null,
  command: "trust",
  summary: "Show the hook commands of agents, and allow some of them on this machine",
  when: "Allow hooks.",
  effect: "write",
  idempotent: true,
  identity: "none",
  home: true,
  positionals: ["accept"],
  input: () =>
    z.object({
      accept: maybe(
        z.array(z.string().check(z.minLength(1))).check(z.describe("ids of the commands to trust, as `relay trust` lists them")),
      ),
      all: flag("trust every listed command without a question"),
      session_id: maybe(line(LIMITS.sessionId, "only this session's team, and the pool; default: all sessions that have not ended")),
      list: flag("list every command that may run here for this project, with full digests"),
      revoke: maybe(z.array(z.string().check(z.minLength(1))).check(z.describe("ids of the permissions to revoke"))),
      moved: flag("after a move of the project: show the permissions of its old place; with --all, allow them here"),
    }),
  output: () =>
    z.object({
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
      grants: z.optional(z.array(Listed)),
      moved: z.optional(z.object({ from: z.string(), grants: z.array(Listed), done: z.boolean() })),
      warning: z.optional(z.string()),
      problems: Faults,
    }),
  example: { accept: ["3fa1b2c4d5e6"] },
  async run(world, { accept = [], all, session_id: session, list, revoke = [], moved }) {
    const { commands, problems } = hookCommands(world, session);
    const ids = [...commands.keys()];
    const tools = changedTools(world);
    const known = [...ids, ...tools.map(({ digest }) => digest)];
    const chosen = moved === true ? [] : all === true ? known : accept.map((piece) => pick(piece, known, "accept"));
    const taken = tools.filter(({ digest }) => chosen.includes(digest));
    for (const each of taken) acceptTools(world, each);
    const fresh = [...new Set(chosen)].filter(
      (id) => commands.has(id) && granted(world, grantOf(commands.get(id) as HookCommand)) === null,
    );
    if (fresh.length > 0) requireAbsolutePath(world);
    for (const id of fresh) allowCommand(world, grantOf(commands.get(id) as HookCommand));
    const revoked = revoke.map((piece) => pick(piece, grantsHere(world).map(digestOf), "revoke")).filter((id) => revokeCommand(world, id));
    const listed = [...commands].map(([id, each]) => ({
      id: id.slice(0, SHOWN),
      digest: id,
      ...each,
      trusted: granted(world, grantOf(each)) !== null,
      notes: notesOn(world, each),
    }));
    const agents = tools.map((each) => ({ id: each.digest.slice(0, SHOWN), ...each, trusted: taken.includes(each) }));
    const warning = believedNoMore(world);
    const answer = {
      commands: listed,
      ...(agents.length === 0 ? {} : { agents }),
      accepted: [...fresh, ...taken.map(({ digest }) => digest)].map((id) => id.slice(0, SHOWN)),
      ...(revoke.length === 0 ? {} : { revoked: revoked.map((id) => id.slice(0, SHOWN)) }),
      ...(list === true ? { grants: entriesOf(findMachineStore(world)) } : {}),
      ...(moved === true ? { moved: await carried(world, all === true) } : {}),
      ...(warning === null ? {} : { warning }),
    };
    return withFaults(answer, problems);
  },
});

const grantsHere = (world: World): Grant[] => {
  const store = findMachineStore(world);
  return store === null ? [] : grantsIn(store);
};

/** All that may run by what a place holds. */
function entriesOf(store: Store | null): Entry[] {
  if (store === null) return [];
  const hooks = grantsIn(store).map((each) => ({
    digest: digestOf(each),
    purpose: "hook" as const,
    who: each.agent,
    moment: each.moment,
    argv: [...each.argv],
  }));
  const notifies = notifiesIn(store).map((each) => ({
    digest: notifyDigest(each),
    purpose: "notify" as const,
    who: each.name,
    moment: null,
    argv: wordsOf(each),
  }));
  return [...hooks, ...wakeMethodsIn(store), ...notifies];
}

/** What was allowed where the project lay before; carried over where a person said so. @throws Refusal `invalid_argument` */
async function carried(world: World, agreed: boolean): Promise<{ from: string; grants: Entry[]; done: boolean }> {
  const before = movedPlace(world);
  if (before === null) {
    throw refuse("invalid_argument", {
      argument: "moved",
      expected: "a project that was moved: this machine knows no other place that it lay at, and that is gone",
      given: true,
      example: null,
    });
  }
  const grants = entriesOf(before.store);
  if (agreed) {
    requireAbsolutePath(world);
    carryOver(world, before);
  }
  return { from: before.path, grants, done: agreed };
}

/** A command finds its programs by PATH; a folder in it that is not absolute is another one in each place. @throws Refusal `invalid_argument` */
function requireAbsolutePath(world: World): void {
  const searched = world.env["PATH"];
  if (searched === undefined || absoluteOnly(searched) === searched) return;
  const relative = searched.split(path.delimiter).find((folder) => !path.isAbsolute(folder));
  const expected = "only absolute folders: in another one, a file of the project could be what runs. Take it out of PATH, then trust again";
  throw refuse("invalid_argument", {
    argument: "PATH",
    expected,
    given: relative === "" ? "an empty entry" : relative,
    example: "/usr/bin",
  });
}

/** What a person should know before they let a command run. */
function notesOn(world: World, { command }: HookCommand): string[] {
  const { root } = world.home().store;
  const top = codeRepository(path.dirname(root))?.top ?? path.dirname(root);
  const words = command.split(/[\s;&|()<>"'`=]+/).filter((word) => word !== "");
  return [...new Set(words)].flatMap((word) =>
    leadsInto(word, top) ? [`${word} lies in the project: whoever changes that file changes what runs`] : [],
  );
}

/** What there is to say of files in the home that once were trust. */
function believedNoMore(world: World): string | null {
  const files = neverBelieved(world.home().store);
  if (files.length === 0) return null;
  const [first] = files;
  const which = files.length === 1 ? `${first} is` : `${first} and ${files.length - 1} more files are`;
  return `${which} not believed: a file in the home can come from anybody. What you trust is kept in your state folder; remove the ${files.length === 1 ? "file" : "files"}`;
}

/** Every hook command of teams and the pool, by its digest: one that several have is one. */
function hookCommands(world: World, session: string | undefined): { commands: Map<string, HookCommand>; problems: TeamProblem[] } {
  const teams = session === undefined ? openTeams(world) : [readTeam(world, session)];
  const places = [...teams, findPool(world) ?? { agents: [], problems: [] }];
  const commands = places.flatMap(({ agents }) => agents.flatMap(commandsOf));
  return {
    commands: new Map(commands.map((command) => [digestOf(grantOf(command)), command])),
    problems: places.flatMap(({ problems }) => problems),
  };
}

/** The one digest that begins with a piece. @throws Refusal `ambiguous_id`, `invalid_argument` */
function pick(piece: string, ids: readonly string[], argument: string): string {
  const fitting = ids.filter((id) => id.startsWith(piece.toLowerCase()));
  if (fitting.length > 1)
    throw ambiguousId(
      piece,
      fitting.map((id) => id.slice(0, SHOWN)),
    );
  const [only] = fitting;
  if (only === undefined) {
    const known = ids.map((id) => id.slice(0, SHOWN));
    throw refuse("invalid_argument", {
      argument,
      expected: known.length === 0 ? "no id: there are none" : `ids that there are: ${known.join(", ")}`,
      given: piece,
      example: known[0] ?? null,
    });
  }
  return only;
}
