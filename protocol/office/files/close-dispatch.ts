/** Closes a dispatch, those that it made first. spec/office.md, "Closing". */

import { acted } from "../../core/act.ts";
import { refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { closedPath, formatClosed } from "../nouns/dispatch.ts";
import { runningTurn } from "../nouns/dispatch-state.ts";
import { childrenOf } from "./children.ts";
import { ringDispatch } from "./dispatch-acts.ts";
import { owesReply } from "./dispatch-mail.ts";
import { closedBy, postReply } from "./end-turn.ts";
import { publishRecord } from "./own-files.ts";
import { type DispatchState, readDispatch } from "./read-dispatch.ts";

/**
 * Closes a dispatch for good. Those that it made are closed first, and a turn that runs is stopped by the runner. Whoever gave the work is
 * answered once: by this, or by the reply of a turn that ended at the same instant. Twice is fine.
 * @param id of the dispatch
 * @param by who closes it
 * @throws Refusal `not_permitted` where another clone runs it
 * @returns the dispatches that this call closed, the deepest first
 */
export function closeDispatch(world: World, id: string, by: string): string[] {
  const { store } = world.home();
  const state = readDispatch(world, id);
  if (state === null) return [];
  if (!state.isOwn) throw refuse("not_permitted", { who: by, problem: `the clone ${state.dispatch.clone} runs it. Close it there` });
  const below = childrenOf(store, id).flatMap((child) => closeDispatch(world, child.id, by));
  const at = new Date(world.now()).toISOString();
  const isNew = publishRecord(store, closedPath(state.key), formatClosed({ by, at })) === "created";
  if (isNew) acted(world, { paths: [closedPath(state.key)] });
  const now = readDispatch(world, id);
  if (now !== null) settleClosed(world, now);
  return isNew ? [...below, id] : below;
}

/** What follows from the close of a dispatch: the answer to whoever gave the work, where one is owed. Doing it twice changes nothing. */
export function settleClosed(world: World, state: DispatchState): void {
  const { key, dispatch, turns, ends, closed } = state;
  if (closed === null || !state.isOwn) return;
  const running = runningTurn({ turns, ends });
  if (running !== null || owesReply(world, key, dispatch)) {
    const turn = running ?? (turns.at(-1)?.turn ?? 0) + 1;
    postReply(world, state, turn, { outcome: "closed", problem: closedBy(closed.by), text: "" });
  }
  ringDispatch(world, dispatch.id);
  if (dispatch.parent !== undefined) ringDispatch(world, dispatch.parent);
}
