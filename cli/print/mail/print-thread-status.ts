/** Prints for people: a thread whose status was set. */
import type { Printer } from "../style.ts";
import { short } from "../words.ts";
import { ackedLines } from "./print-sent.ts";

/** The state of a thread after it was closed or opened again. */
export const printThreadStatus: Printer<"close" | "reopen"> = (answer, style) => {
  const { threadId, status, cleared } = answer;
  const names = cleared.map(({ part, messageId }) => `${part} ${short(messageId)}`).join(", ");
  const done = `${style.green("Done")}: ${threadId} is ${status}.${cleared.length === 0 ? "" : ` Cleared unread, listed in the thread: ${names}`}`;
  return [done, ...ackedLines(answer, style)].join("\n");
};
