/** A message that is finished and not sent yet: its text gives it its name. SPEC.md, "Ids". */
import { encodeTime, type MessageKey, messageId, NUMBER_MOST, type ThreadKey, TOKEN_RANDOM, threadId } from "../../objects/format/id.ts";
import { asLine, LIMITS } from "../../objects/format/schema.ts";
import { formatUnnamed, type Message } from "../../objects/message/message.ts";
import { sealedToken, withId } from "../../objects/message/seal.ts";
import { refuse } from "../../refusal.ts";
import { sha256 } from "../../store/digest.ts";
import type { World } from "../../world.ts";
import { messageKeys } from "../thread/threads.ts";

/** What a message says; its id, number and time are given when it is written. */
export type Draft = Omit<Message, "id" | "thread" | "n" | "at">;

/** A finished message: its name, what it says, and its file. */
export interface Letter {
  key: MessageKey;
  message: Message;
  text: string;
}

/** A token of dice: of an event, and of a message in a home of format 1. */
export function diceToken(world: World): string {
  return encodeTime(world.now()) + world.random(TOKEN_RANDOM);
}

/**
 * Writes a message as the next one of a thread, which need not exist yet.
 * @param key the message's key, where it was given to it before
 * @throws Refusal `thread_full`; `file_full` for one that no reader would take
 */
export function composeLetter(world: World, thread: ThreadKey, draft: Draft, key?: MessageKey): Letter {
  const n = key?.n ?? nextNumber(world, thread);
  const ms = world.now();
  const said = { ...draft, subject: asLine(draft.subject, LIMITS.subject), thread: threadId(thread), n, at: new Date(ms).toISOString() };
  const unnamed = formatUnnamed(said);
  const token = (): string => (world.home().config().format === 1 ? diceToken(world) : sealedToken(unnamed, ms, sha256));
  const name = key ?? { ...thread, n, token: token() };
  const id = messageId(name);
  const text = withId(unnamed, id);
  const bytes = Buffer.byteLength(text);
  if (bytes > LIMITS.messageBytes) throw refuse("file_full", { path: `message ${id}`, bytes, most: LIMITS.messageBytes });
  return { key: name, message: { id, ...said }, text };
}

/** One more than the highest number in the thread. @throws Refusal `thread_full` */
function nextNumber(world: World, thread: ThreadKey): number {
  const highest = messageKeys(world.home().store, thread).at(-1)?.n ?? 0;
  // A number that no reader takes would be a message that nobody finds.
  if (highest >= NUMBER_MOST) throw refuse("thread_full", { threadId: threadId(thread), number: highest });
  return highest + 1;
}
