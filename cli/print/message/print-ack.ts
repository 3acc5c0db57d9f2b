/** Prints for people: messages that were acked. */
import type { Printer } from "../style.ts";
import { plainLine } from "../words.ts";

/** How many messages were acked, and how many are left. */
export const printAck: Printer<"ack"> = ({ acked, alreadyRead, unread, unseen = 0, unseenSubjects = [], previewed = 0 }, style) =>
  `${style.green("Acked")} ${acked.length}${alreadyRead.length > 0 ? style.dim(` (${alreadyRead.length} before)`) : ""}; ${unread} unread left.${
    unseen === 0 ? "" : style.yellow(`\n${unseen} not shown to you yet, left unread: ${unseenSubjects.map(plainLine).join("; ")}`)
  }${previewed === 0 ? "" : style.yellow(`\nOf ${previewed} you were shown the beginning only: relay show has the rest.`)}`;
