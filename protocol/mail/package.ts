/** Mail, as a package: parts, guests, inboxes, messages, threads, presence. */

import type { Caller } from "../core/names.ts";
import type { AnyOperation } from "../core/operation.ts";
import { type Call, type Follower, listedPackages, type Package } from "../core/package.ts";
import type { World } from "../core/world.ts";
import { names } from "../store/read/list-folder.ts";
import { partOfMainWorktree } from "./files/bound-parts.ts";
import { completePending } from "./files/finish-posts.ts";
import { newcomerWarning } from "./files/guests.ts";
import { isItself } from "./files/mail.ts";
import { callerOf, isMember, ownName } from "./files/members.ts";
import { PENDING } from "./files/post.ts";
import { noteLife, noteLives } from "./files/presence.ts";
import { followRenames } from "./files/rename-part.ts";
import { shownPresence } from "./files/shown-presence.ts";

/** What mail gives to the core. */
export const mail: Package = {
  finishFirst: finishMail,
  finishLast: moveMail,
  identify,
  follow: followCall,
  partOfMainWorktree: (world) => partOfMainWorktree(world),
  presence: () => shownPresence(),
};

/** Finds out who calls. A worktree may name a part that was removed since; who only asks is then nobody in particular. @throws Refusal */
function identify(world: World, operation: AnyOperation, agentId: string | undefined): Caller {
  const { part, how } = world.me;
  const isGone = operation.identity === "optional" && agentId === undefined && how === "default" && ownName(world, part as string) === null;
  return isGone ? { part: "" } : callerOf(world, agentId, operation.name);
}

/** Notes that the caller lives, before a call and after it. */
function followCall({ world, operation, input, caller }: Call): Follower {
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

/** Completes sends whose processes died or are slow. */
function finishMail(world: World): void {
  if (names(world.home().store, PENDING).length > 0) completePending(world);
}

/** Moves mail to the names that parts have now. */
function moveMail(world: World): void {
  if ([...world.home().config().parts.values()].some(({ formerly }) => formerly.length > 0)) followRenames(world);
}
