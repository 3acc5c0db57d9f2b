/** Takes one thing back that a commit did. */

import { parseConfig } from "../../core/config/config.ts";
import type { Changed } from "../../core/noun/noun-effects.ts";
import { nounAt } from "../../core/tree/layout.ts";
import type { World } from "../../core/world.ts";
import { isMember } from "../../mail/files/members.ts";
import { messageKeys, readThread, resolveThread } from "../../mail/files/threads.ts";
import { isEnded } from "../../mail/nouns/thread.ts";
import { close } from "../../mail/verbs/close.ts";
import { part_add } from "../../mail/verbs/part-add.ts";
import { part_remove } from "../../mail/verbs/part-remove.ts";
import { part_rename } from "../../mail/verbs/part-rename.ts";
import { part_set_main } from "../../mail/verbs/part-set-main.ts";
import { askAgain } from "../../removal/files/forget-message.ts";
import { forgottenPath, refusedPath } from "../../removal/nouns/forget-request.ts";
import { exists } from "../../store/read/facts.ts";
import type { Effect } from "../nouns/push-effect.ts";
import { heldBeforeIn } from "../sync/push-effects.ts";
import type { PushedCommit } from "../sync/pushed-commit.ts";
import { NotUndone, type Undone, undoClaim, undoTurn } from "../undo/undo-commit.ts";
import { isMerged, splitPart } from "../undo/undo-parts.ts";
import { undoText } from "../undo/undo-text.ts";
import { keepMessage } from "./keep-message.ts";

/** Takes one thing back. @throws NotUndone, Refusal */
export async function undoEffect(
  world: World,
  effect: Exclude<Effect, { kind: "acked" | "moved" }>,
  pushed: PushedCommit,
  by: string,
): Promise<Undone> {
  const { commit, base, cameAlong } = pushed;
  const file = pushed.files.get(effect.path) as Changed;
  if (file.isUnread === true) throw new NotUndone("it is too long; `git show` in .relay shows the earlier text");
  switch (effect.kind) {
    case "closed":
    case "opened":
      return undoStatus(world, effect, by);
    case "ended":
    case "resumed":
      return undoTurn(world, effect, by);
    case "claim":
      return undoClaim(world, effect, heldBeforeIn(world, cameAlong)(effect.session, effect.task, effect.fence), by);
    case "task":
    case "memory":
    case "edited":
    case "settings":
      return undoText(world, file, { commit, by });
    case "unreadable":
      if (nounAt(effect.path)?.noun.mustBeReadable === true) return undoText(world, file, { commit, by });
      throw new NotUndone(
        nounAt(effect.path)?.noun.isEdited === true
          ? "nothing of it counts, and it stays; correct it, or write `agents: {}` into it"
          : "it is written once, so it stays until a text that can be read takes its place: correct it by hand, then `relay record`",
      );
    case "forgotten":
      return undoRequest(world, effect.message, by);
    case "kept":
      // Of a request that came with its refusal nothing is left to ask for.
      if (pushed.files.get(forgottenPath(effect.message))?.before === null) return null;
      return askAgain(world, effect.message) ? `made the request to forget ${effect.message} stand again on this machine` : null;
    case "office":
      throw new NotUndone("nothing of the office is removed; take its name out of the lists that have it");
    case "result":
      throw new NotUndone("a review has one result; ask for another review");
    default:
      return undoPart(world, effect, file, { commit, base, by });
  }
}

async function undoRequest(world: World, message: string, by: string): Promise<Undone> {
  if (exists(world.home().store, refusedPath(message))) return null;
  await keepMessage(world, message, by);
  return `refused to forget ${message}`;
}

async function undoStatus(world: World, effect: Effect & { kind: "closed" | "opened" }, by: string): Promise<Undone> {
  const { store } = world.home();
  const location = resolveThread(world.home(), effect.thread);
  const now = readThread(store, location, messageKeys(store, location), [])?.status ?? "open";
  if (isEnded(now) !== (effect.kind === "closed")) return null;
  await close.run(world, { threadId: effect.thread, status: effect.was }, { part: by });
  return `set thread ${effect.thread} to its earlier status: ${effect.was}`;
}

async function undoPart(
  world: World,
  effect: Extract<Effect, { kind: "renamed" | "removed" | "added" | "main" }>,
  file: Changed,
  { commit, base, by }: { commit: string; base: string; by: string },
): Promise<Undone> {
  const caller = { part: by };
  const { parts, main } = world.home().config();
  switch (effect.kind) {
    case "renamed":
      if (parts.has(effect.part)) return null;
      if (isMerged(file, effect.part, effect.to) && (!parts.has(effect.to) || parseConfig(file.before ?? "").parts.has(effect.to)))
        return splitPart(world, { commit, base, part: effect.part, to: effect.to, by }, file);
      if (!parts.has(effect.to)) return null;
      await part_rename.run(world, { from: effect.to, to: effect.part }, caller);
      return `renamed part ${effect.to} back to ${effect.part}`;
    case "removed": {
      if (isMember(world, effect.part)) return null;
      const about = parseConfig(file.before ?? "").parts.get(effect.part)?.about;
      await part_add.run(world, { part: effect.part, about }, caller);
      return `added part ${effect.part} again`;
    }
    case "added":
      if (!parts.has(effect.part)) return null;
      await part_remove.run(world, { part: effect.part }, caller);
      return `removed part ${effect.part}`;
    case "main":
      if (main !== effect.to || !parts.has(effect.part)) return null;
      await part_set_main.run(world, { part: effect.part }, caller);
      return `made ${effect.part} the main part again`;
  }
}
