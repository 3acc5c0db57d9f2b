/** Calls, as mail sees them: who calls, that the caller lives, and what to tell one who is new. */
import type { Caller } from "../../core/names.ts";
import type { AnyOperation } from "../../core/operation.ts";
import { type Call, type Follower, listedPackages } from "../../core/package.ts";
import type { World } from "../../core/world.ts";
import { newcomerWarning } from "./guests.ts";
import { isItself } from "./mail.ts";
import { callerOf, currentName, isMember } from "./members.ts";
import { noteLife, noteLives } from "./presence.ts";

/** Finds out who calls. A worktree may name a part that was removed since; who only asks is then nobody in particular. @throws Refusal */
export function identify(world: World, operation: AnyOperation, agentId: string | undefined): Caller {
  const { part, how } = world.me;
  const isGone =
    operation.identity === "optional" && agentId === undefined && how === "default" && currentName(world, part as string) === null;
  return isGone ? { part: "" } : callerOf(world, agentId, operation.name);
}

/** Notes that the caller lives, before a call and after it. */
export function followCall({ world, operation, input, caller }: Call): Follower {
  if (operation.home) noteLives(world, caller.isNew === true ? "" : caller.part);
  let newcomer: string | undefined;
  const isSign = operation.home && (operation.effect !== "read" || isItself(world, caller.part));
  return {
    before() {
      newcomer = caller.isNew === true ? warnNewcomer(world, caller.part, input["session_id"]) : undefined;
      if (isSign && caller.isNew !== true) noteLife(world, caller.part);
    },
    after() {
      // What took long is a sign until its end, and who was new is somebody by now.
      if (isSign && (caller.isNew !== true || isMember(world, caller.part))) noteLife(world, caller.part);
    },
    warnings: (isRefused) => (isRefused ? [] : [newcomer]),
  };
}

/** What to tell an id that is not known yet; a team file that cannot be read is told of where the team is asked for. */
function warnNewcomer(world: World, part: string, session: unknown): string | undefined {
  try {
    const known = listedPackages().flatMap(({ knownIds }) => knownIds?.(world, session) ?? []);
    return newcomerWarning(world, part, known);
  } catch {
    return newcomerWarning(world, part, []);
  }
}
