/** Prints for people: messages that were acked. */
import type { Printer } from "../style.ts";

/** How many messages were acked, and how many are left. */
export const printAck: Printer<"ack"> = ({ acked, alreadyRead, unread }, style) =>
  `${style.green("Acked")} ${acked.length}${alreadyRead.length > 0 ? style.dim(` (${alreadyRead.length} before)`) : ""}; ${unread} unread left.`;
