/** Prints for people: a thread with its messages. */
import type { Printer } from "../style.ts";
import { localTime, more, plain, plainLine, short } from "../words.ts";
import { requestLines, sender } from "./message-words.ts";

/** A thread with its messages, oldest first, each with the text. */
export const printThread: Printer<"show"> = ({ thread, messages: list, cursor, forgotten }, style) => {
  const head = `${style.bold(plainLine(thread.subject))}  ${style.dim(`${thread.status} · ${thread.id} · ${thread.participants.join(", ")}`)}`;
  const blocks = list.map(
    (message: {
      messageId: string;
      from: string;
      origin?: string;
      to: string[];
      at: string;
      body: string;
      urgent: boolean;
      needsHuman: boolean;
      receipts: { part: string; state: string; origin?: string; missing?: boolean }[];
    }) => {
      const flags = `${message.urgent ? ` ${style.red("urgent")}` : ""}${message.needsHuman ? ` ${style.yellow("needs a person")}` : ""}`;
      const receipts = message.receipts
        .map(
          ({ part, state, origin, missing }) =>
            `${part} ${state}${origin === undefined ? "" : ` (${origin})`}${missing === true ? " (missing from its inbox: relay doctor)" : ""}`,
        )
        .join(", ");
      const body = plain(message.body)
        .split("\n")
        // A bar of its own before each line: no body can look like the head of another message, or like what Relay says.
        .map((row) => `${style.dim("│")} ${row}`.trimEnd())
        .join("\n");
      return `${style.yellow(short(message.messageId))}  ${style.bold(sender(message.from, message.origin))} → ${message.to.join(", ")}  ${style.dim(localTime(message.at))}${flags}\n${body}\n${style.dim(`  [${receipts}]`)}`;
    },
  );
  return [head, ...blocks, ...requestLines(forgotten, style)].join("\n\n") + more({ cursor }, style);
};
