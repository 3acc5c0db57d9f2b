/** Prints for people: messages that were acked. */
import { ackedWords } from "../../../protocol/turn/nouns/turn-words.ts";
import type { Answer, Printer } from "../style.ts";
import { plainLine } from "../words.ts";

/** Subjects that were acked, and the number of unread messages that are left. */
export const printAck: Printer<"ack"> = (answer, style) => {
  const { acked, ackedSubjects = [], alreadyRead, unread, unseen = 0, unseenSubjects = [], previewed = 0 } = answer as Named;
  const before = alreadyRead.length > 0 ? style.dim(` (${alreadyRead.length} before)`) : "";
  return [
    `${style.green("Acked")} ${plainLine(ackedWords(acked.length, ackedSubjects))}${before}; ${unread} unread left.`,
    ...(unseen === 0 ? [] : [style.yellow(`${unseen} not shown to you yet, left unread: ${unseenSubjects.map(plainLine).join("; ")}`)]),
    ...(previewed === 0 ? [] : [style.yellow(`Of ${previewed} you were shown the beginning only: relay show has the rest.`)]),
  ].join("\n");
};

/** An answer beside which the command put the subjects. */
type Named = Answer<"ack"> & { ackedSubjects?: string[] };
