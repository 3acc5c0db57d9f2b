/** `Send`: work for a member, a question to whoever gave the work, or more text in a conversation. spec/office.md, "Send". */

import { refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { post } from "../../mail/files/post.ts";
import type { Dispatch } from "../nouns/dispatch.ts";
import type { Office } from "../nouns/positions.ts";
import type { Roster } from "../nouns/roster.ts";
import { askRequestor } from "./ask-question.ts";
import { createDispatch, refuseInformed } from "./create-dispatch.ts";
import { ringDispatch } from "./dispatch-acts.ts";
import { subjectOf } from "./end-turn.ts";
import { readFrozen } from "./launch-settings.ts";
import { amidNote } from "./local-files.ts";
import { nameOf, type OfficeCaller, requireLead, requireOwn } from "./office-caller.ts";
import { readDispatchFiles } from "./read-dispatch.ts";
import { requireOffice } from "./read-office.ts";

/** What a Send did: the conversation that it is in, and whether a reply is to be waited for. */
export interface Given {
  dispatch: Dispatch;
  /** What the caller calls the other side. */
  agent: string;
  /** Whether it began the conversation, so that its reply answers this very call. */
  isNew: boolean;
  isQuestion: boolean;
}

/** Whom a caller may give work to or ask: a turn its roster as it was frozen, others the leads by their ids. */
export function rosterOf(office: Office, caller: OfficeCaller): Roster {
  if (caller.by === "turn") return caller.dispatch.roster;
  const leads = [...office.positions.values()].filter(({ leads: led }) => led !== null);
  return Object.fromEntries(leads.map(({ id, description }) => [id, { description }]));
}

/**
 * Sends a text to a member.
 * @param context the conversation to go on with; a new one without it
 * @throws Refusal `roster_unavailable`, `not_permitted`, `unknown_member`, `cycle`, `routing`, `slot_limit`, `conversation_closed`,
 *   `not_found`, `recipient_mismatch`
 */
export function giveWork(world: World, caller: OfficeCaller, member: string, text: string, context: string | undefined): Given {
  const office = requireOffice(world);
  requireLead(world, caller);
  if (context !== undefined) return goOn(world, office, caller, member, text, context);
  const roster = rosterOf(office, caller);
  if (caller.by === "part") {
    if (!office.positions.has(member)) throw refuse("unknown_member", { given: member, members: Object.keys(roster) });
    const { dispatch } = createDispatch(world, { initiator: caller.part, recipient: member, text, parent: null });
    return { dispatch, agent: member, isNew: true, isQuestion: false };
  }
  if (!Object.hasOwn(roster, member)) throw notInRoster(world, office, caller.dispatch, member);
  if (roster[member]?.type === "requestor") return ask(world, caller.dispatch, member, text);
  const own = office.positions.get(caller.dispatch.recipient);
  const recipient = own?.members.find((id) => office.positions.get(id)?.name === member);
  if (recipient === undefined) throw refuse("routing", { from: caller.dispatch.recipient, to: member });
  const { dispatch } = createDispatch(world, {
    initiator: caller.dispatch.recipient,
    recipient,
    text,
    parent: { dispatch: caller.dispatch, turn: caller.turn, attempt: caller.attempt },
  });
  return { dispatch, agent: member, isNew: true, isQuestion: false };
}

function ask(world: World, dispatch: Dispatch, agent: string, text: string): Given {
  askRequestor(world, dispatch, text);
  return { dispatch, agent, isNew: false, isQuestion: true };
}

/** More text in a conversation that is open: more work, an answer, or a question upward. */
function goOn(world: World, office: Office, caller: OfficeCaller, member: string, text: string, context: string): Given {
  const state = requireOwn(world, caller, context);
  const { dispatch } = state;
  if (caller.by === "turn" && dispatch.id === caller.dispatch.id) {
    const requestor = Object.entries(dispatch.roster).find(([, { type }]) => type === "requestor")?.[0];
    if (requestor !== member) throw refuse("recipient_mismatch", { context_id: context, given: member, expected: requestor ?? "nobody" });
    return ask(world, dispatch, member, text);
  }
  // A lead that was renamed since is still called in its conversations what it was called when they began.
  const names = [office.positions.get(dispatch.recipient)?.name, readFrozen(world.home().store, dispatch.id)?.name];
  if (![dispatch.recipient, ...names].includes(member))
    throw refuse("recipient_mismatch", { context_id: context, given: member, expected: names[0] ?? names[1] ?? dispatch.recipient });
  if (state.closed !== null) throw refuse("conversation_closed", { context_id: dispatch.context });
  if (caller.by === "part") refuseInformed(world, caller.part);
  const { store } = world.home();
  const subject = subjectOf(store, state);
  amidNote(store, dispatch.id, () => {
    post(world, state.key, { from: nameOf(caller), to: [dispatch.recipient], subject, body: text });
    ringDispatch(world, dispatch.id);
  });
  return { dispatch, agent: member, isNew: false, isQuestion: false };
}

/** Why a name is not one to send to: somebody above waits for this very work, or nobody is called so in the roster. */
function notInRoster(world: World, office: Office, dispatch: Dispatch, given: string): Error {
  const { store } = world.home();
  const requestor = Object.entries(dispatch.roster).find(([, { type }]) => type === "requestor")?.[0];
  for (let above = dispatch.parent; above !== undefined; ) {
    const files = readDispatchFiles(store, above);
    const name = files === null ? undefined : office.positions.get(files.dispatch.recipient)?.name;
    if (requestor !== undefined && name === given) return refuse("cycle", { given, requestor });
    above = files?.dispatch.parent;
  }
  return refuse("unknown_member", { given, members: Object.keys(dispatch.roster) });
}
