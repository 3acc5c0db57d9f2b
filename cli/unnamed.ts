/** Commands about a thread that nobody named: they mean the one thread that has unread mail. */
import { type AnyOperation, createWorld, operations, perform, refuse } from "../protocol/index.ts";
import type { Common } from "./commands.ts";
import { many, plainLine, short } from "./style.ts";

/** Arguments any of which says which thread is meant, by operation. */
const NAMING: Record<string, readonly string[]> = {
  show: ["threadId"],
  reply: ["threadId"],
  ack: ["messageIds", "messageId", "threadId"],
};

/** Whether an operation's place may be left empty for the one unread thread. */
export const mayBeUnnamed = (operation: AnyOperation, argument: string): boolean => NAMING[operation.name]?.includes(argument) === true;

interface Unread {
  threadId: string;
  subject: string;
  from: string;
}

/**
 * Adds the one unread thread to an input that names none.
 * @returns what to tell the person about it; null where a thread was named
 * @throws Refusal `usage` where no thread or more than one has unread mail
 */
export async function nameUnread(operation: AnyOperation, input: Record<string, unknown>, options: Common): Promise<string | null> {
  const naming = NAMING[operation.name];
  if (naming === undefined || naming.some((argument) => input[argument] !== undefined)) return null;
  const { messages } = (await perform(createWorld({ home: options.home, part: options.part }), operations.inbox, {})) as unknown as {
    messages: Unread[];
  };
  const threads = [...new Map(messages.map((message) => [message.threadId, message])).values()];
  const command = `relay ${operation.command}`;
  const [only] = threads;
  if (only === undefined)
    throw refuse("usage", {
      problem: "Nothing is unread, so say which thread.",
      help: `Name one that relay threads lists: ${command} ${operation.name === "ack" ? "--thread " : ""}ID`,
    });
  if (threads.length > 1) {
    const named = threads.slice(0, 5).map(({ threadId, subject, from }) => `${short(threadId)} "${plainLine(subject)}" (${from})`);
    throw refuse("usage", {
      problem: `${many(threads.length, "thread")} have unread mail: ${named.join(", ")}${threads.length > 5 ? ", …" : ""}.`,
      help: `Say which: ${command} ${operation.name === "ack" ? "--thread " : ""}${short(only.threadId)}`,
    });
  }
  input["threadId"] = only.threadId;
  return `The one unread thread: ${short(only.threadId)} "${plainLine(only.subject)}"`;
}
