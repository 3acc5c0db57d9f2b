import * as z from "zod/mini";
import { orElse } from "../../core/format/file-error.ts";
import { compareNewest, messageId, parseMessageId, parseShortName, parseThreadId, threadId } from "../../core/format/id.ts";
import { flag, LIMITS, maybe } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import { refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { exists } from "../../store/read/facts.ts";
import { isOfEnded, removals } from "../asks.ts";
import { ackMail } from "../files/ack-mail.ts";
import { join } from "../files/guests.ts";
import { isAcked, ofThread, readDays, readIds, unreadIds } from "../files/inbox-files.ts";
import { isCut, isMailOf, isSeen } from "../files/mail.ts";
import { ackNotice, isNoticeId } from "../files/notices.ts";
import { messageOf } from "../files/read-message.ts";
import { messageKeys, resolveMessage, resolveThread } from "../files/threads.ts";
import { lastShown } from "../files/told.ts";
import { messagePath } from "../nouns/message.ts";

/** What stayed unread because nobody was shown it, with the first subjects; of how many acked messages only the beginning was shown. */
const Unseen = {
  unseen: z.optional(z.number()),
  unseenSubjects: z.optional(z.array(z.string())),
  previewed: z.optional(z.number()),
};

/** Marks messages as dealt with. */
export const ack = defineOperation({
  name: "ack",
  tool: "room",
  summary: "Mark messages as dealt with: some of them, or what you were shown of a thread, or of all",
  when: "Mark as dealt with: messages, or what you saw of a thread, or of all.",
  effect: "write",
  idempotent: true,
  identity: "writer",
  positionals: ["messageIds"],
  naming: ["messageIds", "messageId", "threadId", "all"],
  input: () => ({
    messageIds: maybe(
      z.array(z.string()).check(z.minLength(1), z.maxLength(LIMITS.ackIds), z.describe("ids, or shown: what next showed last")),
    ),
    messageId: maybe(z.string().check(z.describe("one message"))),
    threadId: maybe(z.string().check(z.describe("what you were shown of a thread"))),
    all: flag("all that you were shown"),
  }),
  unlisted: ["messageId"],
  output: () => ({
    acked: z.array(z.string()),

    alreadyRead: z.array(z.string()),
    unread: z.number(),
    ...Unseen,
  }),
  example: { messageIds: ["m-20260131-k3f9x2ab-1-1kg9p6je0khyvdn0me1qn97a8"] },
  async run(world, input, caller) {
    const { store } = world.home();
    const { part } = caller;
    const named = [...(input.messageIds ?? []), ...(input.messageId === undefined ? [] : [input.messageId])];
    const ways = [named.length > 0, input.threadId !== undefined, input.all === true].filter(Boolean);
    if (ways.length !== 1) {
      throw refuse("invalid_argument", {
        argument: "messageIds",
        expected: "ids of messages, or one thread (`threadId`), or `all`: one of them",
        given: null,
        example: ack.example.messageIds,
      });
    }
    const unread = unreadIds(store, part);
    const notices = named.filter(isNoticeId);
    const shown = named.includes(SHOWN) ? lastShown(world, part, unread) : [];
    const messages = [...named.filter((id) => !isNoticeId(id) && id !== SHOWN), ...shown];
    const threads = input.threadId === undefined ? messages.filter((id) => isThread(world, id)) : [input.threadId];
    const byId = resolveAll(
      world,
      part,
      messages.filter((id) => !threads.includes(id)),
      unread,
    );
    const others =
      input.all === true ? unread.filter((id) => isMailOf(world, part, id)) : threads.flatMap((each) => mailOf(world, part, each, unread));
    // What was named by its id is known; of a thread only what was shown is meant.
    const here = new Set(unread);
    // What was said in a session that is over waits for nobody.
    const isOver = (id: string): boolean => input.all === true && isOfEnded(store, messageOf(store, id));
    const unseen = others.filter((id) => here.has(id) && !isSeen(world, part, id) && !isOver(id));
    const isUnseen = new Set(unseen);
    const seen = others.filter((id) => !isUnseen.has(id));
    const ids = [...new Set([...byId, ...seen])];
    const previewed = seen.filter((id) => here.has(id) && isCut(world, part, id)).length;
    if (ids.length > 0 && caller.isNew === true) join(world, caller);
    const done = ackMail(world, part, ids, unread);
    for (const id of notices) (ackNotice(world, part, id) ? done.acked : done.alreadyRead).push(id);
    const rest = unseen.length === 0 ? {} : { unseen: unseen.length, unseenSubjects: subjectsOf(world, unseen) };
    return { ...done, ...rest, ...(previewed === 0 ? {} : { previewed }) };
  },
});

/** Tells whether a text is the id of a thread, or its short name. */
function isThread(world: World, given: string): boolean {
  const random = parseThreadId(given)?.random ?? given.toLowerCase();
  return parseMessageId(given) === null && orElse(false, () => resolveThread(world.home(), given).random === random);
}

/** Stands for what the last turn showed. */
const SHOWN = "shown";

/** So many subjects of unseen messages are answered. */
const SUBJECTS = 5;

/** Subjects of messages with who wrote them, oldest first, those that can be read; of many the first. */
export const subjectsOf = (world: World, ids: readonly string[]): string[] =>
  [...ids]
    .sort((a, b) => compareNewest(b, a))
    .slice(0, SUBJECTS)
    .flatMap((id) => {
      const message = messageOf(world.home().store, id);
      if (message === null) return [];
      const { from, subject } = message;
      return [subject.startsWith(`${from} `) ? subject : `${from}: ${subject}`];
    });

/** What of a thread is unread; where nothing is, what was acked. @throws Refusal `not_your_message` where nothing of it went to this part */
function mailOf(world: World, part: string, given: string, unread: readonly string[]): string[] {
  const location = resolveThread(world.home(), given);
  const ids = ofThread(unread, threadId(location));
  const mine = ids.filter((id) => isMailOf(world, part, id));
  const mail = mine.length > 0 ? mine : ofThread(readIds(world.home().store, part, location.day), threadId(location));
  if (mail.length === 0) throw refuse("not_your_message", { part, given: [given] });
  return mail;
}

/** Whole ids, all of them in this inbox, before anything is written. */
function resolveAll(world: World, part: string, given: readonly string[], unread: readonly string[]): string[] {
  const { store } = world.home();
  let listed: string[] | undefined;
  const acked = (): string[] => {
    listed ??= readDays(store, part).flatMap((day) => readIds(store, part, day));
    return listed;
  };
  const ids = given.map((text) => {
    if (parseMessageId(text) !== null) return text;
    // Read and unread together: mail that comes later under the same short name is not acked in the place of what was.
    const known =
      resolveMessage([...new Set([...unread, ...(ackedAs(world, part, text) ?? acked())])], text) ?? resolveMessage(acked(), text);
    if (known === null) throw refuse("unknown_message", { given: [text] });
    return known;
  });
  const here = new Set(unread);
  const foreign = ids.filter((id) => !here.has(id) && !isAcked(store, part, id));
  // Somebody else's mail is not this part's to ack, wherever its name was put.
  const put = ids.filter((id) => here.has(id) && !isMailOf(world, part, id));
  const elsewhere = [...put, ...foreign.filter((id) => isMessage(world, id))];
  if (elsewhere.length > 0) throw refuse("not_your_message", { part, given: elsewhere });
  if (foreign.length > 0) throw refuse("unknown_message", { given: foreign });
  return [...new Set(ids)];
}

/**
 * What a part has acked of threads that a short name may mean: one question for each day, whatever was acked on it.
 * @returns null where the text is another piece of an id
 */
function ackedAs(world: World, part: string, text: string): string[] | null {
  const { store } = world.home();
  const { random, n } = parseShortName(text.toLowerCase()) ?? {};
  if (random === undefined || n == null) return null;
  return readDays(store, part).flatMap((day) => {
    const thread = { day, random };
    if (removals().hasArchive(store, thread)) return readIds(store, part, day);
    const named = messageKeys(store, thread).filter((key) => key.n === n);
    return named.map(messageId).filter((id) => isAcked(store, part, id));
  });
}

function isMessage(world: World, id: string): boolean {
  const location = parseMessageId(id);
  if (location === null) return false;
  return (
    exists(world.home().store, messagePath(location)) && messageKeys(world.home().store, location).some((each) => messageId(each) === id)
  );
}
