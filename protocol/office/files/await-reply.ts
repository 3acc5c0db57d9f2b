/** Waits in a call for what comes: the reply or the question of a dispatch below, or the answer of people. spec/office.md, "Send". */
import { type MessageLocation, parseMessageId } from "../../core/format/id.ts";
import type { World } from "../../core/world.ts";
import { ofThread, unreadIdsSeen } from "../../mail/files/inbox-files.ts";
import { readMessage } from "../../mail/files/read-message.ts";
import { type Message, messagePath } from "../../mail/nouns/message.ts";
import { inboxNew } from "../../mail/nouns/part.ts";
import { absolute } from "../../store/root.ts";
import { watchFolders } from "../../store/watch.ts";
import { childrenOf } from "./children.ts";
import { ackInputs } from "./dispatch-acts.ts";
import { type DispatchMail, isBrought, QUESTION, untakenMail } from "./dispatch-mail.ts";
import { ensureRunner, isTurnDue } from "./ensure-runner.ts";
import { dropAsked, isUnheard, take } from "./local-files.ts";
import { nameOf, type OfficeCaller } from "./office-caller.ts";
import { ofDispatch, tellOffice } from "./office-events.ts";
import { inOffice } from "./office-folder.ts";
import { SENDS } from "./open-sends.ts";
import { readDispatchFiles } from "./read-dispatch.ts";
import { inspectOffice } from "./read-office.ts";
import { isRunnerThere } from "./runner-hold.ts";

/** The question of another dispatch waits so long for the call that waits for that very one. */
const OTHERS_AFTER_MS = 1_500;

/** Where all that is open waits for people, a runner finds nothing to do: one is started this often, for what killed processes left. */
const RUNNER_BEAT_MS = 60_000;

/** What came to a call. */
export interface Came {
  message: Message;
  kind: DispatchMail["kind"];
}

/**
 * Waits until somebody answers in a thread, or asks. What comes is taken by this call, and given to no turn.
 * @param thread the dispatch below, or the thread of a question to people
 * @param waitMs how long at the most
 * @param isOver asked at each look, whether the call waits no more
 * @returns null where the time was over, or the call was cancelled: then it comes by a turn
 */
export async function awaitReply(
  world: World,
  caller: OfficeCaller,
  thread: string,
  waitMs: number,
  isOver: () => boolean = () => false,
): Promise<Came | null> {
  const { store } = world.home();
  let came: Came | null = null;
  let finish = (): void => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const timer = setTimeout(finish, waitMs);
  world.signal?.addEventListener("abort", finish, { once: true });
  const check = (): void => {
    if (came !== null || world.signal?.aborted === true) return;
    came = takeNow(world, caller, thread);
    if (came !== null || isOver()) finish();
    else keepRunner();
  };
  let startedMs = Number.NEGATIVE_INFINITY;
  const keepRunner = (): void => {
    if (isRunnerThere(store) || !(performance.now() - startedMs > RUNNER_BEAT_MS || isTurnDue(world))) return;
    startedMs = performance.now();
    ensureRunner(world);
  };
  try {
    check();
    // Who does not wait hears nothing more, however long a watch would take to begin.
    if (came !== null || waitMs === 0) return came;
    const watch = await watchFolders(
      [absolute(store, inboxNew(nameOf(caller))), ...inOffice(store, [], (office) => [absolute(office, SENDS)])],
      check,
    );
    try {
      if (world.signal?.aborted !== true) await finished;
    } finally {
      await watch.close();
    }
    return came;
  } finally {
    clearTimeout(timer);
    world.signal?.removeEventListener("abort", finish);
  }
}

/** What came by now, taken; null where nothing did. */
export function takeNow(world: World, caller: OfficeCaller, thread: string): Came | null {
  if (caller.by === "part") return takeMail(world, caller.part, thread);
  const { store } = world.home();
  const { dispatch, turn } = caller;
  const children = childrenOf(store, dispatch.id);
  const mail = untakenMail(world, dispatch, children, turn);
  // Who asked people hears nobody else: it answers with what people said alone.
  const hearsOthers = children.some(({ id }) => id === thread);
  const isOld = ({ message }: DispatchMail): boolean => world.now() - Date.parse(message.at) > OTHERS_AFTER_MS;
  const wanted = [
    ...mail.filter(({ message }) => message.thread === thread),
    // Whoever else asks cannot go on either, and this call is all that the agent hears by.
    ...mail.filter((each) => hearsOthers && each.message.thread !== thread && each.kind === "question" && isOld(each)),
  ];
  const found = wanted.find(({ message }) => take(store, dispatch.id, message.id, { by: "call", turn }));
  if (found === undefined) return null;
  // Until the call notes that it has an answer of people, nobody knows that it was heard.
  if (!isUnheard(store, dispatch.id, found.message.id)) ackInputs(world, dispatch.recipient, [found.message.id]);
  return { message: found.message, kind: found.kind };
}

/**
 * The mail of a part in the thread of a dispatch, which is acked: it was read here. Only whoever was given the work answers, and here: what a
 * sync brought in its name stays mail.
 */
function takeMail(world: World, part: string, thread: string): Came | null {
  const { store } = world.home();
  const recipient = readDispatchFiles(store, thread)?.dispatch.recipient;
  for (const id of ofThread(unreadIdsSeen(store, part), thread).sort()) {
    const message = readMessage(store, parseMessageId(id) as MessageLocation, messagePath(parseMessageId(id) as MessageLocation), []);
    if (message === null || message.from !== recipient || isBrought(world, id)) continue;
    ackInputs(world, part, [id]);
    return { message, kind: message.tags?.includes(QUESTION) === true ? "question" : "reply" };
  }
  return null;
}

/** Notes that the answer to a question was given to a call. */
export const noteAnswered = (world: World, caller: OfficeCaller, question: string, { from, id }: Message): void => {
  if (caller.by !== "turn") return;
  dropAsked(world.home().store, caller.dispatch.id, question);
  ackInputs(world, caller.dispatch.recipient, [id]);
  tellOffice(world, { ...ofDispatch(caller.dispatch), type: "office:input_received", from, answer: id });
};

/** What a position is called by others; a name that is none stays. */
export const nameInOffice = (world: World, id: string): string => inspectOffice(world.home().store).office?.positions.get(id)?.name ?? id;
