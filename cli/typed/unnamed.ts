/** Commands about a thread that nobody named: they mean the one thread that has unread mail. */

import { shellWord } from "../../protocol/core/format/shell-word.ts";
import { refuse } from "../../protocol/core/refusal.ts";
import { type AnyOperation, createWorld, operations, perform, Refusal } from "../../protocol/index.ts";
import type { Common } from "../commands.ts";
import { isPerson } from "../print/style.ts";
import { many, plainLine, short } from "../print/words.ts";
import { mayBeUnnamed } from "./flags.ts";

interface Unread {
  threadId: string;
  subject: string;
  from: string;
}

/**
 * Adds the one unread thread to an input that names none.
 * @returns what to tell the person about it
 * @throws Refusal `usage` where no thread or more than one has unread mail
 */
export async function nameUnread(operation: AnyOperation, input: Record<string, unknown>, options: Common): Promise<string> {
  const { newest, isWhole } = await unreadThreads(options);
  const threads = [...newest.values()];
  const command = `relay ${operation.command}`;
  const flag = operation.positionals.includes("threadId") ? "" : "--thread ";
  const [only] = threads;
  if (only === undefined)
    throw refuse("usage", {
      problem: "No thread was given, and none has unread mail.",
      help: `Name one that \`relay threads\` lists: \`${command} ${flag}ID\`.`,
    });
  if (threads.length > 1) {
    const named = threads.slice(0, NAMED).map(({ threadId, subject, from }) => `${short(threadId)} "${plainLine(subject)}" (${from})`);
    throw refuse("usage", {
      problem: `${isWhole ? many(threads.length, "thread") : `At least ${many(threads.length, "thread")}`} have unread mail: ${named.join(", ")}${threads.length > NAMED ? ", …" : ""}.`,
      help: `Name one: \`${command} ${flag}${short(only.threadId)}\`.`,
    });
  }
  if (!isWhole)
    throw refuse("usage", {
      problem: `More than ${PAGE * PAGES} messages are unread, so other threads may have unread mail too.`,
      help: `Name the thread: \`${command} ${flag}${short(only.threadId)}\`.`,
    });
  // Whole: by the time it is written and sent, a short name could mean another thread too.
  input["threadId"] = only.threadId;
  return `The one unread thread: ${short(only.threadId)} "${plainLine(only.subject)}" (newest from ${plainLine(only.from)})`;
}

/**
 * Refuses one word that was typed where a thread and a text are wanted, when it names no thread: it may have been the text.
 * @throws Refusal `usage`
 */
export async function requireThread(operation: AnyOperation, input: Record<string, unknown>, options: Common): Promise<void> {
  const given = input["threadId"];
  if (typeof given !== "string" || !mayBeUnnamed(operation, "threadId") || operation.positionals.length < 2) return;
  const world = createWorld({ home: options.home, part: options.part, person: isPerson() });
  try {
    await perform(world, operations.show, { threadId: given, limit: 1 });
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== "unknown_thread") throw error;
    const word = shellWord(given);
    throw refuse("usage", {
      problem: `One word can be a thread's id or the text, and no thread has the id ${JSON.stringify(given)}.`,
      help: `If it is the text, name the thread too: \`relay reply ID ${word}\`. \`relay threads\` lists them.`,
    });
  }
}

/** So many unread messages are read, newest first, before somebody has to say which thread is meant. */
const PAGE = 100;
const PAGES = 10;
/** So many threads are named where more than one has unread mail. */
const NAMED = 5;

/** The newest unread message of each thread, by thread; all of them unless `isWhole` is false. One thread's flood hides no other. */
async function unreadThreads(options: Common): Promise<{ newest: Map<string, Unread>; isWhole: boolean }> {
  const world = createWorld({ home: options.home, part: options.part, person: isPerson() });
  const newest = new Map<string, Unread>();
  let cursor: string | null = null;
  for (let at = 0; at < PAGES; at += 1) {
    const place: { cursor?: string } = cursor === null ? {} : { cursor };
    const page = (await perform(world, operations.inbox, { limit: PAGE, ...place })) as unknown as {
      messages: Unread[];
      cursor: string | null;
    };
    for (const message of page.messages) if (!newest.has(message.threadId)) newest.set(message.threadId, message);
    cursor = page.cursor;
    if (cursor === null) return { newest, isWhole: true };
    if (newest.size > NAMED) break;
  }
  return { newest, isWhole: false };
}
