/** The hook commands of teams and the pool, as `trust` lists them. */
import path from "node:path";
import { faultOf } from "../../core/home/broken-files.ts";
import { codeRepository } from "../../core/home/find-home.ts";
import { ambiguousId, refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { leadsInto } from "../../store/program.ts";
import { digestOf } from "../../trust/files/grants.ts";
import { commandsOf, grantOf, type HookCommand } from "../files/hooks.ts";
import { findPool, NOBODY, openTeams, readTeam } from "../files/teams.ts";
import type { ResolvedTeam } from "../nouns/agent.ts";
import { POOL_PATH, type TeamProblem } from "../nouns/team.ts";

/** So many characters of a digest are shown, and have to be given to allow a command: of fewer, somebody finds two commands that share them. */
export const SHOWN_OF_DIGEST = 32;

/** What a person should know before they let a command run. */
export function notesOn(world: World, { command }: HookCommand): string[] {
  const { root } = world.home().store;
  const top = codeRepository(path.dirname(root))?.top ?? path.dirname(root);
  const words = command.split(/[\s;&|()<>"'`=]+/).filter((word) => word !== "");
  return [...new Set(words)].flatMap((word) =>
    leadsInto(word, top) ? [`${word} is in the project: a change of that file changes what runs`] : [],
  );
}

/** Every hook command of teams and the pool, by its digest: one that several have is one. */
export function hookCommands(world: World, session: string | undefined): { commands: Map<string, HookCommand>; problems: TeamProblem[] } {
  const teams = session === undefined ? openTeams(world) : [readTeam(world, session)];
  const places = [...teams, poolOf(world)];
  const commands = places.flatMap(({ agents }) => agents.flatMap(commandsOf));
  return {
    commands: new Map(commands.map((command) => [digestOf(grantOf(command)), command])),
    problems: places.flatMap(({ problems }) => problems),
  };
}

/** The pool; one that cannot be read is a problem of its own, and hides no command of a team. */
function poolOf(world: World): ResolvedTeam {
  try {
    return findPool(world) ?? NOBODY;
  } catch (error) {
    return { agents: [], problems: [{ ...faultOf(error, POOL_PATH), agent: "" }] };
  }
}

/** The one digest that begins with a piece, which is as long as it is shown unless it only takes something back. @throws Refusal `ambiguous_id`, `invalid_argument` */
export function digestThatBegins(piece: string, ids: readonly string[], argument: string): string {
  const isEnough = argument === "revoke" || piece.length >= SHOWN_OF_DIGEST;
  const fitting = isEnough ? ids.filter((id) => id.startsWith(piece.toLowerCase())) : [];
  if (fitting.length > 1)
    throw ambiguousId(
      piece,
      fitting.map((id) => id.slice(0, SHOWN_OF_DIGEST)),
    );
  const [only] = fitting;
  if (only === undefined) {
    const known = ids.map((id) => id.slice(0, SHOWN_OF_DIGEST));
    throw refuse("invalid_argument", {
      argument,
      expected:
        known.length === 0
          ? argument === "revoke"
            ? "no id, because nothing is allowed here"
            : "no id, because nothing waits to be allowed"
          : `one of these ids: ${known.join(", ")}`,
      given: piece,
      example: known[0] ?? null,
    });
  }
  return only;
}
