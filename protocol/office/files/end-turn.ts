/**
 * The end of a turn, in steps that may each be done twice: whoever was asked and got no answer is told so; the reply; the end's file; the
 * acks; then whoever has to go on is rung. A process that is killed in between leaves the rest to the next call. spec/office.md, "Ends".
 */

import { acted } from "../../core/act.ts";
import { asLine } from "../../core/format/hidden.ts";
import type { World } from "../../core/world.ts";
import { reservedBy } from "../../mail/files/idempotency.ts";
import { type IdempotencyKey, post } from "../../mail/files/post.ts";
import { messageKeys, readThread } from "../../mail/files/threads.ts";
import { type Message, messagePath } from "../../mail/nouns/message.ts";
import { exists } from "../../store/read/facts.ts";
import type { Store } from "../../store/root.ts";
import type { Dispatch } from "../nouns/dispatch.ts";
import { isAtWork, mustWait } from "../nouns/dispatch-state.ts";
import { endPath, formatEnd, type Outcome, type Usage } from "../nouns/turn.ts";
import { childrenOf } from "./children.ts";
import { ackInputs, ringDispatch } from "./dispatch-acts.ts";
import { NO_ANSWER, openQuestions } from "./dispatch-mail.ts";
import { isUnheard, takenByCalls, takerOf } from "./local-files.ts";
import { tellTurn } from "./office-events.ts";
import { publishRecord } from "./own-files.ts";
import { type DispatchState, readDispatch, readDispatchFiles, stateOf } from "./read-dispatch.ts";
import { metadataOf, outcomeOf, storeText } from "./reply-text.ts";

/** How a turn ended, as the process that ran it says. */
export interface TurnResult {
  /** `ok` needs the terminal event without error, exit code 0, and no stop asked for. `interrupted`: nobody knows, so it is done again. */
  outcome: Exclude<Outcome, "waiting">;
  /** The exit code, or the name of the signal. */
  exit?: string | undefined;
  agentSession?: string | undefined;
  usage?: Usage | undefined;
  /** What went wrong, in one line. */
  problem?: string | undefined;
  /** False where its program was told nothing, or did nothing that it was told: it was not started, or ended before its first step. */
  heard?: boolean | undefined;
  /** How many calls its program has no answer of; absent where nobody knows. */
  openCalls?: number | undefined;
  /** The final text; of a turn that failed the last lines of stderr. */
  text: string;
}

/** A turn that was interrupted so often in a row has failed. */
const INTERRUPTIONS = 3;
const PROBLEM = 1_000;

/**
 * Ends a turn. Doing it twice, or going on with it after a kill, changes nothing; a second end with another result counts for nothing.
 * @param id of the dispatch
 * @param turn the number of a turn that was begun
 * @throws RangeError where there is no such turn; the errors of the disk
 */
export function endTurn(world: World, id: string, turn: number, result: TurnResult): void {
  const { store } = world.home();
  const files = readDispatchFiles(store, id);
  if (files === null || files.turns.every((each) => each.turn !== turn)) throw new RangeError(`${id} has no turn ${turn}`);
  if (files.ends.every((each) => each.turn !== turn)) writeEnd(world, stateOf(world, files), turn, result);
  follow(world, id, turn);
}

/** What the end's file says, with the reply that it names, which comes first. */
function writeEnd(world: World, state: DispatchState, turn: number, result: TurnResult): void {
  const { key, dispatch, closed } = state;
  const { exit, agentSession, usage, text } = result;
  const asked = closed === null ? lastingOutcome(state, result) : "closed";
  const problem = asked === result.outcome ? result.problem : (result.problem ?? problemOf(asked, state));
  if (asked !== "interrupted") leaveUnanswered(world, state);
  const isDone = asked === "ok" || asked === "empty";
  // What was below may be at work again by now: it was told that nobody answers.
  const waits = isDone && mustWait((readDispatch(world, dispatch.id) ?? state).facts);
  // Whoever was killed after the reply answered, whatever the program of the turn can be seen to have done since.
  const isHeld = (waits || asked === "interrupted") && !hasReplied(world, dispatch, turn);
  const reply = isHeld ? null : postReply(world, state, turn, { ...result, outcome: asked, problem });
  const outcome = reply !== null ? outcomeOf(reply) : waits ? "waiting" : asked;
  const end = {
    turn,
    at: new Date(world.now()).toISOString(),
    outcome,
    exit: exit === undefined ? undefined : asLine(exit, 64),
    agentSession,
    usage,
    reply: reply?.id,
    unheard: outcome === "failed" || outcome === "timeout" ? unheardIn(world, state, turn, result) : undefined,
    problem: problem === undefined || problem === "" ? undefined : asLine(problem, PROBLEM),
    text: isDone && reply !== null ? "" : storeText(world.home().store, key, turn, text).body,
  };
  publishRecord(world.home().store, endPath(key, turn), formatEnd(end));
  acted(world, { paths: [endPath(key, turn)] });
}

/** What a turn was given, where its program heard nothing; else what its last calls took, of which its program has no answer. */
function unheardIn(world: World, { dispatch, turns }: DispatchState, turn: number, { heard, openCalls }: TurnResult): string[] {
  const taken = takenByCalls(world.home().store, dispatch.id, turn);
  if (heard === false) return [...(turns.find((each) => each.turn === turn)?.inputs ?? []), ...taken];
  return openCalls === undefined ? taken : taken.slice(Math.max(0, taken.length - openCalls));
}

/** What went wrong where the one who ran the turn does not know. */
function problemOf(outcome: TurnResult["outcome"], { closed }: DispatchState): string | undefined {
  if (closed !== null) return closedBy(closed.by);
  return outcome === "failed" ? "it was interrupted" : undefined;
}

/** What a reply says of a conversation that was closed. */
export const closedBy = (who: string): string => `${who} closed the conversation.`;

/** What a turn ended as: one that was interrupted again and again has failed. */
function lastingOutcome({ ends }: DispatchState, { outcome }: TurnResult): TurnResult["outcome"] {
  if (outcome !== "interrupted") return outcome;
  const before = ends.slice(1 - INTERRUPTIONS);
  return before.length === INTERRUPTIONS - 1 && before.every((end) => end.outcome === "interrupted") ? "failed" : "interrupted";
}

/** Tells each dispatch below whose question was seen and not answered that no answer comes, so that it goes on. */
function leaveUnanswered(world: World, { dispatch, open }: DispatchState): void {
  const { store } = world.home();
  for (const { child } of open) {
    for (const question of openQuestions(world, child.id)) {
      if (takerOf(store, dispatch.id, question) === null || !question.includes(child.id.slice(2))) continue;
      tellNoAnswer(world, { dispatch, child: child.id, question });
    }
  }
}

function tellNoAnswer(
  world: World,
  { dispatch, child, question }: { dispatch: DispatchState["dispatch"]; child: string; question: string },
): void {
  const files = readDispatchFiles(world.home().store, child);
  if (files === null) return;
  const draft = {
    from: dispatch.recipient,
    to: [files.dispatch.recipient],
    subject: subjectOf(world.home().store, files),
    body: "No answer came: the turn that was asked ended without one. Go on as well as you can without it.",
    tags: [NO_ANSWER],
  };
  post(world, files.key, draft, { scope: { owner: dispatch.recipient, operation: `dispatch.${child}` }, key: `no-answer ${question}` });
  ringDispatch(world, child);
}

/** The subject of a dispatch's thread. */
export const subjectOf = (store: Store, { key }: Pick<DispatchState, "key">): string =>
  readThread(store, key, messageKeys(store, key), [])?.subject ?? "(no subject)";

/** The reply to a turn. Of all that answer the same turn, such as a close at that instant, the first one counts. */
export function postReply(
  world: World,
  { key, dispatch }: Pick<DispatchState, "key" | "dispatch">,
  turn: number,
  { outcome, exit, problem, text }: Omit<TurnResult, "outcome"> & { outcome: Outcome },
): Message {
  const { store } = world.home();
  const { body, isWhole } = storeText(store, key, turn, text);
  const isGood = outcome === "ok" || outcome === "empty";
  const why = [problem, exit === undefined ? undefined : `exit: ${exit}`].filter((line) => line !== undefined && line !== "");
  const draft = {
    from: dispatch.recipient,
    to: [dispatch.initiator],
    subject: subjectOf(store, { key }),
    body: isGood ? body : [`(${outcome})`, ...why, ...(body === "" ? [] : ["", body])].join("\n"),
    ...(outcome === "ok" ? {} : { tags: [outcome] }),
    metadata: metadataOf(key, turn, outcome, isWhole),
  };
  return post(world, key, draft, replyKey(dispatch, turn));
}

/** By this the reply to a turn is posted once. */
const replyKey = ({ id, recipient }: Dispatch, turn: number): IdempotencyKey => ({
  scope: { owner: recipient, operation: `dispatch.${id}` },
  key: `turn ${turn}`,
});

/** Whether the reply to a turn lies in its thread. */
function hasReplied(world: World, dispatch: Dispatch, turn: number): boolean {
  const { scope, key } = replyKey(dispatch, turn);
  const reserved = reservedBy(world, scope, key);
  return reserved !== null && exists(world.home().store, messagePath(reserved.key));
}

/** What follows from an end that is written. */
function follow(world: World, id: string, turn: number): void {
  const state = readDispatch(world, id);
  if (state === null) return;
  const { dispatch, turns } = state;
  tellTurn(world, state);
  const { store } = world.home();
  const heard = takenByCalls(store, id, turn).filter((each) => state.closed !== null || !isUnheard(store, id, each));
  ackInputs(world, dispatch.recipient, [...(turns.find((each) => each.turn === turn)?.inputs ?? []), ...heard]);
  if (dispatch.parent !== undefined) ringDispatch(world, dispatch.parent);
  // One that rests is rung as well: whoever looks finds that it has nothing to do, and takes it from the list.
  if (isAtWork(state.state) || childrenOf(store, id).length > 0) ringDispatch(world, id);
}
