import * as z from "zod/mini";
import { findPool, openTeams, readTeam } from "../home/agents.ts";
import { commandsOf, type HookCommand, isTrusted, trust as record, trustId } from "../home/hooks.ts";
import { flag, LIMITS, line, maybe } from "../objects/schema.ts";
import type { TeamProblem } from "../objects/team.ts";
import { defineOperation } from "../operation.ts";
import { refuse } from "../refusal.ts";
import type { World } from "../world.ts";
import { Faults, withFaults } from "./shapes.ts";

/** So many characters of a command's id are shown, and fewer may be given. */
const SHOWN = 12;

/** Shows the commands that agents' hooks would run, and records which of them may. */
export const trust = defineOperation({
  name: "trust",
  tool: null,
  command: "trust",
  summary: "Show the hook commands of agents, and trust some of them on this machine",
  when: "Let hooks run.",
  effect: "write",
  idempotent: true,
  identity: "none",
  home: true,
  positionals: ["accept"],
  input: () =>
    z.object({
      accept: maybe(z.array(z.string().check(z.minLength(1))).check(z.describe("ids of commands to trust, as this lists them"))),
      all: flag("trust every command that it lists"),
      session_id: maybe(line(LIMITS.sessionId, "only its team, and the pool; default: every session that has not ended")),
    }),
  output: () =>
    z.object({
      commands: z.array(z.object({ id: z.string(), agent: z.string(), hook: z.string(), command: z.string(), trusted: z.boolean() })),
      accepted: z.array(z.string()),
      problems: Faults,
    }),
  example: { accept: ["3fa1b2c4d5e6"] },
  async run(world, { accept = [], all, session_id: session }) {
    const { store } = world.home();
    const { commands, problems } = hookCommands(world, session);
    const ids = [...commands.keys()];
    const chosen = all === true ? ids : accept.map((piece) => pick(piece, ids));
    const fresh = [...new Set(chosen)].filter((id) => !isTrusted(store, commands.get(id) as HookCommand));
    for (const id of fresh) record(store, commands.get(id) as HookCommand);
    const listed = [...commands].map(([id, each]) => ({ id: id.slice(0, SHOWN), ...each, trusted: isTrusted(store, each) }));
    return withFaults({ commands: listed, accepted: fresh.map((id) => id.slice(0, SHOWN)) }, problems);
  },
});

/** Every hook command of teams and the pool, by its id: one that several have is one. */
function hookCommands(world: World, session: string | undefined): { commands: Map<string, HookCommand>; problems: TeamProblem[] } {
  const teams = session === undefined ? openTeams(world) : [readTeam(world, session)];
  const places = [...teams, findPool(world) ?? { agents: [], problems: [] }];
  const commands = places.flatMap(({ agents }) => agents.flatMap(commandsOf));
  return {
    commands: new Map(commands.map((command) => [trustId(command), command])),
    problems: places.flatMap(({ problems }) => problems),
  };
}

/** The one id that begins with a piece. @throws Refusal `ambiguous_id`, `invalid_argument` */
function pick(piece: string, ids: readonly string[]): string {
  const fitting = ids.filter((id) => id.startsWith(piece.toLowerCase()));
  if (fitting.length > 1) throw refuse("ambiguous_id", { given: piece, candidates: fitting.map((id) => id.slice(0, SHOWN)) });
  const [only] = fitting;
  if (only === undefined) {
    const known = ids.map((id) => id.slice(0, SHOWN));
    throw refuse("invalid_argument", {
      argument: "accept",
      expected: known.length === 0 ? "no id: there are no hook commands" : `ids of commands that there are: ${known.join(", ")}`,
      given: piece,
      example: known[0] ?? null,
    });
  }
  return only;
}
