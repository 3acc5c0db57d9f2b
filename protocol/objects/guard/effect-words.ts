/** The effects of a push on existing files, in words. spec/trust.md, "What a push did". */
import { settingWords } from "../config/setting-changes.ts";
import { asLine, NAME_CHARACTERS } from "../format/hidden.ts";
import type { Effect, HeldBefore } from "./push-effect.ts";

/** What was done, in words that follow "commit c": `marked 14 messages of web as read`. Acks of a part are told together. */
export function effectWords(effects: readonly Effect[], heldBefore: HeldBefore): string[] {
  const acks = new Map<string, number>();
  for (const effect of effects) if (effect.kind === "acked") acks.set(effect.part, (acks.get(effect.part) ?? 0) + 1);
  const moved = new Map<string, number>();
  for (const effect of effects) {
    if (effect.kind !== "moved") continue;
    const between = `${effect.part} to ${effect.to}`;
    moved.set(between, (moved.get(between) ?? 0) + 1);
  }
  return [
    ...[...acks].map(([part, count]) => `marked ${count} ${count === 1 ? "message" : "messages"} of ${part} as read`),
    ...[...moved].map(([between, count]) => `moved ${count} unread ${count === 1 ? "message" : "messages"} of ${between}`),
    ...effects.flatMap((effect) => wordsOf(effect, heldBefore) ?? []),
  ];
}

function wordsOf(effect: Effect, heldBefore: HeldBefore): string | null {
  switch (effect.kind) {
    case "acked":
    case "moved":
      return null;
    case "closed":
      return `${effect.status === "canceled" ? "canceled" : "closed"} thread ${effect.thread}`;
    case "opened":
      return `reopened thread ${effect.thread}`;
    case "claim":
      return claimWords(effect, heldBefore(effect.session, effect.task, effect.fence));
    case "ended":
      return `ended session ${effect.session} as ${effect.by}`;
    case "resumed":
      return `reopened session ${effect.session} as ${effect.by}`;
    case "result":
      return `${effect.status === "approved" ? "approved" : "asked for changes in"} ${effect.review} as ${effect.by}`;
    case "task":
      return `changed the text of ${effect.task}`;
    case "forgotten":
      return `asked to forget ${effect.message} as ${effect.by} (a person answers: relay forget ${effect.message} --confirm, or --refuse)`;
    case "memory":
      return `changed ${effect.path}`;
    case "edited":
      return `changed ${effect.path}${effect.settings === undefined ? "" : `: ${settingWords(effect.settings)}`}`;
    case "unreadable":
      return `brought ${effect.path}, which cannot be read`;
    case "added":
      return `added part ${effect.part}`;
    case "removed":
      return `removed part ${effect.part}`;
    case "renamed":
      return `renamed part ${effect.part} to ${effect.to}`;
    case "main":
      return `made ${effect.to} the main part instead of ${effect.part}`;
  }
}

function claimWords({ did, task, agent, fence }: Effect & { kind: "claim" }, before: string | null): string | null {
  const held = before === null ? null : asLine(before, NAME_CHARACTERS);
  if (did !== "claim") return held === null ? null : `${did === "done" ? "finished" : "released"} ${task}, which ${held} held, as ${agent}`;
  return held === null || held === agent ? null : `took ${task} over from ${held} as ${agent} (fence ${fence})`;
}

/** The effects that were done to a part. @param takesPart whether the part takes part in a thread or session */
export function doneTo(part: string, effects: readonly Effect[], heldBefore: HeldBefore, concerns: (effect: Effect) => boolean): Effect[] {
  return effects.filter((effect) => {
    switch (effect.kind) {
      case "acked":
      case "moved":
      case "removed":
        return effect.part === part;
      case "renamed":
      case "main":
        return effect.part === part || effect.to === part;
      case "claim":
        return heldBefore(effect.session, effect.task, effect.fence) === part;
      case "result":
        return effect.by === part || concerns(effect);
      case "closed":
      case "opened":
      case "forgotten":
      case "ended":
      case "resumed":
        return concerns(effect);
      default:
        return false;
    }
  });
}
