/** Prints for people: a message that is to be forgotten. */
import type { Printer } from "../style.ts";
import { plainLine } from "../words.ts";

/** What became of a request to forget a message. */
export const printForget: Printer<"forget"> = ({ messageId, state, notes }, style) =>
  [
    state === "refused" ? `${messageId} stays.` : `${style.green("Removed")} ${messageId}.`,
    ...notes.map((note) => `  ${plainLine(note)}`),
  ].join("\n");
