/** Prints for people: messages that were acked. */
import type { Printer, Style } from "../style.ts";
import { many, short } from "../words.ts";

/** What was acked beside, and what was not, because nobody saw it. */
export function ackedLines(answer: { threadId: string; acked?: string[]; unseen?: number }, style: Style): string[] {
  const { threadId, acked, unseen } = answer;
  if (acked === undefined) return [];
  const done = `${style.green("Acked")} ${acked.length}.`;
  if (unseen === undefined) return [done];
  const left = `${many(unseen, "message")} of this thread ${unseen === 1 ? "was" : "were"} not shown to you, and ${unseen === 1 ? "stays" : "stay"} unread`;
  return [`${done} ${style.yellow(left)}: relay show ${short(threadId)}, then relay ack --thread ${short(threadId)}`];
}

export const printAck: Printer = ({ acked, alreadyRead, unread }, style) =>
  `${style.green("Acked")} ${acked.length}${alreadyRead.length > 0 ? style.dim(` (${alreadyRead.length} before)`) : ""}; ${unread} unread left.`;
