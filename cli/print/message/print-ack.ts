/** Prints for people: messages that were acked. */
import type { Printer } from "../style.ts";

export const printAck: Printer<"ack"> = ({ acked, alreadyRead, unread }, style) =>
  `${style.green("Acked")} ${acked.length}${alreadyRead.length > 0 ? style.dim(` (${alreadyRead.length} before)`) : ""}; ${unread} unread left.`;
