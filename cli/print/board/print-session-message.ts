/** Prints for people: the messages of a session. */
import type { Printer } from "../style.ts";
import { table } from "../table.ts";
import { plainLine, short } from "../words.ts";
import { since } from "./board-words.ts";

/** The id of a message of a session. */
export const printSendMessage: Printer<"send_message"> = ({ message }, style) =>
  `${style.green("Sent")} ${short(message.id)} to ${message.to_agent ?? "all"}${style.dim(` (seq ${message.seq})`)}`;

/** The messages of a session, a line each by number, and how to get later ones. */
export const printGetMessages: Printer<"get_messages"> = ({ messages }, style) =>
  messages.length === 0
    ? style.dim("No messages.")
    : `${table(
        messages.map(({ id, from_agent, to_agent, content, thread_id, created_at, seq }) => [
          { text: String(seq).padStart(3), paint: style.dim },
          { text: short(id), paint: style.yellow },
          { text: from_agent, paint: style.bold },
          { text: to_agent === null ? "to all" : "", paint: style.dim },
          since(created_at, style),
          { text: thread_id === null ? "" : plainLine(thread_id), paint: style.dim },
          plainLine(content),
        ]),
        style,
      )}\n${style.dim(`later ones: --after-seq ${messages.at(-1)?.seq ?? 0}`)}`;

/** That viewers were shown what an agent thinks. */
export const printBroadcastThinking: Printer<"broadcast_thinking"> = (_answer, style) => style.dim("Shown to viewers.");
