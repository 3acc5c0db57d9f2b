/** Models that are used by several tests. */
import type { Call, Script } from "./seen.ts";

/** A message as `inbox` lists it. */
interface Listed {
  messageId: string;
  threadId: string;
  unread?: boolean;
  body?: string;
  preview?: string;
}

/** The JSON that a tool answered, within whatever its agent writes around it; null where there is none. */
export function answered(result: string): Record<string, unknown> | null {
  try {
    return JSON.parse(result.slice(result.indexOf('{"'), result.lastIndexOf("}") + 1)) as Record<string, unknown>;
  } catch {
    return null;
  }
}

/**
 * Looks into its inbox when it is told of unread mail, answers each question, and acks what is in there.
 * @param answer what it answers
 */
export function readsMail(answer: string): Script {
  return ({ news, results }) => {
    const inbox = inboxIn(results);
    if (inbox === undefined) return news.some(isToldOfMail) ? { tool: "inbox" } : undefined;
    if (inbox.length === 0) return undefined;
    const questions = inbox.filter(({ body, preview }) => (body ?? preview ?? "").endsWith("?"));
    const replies: Call[] = questions.map(({ threadId }) => ({ tool: "reply", args: { threadId, body: answer } }));
    return [...replies, { tool: "ack", args: { messageIds: inbox.map(({ messageId }) => messageId) } }];
  };
}

/** Calls a tool when a prompt has some words. */
export const does =
  (words: string, ...calls: Call[]): Script =>
  ({ news }) =>
    news.some((text) => text.includes(words)) ? calls : undefined;

/** As `readsMail`, in the two calls that a short message takes: `next`, and the answer, which acks. */
export function looksAndAnswers(answer: string): Script {
  return ({ results, news }) => {
    if (results.length === 0) return news.some(isToldOfMail) ? { tool: "next" } : undefined;
    const threads = [...results.join("\n").matchAll(/\((\w+)-\d+, /g)].map(([, threadId]) => threadId);
    return threads.length === 0 ? undefined : threads.map((threadId) => ({ tool: "reply", args: { threadId, body: answer } }));
  };
}

/** What `inbox` listed, among results. */
function inboxIn(results: readonly string[]): Listed[] | undefined {
  const lists = results.map((result) => answered(result)?.["messages"]);
  return lists.find((list) => Array.isArray(list)) as Listed[] | undefined;
}

const isToldOfMail = (text: string): boolean => /\b\d+ unread message/.test(text);
