/**
 * The next turn of a dispatch. Its input is taken message by message, then the turn is created exclusively, then the mail is acked: a
 * process that is killed in between leaves input that is taken for a turn that does not exist, and the next look goes on with it.
 * spec/office.md, "Turns".
 */

import { acted } from "../../core/act.ts";
import { FileError } from "../../core/format/file-error.ts";
import { Refusal } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { messageKeys } from "../../mail/files/threads.ts";
import type { Message } from "../../mail/nouns/message.ts";
import { exists } from "../../store/read/facts.ts";
import type { Store } from "../../store/root.ts";
import { LAYING } from "../../trust/files/note-origins.ts";
import { isAtWork, nextReason } from "../nouns/dispatch-state.ts";
import { formatEnvelope } from "../nouns/envelope.ts";
import { formatTurn, type TurnReason, turnPath } from "../nouns/turn.ts";
import { childrenOf } from "./children.ts";
import { settleClosed } from "./close-dispatch.ts";
import { ackInputs, ringDispatch } from "./dispatch-acts.ts";
import { type DispatchMail, dropAnswered, mailByIds, noteQuestionsOfKilled } from "./dispatch-mail.ts";
import { enclose } from "./enclose.ts";
import { endTurn } from "./end-turn.ts";
import { type Frozen, frozenOf, readFrozen } from "./launch-settings.ts";
import { amidNote, isRung, ringing, take, takenByCalls, unring, untake } from "./local-files.ts";
import { ofDispatch, tellOffice, tellTurn } from "./office-events.ts";
import { publishRecord, shareRecord } from "./own-files.ts";
import { type DispatchState, readDispatch } from "./read-dispatch.ts";

/** A turn that was just begun, and that somebody has to run. */
export interface NextTurn {
  turn: number;
  reason: TurnReason;
  inputs: readonly Message[];
  /** All that the agent is told, for its stdin. */
  envelope: string;
  launch: Frozen;
}

/** Who begins a turn and how, where that is known before. */
export interface TurnOf {
  /** What the turn's file says of the program; the frozen program's name unless given. */
  runner?: string;
  /** The program's session, where Relay chooses it. */
  agentSession?: string;
}

/** The dispatches of this clone that may have something to do: those that are at work, and those that somebody rang. */
export const localDispatches = (world: World): string[] => ringing(world.home().store);

/**
 * Looks after a dispatch and begins nothing: what a killed process left undone is done, and one that rests is not among `localDispatches`
 * then, until somebody rings it.
 * @returns its state, and why a turn is due; null where none is
 */
export function lookAfter(world: World, id: string): { state: DispatchState; reason: TurnReason } | null {
  const { store } = world.home();
  const state = readDispatch(world, id);
  if (state === null || !state.isOwn) {
    unring(store, id);
    return null;
  }
  // Without its first message nothing was given, and nobody else sees it.
  if (messageKeys(store, state.key).length > 0) shareRecord(store, id);
  noteQuestionsOfKilled(world, state.dispatch);
  tellTurn(world, state);
  if (state.closed !== null) settleClosed(world, state);
  const reason = nextReason(state.facts);
  if (reason !== null) return { state, reason };
  rest(world, state);
  return null;
}

/**
 * Begins the next turn of a dispatch, where one is due and none runs. Whoever calls this runs the turn.
 * @param id of the dispatch
 * @returns null where nothing is to be started: none is due, it is another clone's, or another process was quicker
 * @throws the errors of the disk
 */
export function nextTurn(world: World, id: string, by: TurnOf = {}): NextTurn | null {
  const { store } = world.home();
  const due = lookAfter(world, id);
  if (due === null) return null;
  const { state, reason } = due;
  const turn = (state.turns.at(-1)?.turn ?? 0) + 1;
  const taken = takeInput(store, state, turn);
  // All of it was taken by calls that waited for it.
  if (taken.length === 0 && reason !== "interrupted") return null;
  return begin(world, state, { turn, reason, mail: [...toldAgain(store, state, reason, taken), ...taken], by });
}

/** Characters of new input in one turn, about: the rest leads to the next turn. */
const INPUT_LENGTH = 4_000_000;

/** Takes what the turn is given, at least one message. Replies come all at once: while others are at work theirs stay. */
function takeInput(store: Store, { dispatch, untaken, open }: DispatchState, turn: number): DispatchMail[] {
  const isGiven = ({ kind }: DispatchMail): boolean => kind !== "reply" || open.length === 0;
  let length = 0;
  return untaken.filter((mail) => {
    if (!isGiven(mail) || length > INPUT_LENGTH || !take(store, dispatch.id, mail.message.id, { by: "turn", turn })) return false;
    length += mail.message.body.length;
    return true;
  });
}

/** Gives back what was taken for a turn that another process began first, and without it. */
function giveBack(world: World, id: string, turn: number, inputs: readonly string[]): void {
  const { store } = world.home();
  const begun = readDispatch(world, id)?.turns.find((each) => each.turn === turn);
  for (const input of inputs) if (begun?.inputs.includes(input) === false) untake(store, id, input, { by: "turn", turn });
  ringDispatch(world, id);
}

/** What a turn is told that was given before: to one that was interrupted, or to a call whose program failed before it heard it. */
function toldAgain(store: Store, state: DispatchState, reason: TurnReason, taken: readonly DispatchMail[]): DispatchMail[] {
  const { dispatch, turns, ends } = state;
  const last = turns.at(-1);
  if (last === undefined) return [];
  if (reason === "interrupted") return givenIn(store, state, last.turn);
  const isTaken = (id: string): boolean => taken.some(({ message }) => message.id === id);
  const unheard = ends.find(({ turn }) => turn === last.turn)?.unheard?.filter((id) => !isTaken(id)) ?? [];
  return mailByIds(store, dispatch, childrenOf(store, dispatch.id), unheard).map((mail) => ({ ...mail, isAgain: true }));
}

/** All that a turn was given: what it was started with, and what its calls took. */
function givenIn(store: Store, { dispatch, turns }: DispatchState, turn: number): DispatchMail[] {
  const ids = [...(turns.find((each) => each.turn === turn)?.inputs ?? []), ...takenByCalls(store, dispatch.id, turn)];
  return mailByIds(store, dispatch, childrenOf(store, dispatch.id), ids);
}

/**
 * What the program of a turn is told that is started again in that turn: all that the turn was given by now, and what it gave to others.
 * @param id of the dispatch
 * @returns null where the turn gave nothing to others and its calls took nothing: then it is told the same as before
 */
export function envelopeAgain(world: World, id: string, turn: number): string | null {
  const { store } = world.home();
  const state = readDispatch(world, id);
  const frozen = readFrozen(store, id);
  if (state === null || frozen === null) return null;
  const gave = childrenOf(store, id).some((child) => child.turn === turn);
  if (!gave && takenByCalls(store, id, turn).length === 0) return null;
  const envelope = formatEnvelope(enclose(world, state, frozen, "interrupted", givenIn(store, state, turn)));
  dropAnswered(world, id);
  return envelope;
}

function begin(
  world: World,
  state: DispatchState,
  { turn, reason, mail, by }: { turn: number; reason: TurnReason; mail: readonly DispatchMail[]; by: TurnOf },
): NextTurn | null {
  const { store } = world.home();
  const { key, dispatch } = state;
  let launch: Frozen | string;
  try {
    launch = frozenOf(world, dispatch);
  } catch (error) {
    if (!(error instanceof FileError || error instanceof Refusal)) throw error;
    launch = error instanceof FileError ? `${error.path}: ${error.message}` : error.message;
  }
  const isUsable = typeof launch !== "string";
  const runner = by.runner ?? (typeof launch === "string" ? "none" : launch.program);
  const model = typeof launch === "string" ? undefined : launch.model;
  const inputs = mail.map(({ message }) => message.id);
  const at = new Date(world.now()).toISOString();
  const text = formatTurn({ turn, at, reason, inputs, runner, model, agentSession: by.agentSession });
  if (publishRecord(store, turnPath(key, turn), text) === "exists") {
    giveBack(world, dispatch.id, turn, inputs);
    return null;
  }
  acted(world, { paths: [turnPath(key, turn)] });
  for (const { kind, message } of mail)
    if (kind === "answer")
      tellOffice(world, { ...ofDispatch(dispatch), type: "office:input_received", from: message.from, answer: message.id });
  ackInputs(world, dispatch.recipient, inputs);
  dropAnswered(world, dispatch.id);
  // It may have been closed since it was read: then the turn ends before it began, and the end says so.
  const problem = isUsable ? "" : (launch as string);
  const now = readDispatch(world, dispatch.id);
  if (now !== null) tellTurn(world, now);
  if (!isUsable || now?.closed !== null) {
    endTurn(world, dispatch.id, turn, {
      outcome: isUsable ? "closed" : "failed",
      heard: false,
      problem: problem.split("\n")[0],
      text: problem,
    });
    return null;
  }
  const frozen = launch as Frozen;
  const envelope = formatEnvelope(enclose(world, state, frozen, reason, mail));
  return { turn, reason, inputs: mail.map(({ message }) => message), envelope, launch: frozen };
}

/** Takes a dispatch that has nothing to do from those that are looked at, unless something came meanwhile. */
function rest(world: World, state: DispatchState): void {
  const { store } = world.home();
  if (isAtWork(state.state) || state.facts.turns.length > state.facts.ends.length) return;
  // What of its mail counts is known once a sync that is at it has noted what it brings.
  if (exists(store, LAYING)) return;
  const { id } = state.dispatch;
  // Only somebody's note says that it may have something to do soon: a note of this process would make whoever watches look again and again.
  if (!isRung(store, id)) return;
  amidNote(store, id, () => {
    unring(store, id);
    const now = readDispatch(world, id);
    if (now !== null && isAtWork(now.state)) ringDispatch(world, id);
  });
}
