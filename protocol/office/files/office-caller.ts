/** Who calls a tool of the office: a turn, by its token, or a person or an agent that is no position. spec/office.md, "Identity". */

import { type Caller, HUMAN } from "../../core/names.ts";
import { refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import type { Dispatch } from "../nouns/dispatch.ts";
import { requireDispatch } from "./create-dispatch.ts";
import { isPosition } from "./is-position.ts";
import { type DispatchState, readDispatch } from "./read-dispatch.ts";
import { type TurnCaller, turnCalling } from "./token.ts";

/** Who calls. */
export type OfficeCaller = ({ by: "turn" } & TurnCaller) | { by: "part"; part: string };

/** Who calls. @throws Refusal `unauthenticated` for nobody, for a token of no turn, and for a position without one */
export function officeCallerOf(world: World, { part }: Caller): OfficeCaller {
  const turn = turnCalling(world);
  if (turn !== null) return { by: "turn", ...turn };
  if (part === "") throw refuse("unauthenticated", { problem: "nothing says who you are" });
  if (isPosition(world, part)) throw refuse("unauthenticated", { problem: `${part} is a position, and the token of a turn is missing` });
  return { by: "part", part };
}

/** Who typed a command about the office: where nothing says which part that is, a person. */
export const whoTyped = (who: Caller): Caller => (who.part === "" ? { part: HUMAN } : who);

/** The name by which messages know who calls. */
export const nameOf = (caller: OfficeCaller): string => (caller.by === "turn" ? caller.dispatch.recipient : caller.part);

/** @throws Refusal `not_permitted` for a leaf, `conversation_closed` for a turn of a dispatch that was closed */
export function requireLead(world: World, caller: OfficeCaller): void {
  if (caller.by !== "turn") return;
  const { frozen, dispatch } = caller;
  if (frozen.isLeaf)
    throw refuse("not_permitted", { who: frozen.position, problem: "it leads nobody, and the last message of its turn is its reply" });
  if (readDispatch(world, dispatch.id)?.closed !== null) throw refuse("conversation_closed", { context_id: dispatch.context });
}

/**
 * The conversation that a caller names and takes part in.
 * @throws Refusal `not_found`, `not_permitted`
 */
export function requireOwn(world: World, caller: OfficeCaller, context: string): DispatchState {
  const state = requireDispatch(world, context);
  if (!takesPart(caller, state.dispatch))
    throw refuse("not_permitted", { who: nameOf(caller), problem: `it takes no part in ${state.dispatch.context}` });
  return state;
}

/** Whether a conversation is a caller's: a turn's own, one that its dispatch began, or one that the part began; people and main take part in all. */
function takesPart(caller: OfficeCaller, dispatch: Dispatch): boolean {
  if (caller.by === "turn") return dispatch.id === caller.dispatch.id || dispatch.parent === caller.dispatch.id;
  return [HUMAN, "main", dispatch.initiator].includes(caller.part);
}
