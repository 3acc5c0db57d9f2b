/** What `undo` would take back of a commit, in words, before it writes anything. */
import { heldBeforeIn } from "../../home/sync/push-effects.ts";
import type { PushedCommit } from "../../home/sync/pushed-commit.ts";
import { many } from "../../objects/format/many.ts";
import { type Effect, effectWords } from "../../objects/guard/push-effect.ts";
import { taskPath } from "../../objects/task/task.ts";
import { placeOf } from "../../objects/tree/layout.ts";
import { guardClass } from "../../objects/tree/record.ts";
import type { World } from "../../world.ts";

/** Effects that are not taken back. */
const STAYING: readonly Effect["kind"][] = ["office", "result"];

/** What a commit did that can be undone, a line each: whether it still stands, only `undo` itself finds out. */
export function undoPlan(world: World, { effects, begun, changes }: PushedCommit): string[] {
  const heldBefore = heldBeforeIn(world);
  // Of a task that the commit began it is enough that it did.
  const own = new Set(begun.map(({ path }) => path));
  const isOfBegun = (effect: Effect): boolean => effect.kind === "claim" && own.has(taskPath(effect.session, effect.task));
  const undoable = effects.filter((effect) => !STAYING.includes(effect.kind) && !isOfBegun(effect));
  const tasks = begun.flatMap(({ path }) => {
    const place = placeOf(path);
    return place?.kind === "task" ? [place.task] : [];
  });
  const strangers = changes.filter(({ path, after }) => after !== null && guardClass(path) === "stranger");
  return [
    ...effectWords(undoable, heldBefore),
    ...undoable.flatMap((effect) => firstClaim(effect, heldBefore)),
    ...(tasks.length === 0 ? [] : [`began ${many(tasks.length, "task")}: ${tasks.join(", ")}`]),
    ...(strangers.length === 0 ? [] : [`brought ${many(strangers.length, "file")} that Relay does not know`]),
  ];
}

/** A claim of a task that nobody held: a sync does not tell it, because it was done to nobody. */
function firstClaim(effect: Effect, heldBefore: ReturnType<typeof heldBeforeIn>): string[] {
  if (effect.kind !== "claim" || effect.did !== "claim") return [];
  const { session, task, fence, agent } = effect;
  const before = heldBefore(session, task, fence);
  return before === null || before === agent ? [`claimed ${task} as ${agent}`] : [];
}
